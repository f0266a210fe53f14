"""The bench on which an instrument is tried: how many experiments, of which sizes, from which seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.bands import Check
from loadbearing.analysis.calibration.estimators import Measured
from loadbearing.analysis.calibration.experiments import play, units
from loadbearing.analysis.calibration.mutants import Instrument
from loadbearing.analysis.calibration.participants import CONTROL, DAMAGE, MEMORY, Participant
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.plan import AnalysisPlan

_SCORES_AT_ONCE = 4_000_000


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


SMALL, MIDDLE, LARGE = Setting(30, 1), Setting(60, 3), Setting(100, 3)
FAST = Effort("fast", 4_000, 2_000, 100, 499, (SMALL, MIDDLE))
FULL = Effort(
    "full",
    10_000,
    4_000,
    600,
    999,
    (Setting(12, 1), Setting(20, 3), SMALL, MIDDLE, Setting(100, 1), Setting(100, 5), Setting(200, 3)),
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
        return AnalysisPlan(
            (CONTROL, MEMORY), (DAMAGE,), flips=self.effort.flips, seed=self.seed, positive_control=None
        )

    def rng(self, *question: object) -> np.random.Generator:
        """The stream of one question, so that no question shifts another's."""
        return np.random.default_rng([self.seed, crc32(repr(question).encode())])

    def measured(
        self,
        participant: Participant,
        contrast: Contrast,
        setting: Setting,
        unit: NDArray[np.int64] | None = None,
    ) -> Measured:
        """Let the participant play and the instrument measure one contrast.

        Args:
            participant: who plays.
            contrast: what is measured; its cells are what is played.
            setting: size of an experiment.
            unit: unit of inference of each task; the participant's source records unless given.
        """
        cells = tuple(cell for cell, _ in contrast.weights)
        weights = tuple(weight for _, weight in contrast.weights)
        unit = units(participant, setting.tasks) if unit is None else unit
        rng = self.rng(participant.name, contrast.estimand, contrast.share, str(setting))
        each = len(cells) * setting.tasks * setting.repeats
        at_once = max(1, _SCORES_AT_ONCE // each)
        parts = []
        for start in range(0, self.effort.experiments, at_once):
            size = min(at_once, self.effort.experiments - start)
            trials = play(participant, cells, setting.tasks, setting.repeats, size, rng)
            parts.append(self.instrument.measure(trials, weights, unit, self.plan))
        return Measured(
            *(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Measured))
        )


Step = tuple[str, Callable[[Bench], tuple[Check, ...]]]
"""One question to the instrument: its name, and what answers it."""
