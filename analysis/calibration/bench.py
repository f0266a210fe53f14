"""The bench on which an instrument is tried: how many experiments, of which sizes, from which seed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from loadbearing.analysis.calibration.mutants import Instrument
from loadbearing.analysis.calibration.participants import CONTROL, DAMAGE, MEMORY
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.ledger.random_streams import named_generator

RULES = AnalysisPlan((CONTROL, MEMORY), (DAMAGE,), positive_control=None)
"""The rules by which one contrast is measured, with the margin and the alpha of every run."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The size of one experiment."""

    tasks: int
    repeats: int

    def __str__(self) -> str:
        return f"{self.tasks} tasks x {self.repeats}"


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is simulated.

    Args:
        name: `fast` or `full`.
        experiments: for a check of one contrast.
        families: for a check of a family of contrasts.
        judged: for a check of verdicts, each an analysis of its own.
        flips: sign vectors of a test.
        settings: sizes at which error and coverage are checked.
    """

    name: str
    experiments: int
    families: int
    judged: int
    flips: int
    settings: tuple[Setting, ...]


TINY, SMALL, MIDDLE, LARGE = Setting(12, 1), Setting(30, 1), Setting(60, 3), Setting(100, 3)
FAST = Effort("fast", 4_000, 2_000, 100, 499, (SMALL, MIDDLE))
FULL = Effort(
    "full",
    10_000,
    4_000,
    600,
    999,
    (TINY, Setting(20, 3), SMALL, MIDDLE, Setting(100, 1), Setting(100, 5), Setting(200, 3)),
)


@dataclass(frozen=True, slots=True)
class Bench:
    """An instrument, and what it is tried on.

    Args:
        instrument: what is calibrated.
        effort: how much is simulated.
        seed: of every experiment; each question has a stream of its own.
    """

    instrument: Instrument
    effort: Effort
    seed: int = 0

    @property
    def plan(self) -> AnalysisPlan:
        """The rules by which one contrast is measured."""
        return replace(RULES, flips=self.effort.flips, seed=self.seed)

    def rng(self, *question: object) -> np.random.Generator:
        """The stream of one question, so that no question shifts another's."""
        return named_generator(self.seed, repr(question))
