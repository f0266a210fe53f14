"""Everything that can be done to a slot, by value: kinds of damage, and the instruction to follow it."""

from loadbearing.perturbations.corrupt_invert import CorruptInvert
from loadbearing.perturbations.corrupt_mask import CorruptMask
from loadbearing.perturbations.counter import Counter
from loadbearing.perturbations.filler import Filler
from loadbearing.perturbations.instructed import Instructed
from loadbearing.perturbations.irrelevant.irrelevant_generic import IrrelevantGeneric
from loadbearing.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from loadbearing.perturbations.one_field import ONE_FIELD
from loadbearing.perturbations.paraphrase import Paraphrase
from loadbearing.perturbations.perturbation import Perturbation
from loadbearing.perturbations.removal import Empty, Without
from loadbearing.perturbations.shuffle import Shuffle

ALL: tuple[Perturbation, ...] = (
    Without(),
    Shuffle(),
    Empty(),
    Filler(),
    IrrelevantSwap(),
    IrrelevantGeneric(),
    CorruptMask(),
    CorruptInvert(),
    Counter(),
    Paraphrase(),
    Instructed(),
)
"""The command line finds them by `name`."""
NAMED: tuple[Perturbation, ...] = (*ALL, *ONE_FIELD)
"""With the kinds that damage one field alone."""
