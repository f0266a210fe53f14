"""Everything that can be done to a slot, by value: kinds of damage, and the instruction to follow it."""

from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.filler import Filler
from memtrial.perturbations.instructed import Instructed
from memtrial.perturbations.irrelevant.irrelevant_generic import IrrelevantGeneric
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.perturbations.one_field import ONE_FIELD
from memtrial.perturbations.paraphrase import Paraphrase
from memtrial.perturbations.removal import Empty, Without
from memtrial.perturbations.shuffle import Shuffle
from memtrial.protocols import Perturbation

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
