"""Verdicts: the whole analysis, experiment by experiment, on participants whose verdict is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from loadbearing.analysis.calibration.bands import Check, at_least, at_most
from loadbearing.analysis.calibration.bench import LARGE, Bench
from loadbearing.analysis.calibration.cast import (
    FLOOR,
    FORMAT_ONLY,
    HARMFUL,
    IGNORES,
    STARTLED,
    follower,
    mixed_sign,
    slightly_useful,
)
from loadbearing.analysis.calibration.experiments import BACKBONE, play, units
from loadbearing.analysis.calibration.participants import (
    DAMAGE,
    DAMAGED,
    INTACT,
    MEMORY,
    SWAPPED,
    SWAPPED_DAMAGED,
    Participant,
)
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.outcomes.outcomes import WITHOUT

BARE = (WITHOUT, INTACT, DAMAGED)
WITH_STARTLE_CONTROL = (*BARE, SWAPPED, SWAPPED_DAMAGED)


@dataclass(frozen=True, slots=True)
class Expected:
    """How often a word may, or has to, fall on a participant's drop under damage.

    Args:
        word: the verdict.
        rate: promised share of experiments.
        reached: the rate has to be reached; else it may not be passed.
    """

    word: str
    rate: float
    reached: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """A participant whose verdicts are known.

    Args:
        who: the participant.
        expected: words, and how often.
        controlled: the same damage is played on an irrelevant slot as well.
    """

    who: Participant
    expected: tuple[Expected, ...]
    controlled: bool = False

    @property
    def name(self) -> str:
        """The participant, and what is played beside."""
        return f"{self.who.name}, startle control" if self.controlled else self.who.name

    def __call__(self, bench: Bench) -> tuple[Check, ...]:
        """It earns its word, and no other one is given to it too often."""
        words = np.array(self._words(bench))
        return tuple(
            (at_least if one.reached else at_most)(
                f"verdict {one.word}: {self.name}, {LARGE}", words == one.word, one.rate
            )
            for one in self.expected
        )

    def _words(self, bench: Bench) -> list[str]:
        """The verdict on the drop in each experiment, by the whole analysis."""
        cells = WITH_STARTLE_CONTROL if self.controlled else BARE
        conditions = tuple(condition for arm, condition in cells if arm == MEMORY and condition != "intact")
        rng = bench.rng("verdicts", self.name)
        trials = play(self.who, cells, LARGE.tasks, LARGE.repeats, bench.effort.judged, rng)
        unit = units(self.who, LARGE.tasks)
        plan = AnalysisPlan((MEMORY,), conditions, flips=bench.effort.flips, positive_control=None)
        words = []
        for one in trials:
            seed = int(rng.integers(2**31))
            result = bench.instrument.judge(one, cells, unit, replace(plan, seed=seed))
            words.append(result.verdicts[BACKBONE][MEMORY][DAMAGE])
        return words


VERDICTS = (
    Judged(IGNORES, (Expected("inert", 0.05, False), Expected("load-bearing", 0.05, False))),
    # equivalence at the margin is shown in 84 % here, and effects must not look uneven between tasks
    Judged(FORMAT_ONLY, (Expected("inert", 0.75, True), Expected("load-bearing", 0.05, False))),
    Judged(follower(0.9), (Expected("load-bearing", 0.99, True),)),
    Judged(HARMFUL, (Expected("reversed", 0.90, True),)),
    Judged(FLOOR, (Expected("untestable", 0.99, True),)),
    # a rule that did not ask for an established utility would print inert in 54 %: STATISTICS 0c.2
    Judged(slightly_useful(0.05), (Expected("inert", 0.15, False),)),
    Judged(mixed_sign(0.2), (Expected("inert", 0.05, False),)),
    Judged(STARTLED, (Expected("load-bearing", 0.05, False),), controlled=True),
    Judged(follower(0.9), (Expected("load-bearing", 0.95, True),), controlled=True),
)
"""The whole analysis on participants whose verdict is known."""
