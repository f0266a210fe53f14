"""Everything that can be done to a slot, by value: kinds of damage, and the instruction to follow it."""

from __future__ import annotations

from perturbations.corrupt_invert import CorruptInvert
from perturbations.corrupt_mask import CorruptMask
from perturbations.counter import Counter
from perturbations.empty import Empty
from perturbations.filler import Filler
from perturbations.instructed import Instructed
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
    Counter(),
    Paraphrase(),
    Instructed(),
)
"""The command line finds them by `name`."""
