"""All kinds of damage that ship, by value."""

from __future__ import annotations

from perturbations.corrupt_invert import CorruptInvert
from perturbations.corrupt_mask import CorruptMask
from perturbations.empty import Empty
from perturbations.filler import Filler
from perturbations.irrelevant_swap import IrrelevantSwap
from perturbations.perturbation import Perturbation
from perturbations.without import Without

ALL: tuple[Perturbation, ...] = (
    Without(),
    Empty(),
    Filler(),
    IrrelevantSwap(),
    CorruptMask(),
    CorruptInvert(),
)
"""The command line finds them by `name`."""
