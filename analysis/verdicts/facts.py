"""Facts: everything that a guard may read besides the row itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.behaviour.cancellation import Cancellation
from memtrial.analysis.estimands.contrast import (
    FLUENT,
    INVERTED,
    Contrast,
    content_effect,
    drop,
    polarity,
    polarity_beside,
)
from memtrial.analysis.result import Estimate, Key
from memtrial.analysis.sequential.interim import LockedLooks
from memtrial.outcomes.reserved_names import ALL

Place = tuple[str, str, str]
"""(backbone, arm, condition)."""


@dataclass(frozen=True, slots=True)
class Headroom:
    """The mean intact score, of two arms the lower; at the ceiling all are 1, intact and without memory."""

    intact: float
    ceiling: bool


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What was measured of one row besides its estimate.

    Args:
        all_zero: no task differs.
        room: for drops and contrasts only.
        readable: of a drop where trials were lost to replies that could not be read: the same drop with
            these counted as solved.
        cancellation: None unless the row can be inert and its mean effect is shown to lie within the margin.
    """

    all_zero: bool = False
    bounds: tuple[float, float] = (-1.0, 1.0)
    room: Headroom | None = None
    readable: Estimate | None = None
    cancellation: Cancellation | None = None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run besides its scores; of a table, only its reference.

    Args:
        diverging: by place, behaviour of the agent that is evidence against `inert`.
        lost: number of requests in which memory text was missing, by backbone and arm; never 0.
        inapplicable: by place, why the damage applies to no slot.
        advice: by place, why the damage did not affect the advice as intended.
        fluent: places whose damaged texts read no more oddly than intact ones do among each other; none of a
            user's own table, whose texts are not known; None where scores are made up and stand for no text.
        looks: when the lock says that the hypotheses are decided; None without a lock.
        reference: for a table without conditions, the arm that the others are compared with.
        of_table: the scores are somebody's own table: what was shown and what was done is not known.
        unseen: trials were played, and what the agent did in them is not seen: it reports its scores.
        unread: number of trials whose agent took no look at its memory, by backbone and arm; never 0.
        dormant: number of trials of arms whose model was told of its memory, and in none of which it came up.
    """

    diverging: Mapping[Place, str] = field(default_factory=dict)
    lost: Mapping[tuple[str, str], int] = field(default_factory=dict)
    inapplicable: Mapping[Place, str] = field(default_factory=dict)
    advice: Mapping[Place, str] = field(default_factory=dict)
    fluent: frozenset[Place] | None = None
    looks: LockedLooks | None = None
    reference: str = ""
    of_table: bool = False
    unseen: bool = False
    unread: Mapping[tuple[str, str], int] = field(default_factory=dict)
    dormant: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def has_trials(self) -> bool:
        """Trials were played on texts that are known, and seen: what was done can be asked for."""
        return self.fluent is not None and not self.of_scores

    @property
    def of_scores(self) -> bool:
        """Scores are all there is to ask: what the agent did is not seen."""
        return self.of_table or self.unseen


NOTHING_KNOWN = RunFacts()


@dataclass(frozen=True, slots=True)
class Facts:
    """What a guard may read; `rows` are as the previous guard returned them."""

    plan: AnalysisPlan
    rows: Mapping[Key, Estimate]
    measured: Mapping[Key, RowFacts]
    run: RunFacts = NOTHING_KNOWN

    def of(self, row: Estimate) -> RowFacts:
        return self.measured.get(row.key, RowFacts())

    def drop(self, row: Estimate, arm: str) -> Estimate | None:
        return self.find(row, drop(arm, row.condition))

    def is_fluent(self, row: Estimate, arm: str) -> bool:
        """Whether the damage of this row reads as fluently in this arm as what it stands for."""
        if row.condition in FLUENT or self.run.fluent is None:
            return row.condition in FLUENT
        backbones = {row.backbone for row in self.rows.values()} - {ALL}
        places = (row.backbone,) if row.backbone != ALL else tuple(backbones)
        return all((backbone, arm, row.condition) in self.run.fluent for backbone in places)

    def polarity(self, row: Estimate) -> Estimate | None:
        """Whether the agent of this row's arm tells what to do from what to avoid, known for half of the
        row's units or more; None where it is not. Beside the oddity placebo, where that fits as many."""
        return self._first_of_half(row, polarity_beside(row.arm), polarity(row.arm))

    def turned(self, row: Estimate) -> Estimate | None:
        """What the inversion of this row's arm costs, beyond its oddity placebo where that fits as many;
        known for half of the row's units or more, else None."""
        return self._first_of_half(row, content_effect(row.arm, INVERTED), drop(row.arm, INVERTED))

    def _first_of_half(self, row: Estimate, *contrasts: Contrast) -> Estimate | None:
        rows = (self.find(row, contrast) for contrast in contrasts)
        known = (other for other in rows if other is not None and 2 * other.n_clusters >= row.n_clusters)
        return next(known, None)

    def find(self, row: Estimate, contrast: Contrast) -> Estimate | None:
        """The row of another contrast on the same backbone; None where it was not planned or not tested."""
        about = contrast.estimand, contrast.arm, contrast.versus, contrast.condition, contrast.share
        estimate = self.rows.get((row.backbone, *about))
        return estimate if estimate is not None and estimate.p is not None else None
