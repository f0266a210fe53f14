"""All kinds of damage that ship, by value."""

from __future__ import annotations

from perturbations.corrupt_invert import CorruptInvert
from perturbations.corrupt_mask import CorruptMask
from perturbations.empty import Empty
from perturbations.filler import Filler
from perturbations.irrelevant_generic import IrrelevantGeneric
from perturbations.irrelevant_swap import IrrelevantSwap
from perturbations.paraphrase import Paraphrase
from perturbations.perturbation import Perturbation
from perturbations.shuffle import Shuffle
from perturbations.without import Without

ALL: tuple[Perturbation, ...] = (
    Without(),
    Empty(),
    Filler(),
    IrrelevantSwap(),
    IrrelevantGeneric(),
    Shuffle(),
    CorruptMask(),
    CorruptInvert(),
    Paraphrase(),
)
"""The command line finds them by `name`."""
