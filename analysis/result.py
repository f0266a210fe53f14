"""The result of an analysis: estimates with their verdicts, and notes on the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from memtrial.analysis.estimands.contrast import Estimand
from memtrial.analysis.reasons import Caveat, Reason
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import ALL

Key = tuple[str, Estimand, str, str, str, float | None]
"""What a row is about: backbone, estimand, arm, versus, condition, share."""
Because = Mapping[str, int | float | str]
"""The values in a reason's sentence, by field name."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One row of the results; every number is finite or None.

    Args:
        estimand, arm, versus, condition, share: as in Contrast.
        backbone: the language model that played; `all`: the mean over all of them inside each task.
        family: name of the family of tests for which p_adjusted is adjusted.
        n_tasks: tasks with a score in every cell.
        n_clusters: clusters these tasks form, the unit of inference; equal to n_tasks without clusters.
        n_missing: other tasks that this backbone played; n_informative: units whose contrast is not zero.
        estimate: mean over tasks, in points of score; None without a task.
        low, high: the 1 - alpha interval, not adjusted for the family; within the possible range, and
            without zero exactly where p <= alpha.
        low_family, high_family: the interval that holds with 1 - alpha for all rows of the family at once.
        sd: standard deviation of a unit's contrast; freedom: degrees of freedom of its standard error.
        p: of this row alone, by Student's t on units.
        p_adjusted: within its family, by the step-down max-T of sign flips as mid-p; the verdict uses it.
        p_adjusted_error: its Monte Carlo standard error; 0 where the signs were enumerated.
        p_flip, p_mid: of this row alone by sign flips, ties counted whole (exact) and half.
        p_mid_adjusted: p_mid within its family.
        p_flip_error: Monte Carlo standard error of p_flip and p_mid; 0 where they are exact.
        p_mid_least: the least p_mid that the drawn signs can show; None where it is exact.
        p_equivalence: against an effect at or beyond the margin, of this row alone.
        p_equivalence_adjusted: within its family, by a step-down in two steps; the verdict uses it.
        low_equivalence, high_equivalence: the 1 - 2 alpha interval: it lies within the margin exactly where
            p_equivalence is at most alpha.
        tasks_to_settle: tasks that would settle an effect as large as this one with 80 % power.
        same_text: contrasts only: share of tasks on which both arms showed the same damaged text.
        n_errors: infrastructure errors among the trials of its cells.
        worst_low, worst_high: lowest and highest estimate if each of these errors is scored 0 or 1.
        verdict: the word; empty before the rule has given one.
        reason: the sentence that explains the verdict, made from its code and the values `because`.
        caveats: what a reader must know about the row whatever its verdict; each is also in `reason`.
    """

    estimand: Estimand
    backbone: str
    arm: str
    versus: str
    condition: str
    share: float | None
    family: str
    n_tasks: int
    n_clusters: int
    n_missing: int
    n_informative: int
    estimate: float | None
    low: float | None = None
    high: float | None = None
    low_family: float | None = None
    high_family: float | None = None
    sd: float | None = None
    freedom: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    p_adjusted_error: float | None = None
    p_flip: float | None = None
    p_mid: float | None = None
    p_mid_adjusted: float | None = None
    p_flip_error: float | None = None
    p_mid_least: float | None = None
    p_equivalence: float | None = None
    p_equivalence_adjusted: float | None = None
    low_equivalence: float | None = None
    high_equivalence: float | None = None
    tasks_to_settle: int | None = None
    same_text: float | None = None
    n_errors: int = 0
    worst_low: float | None = None
    worst_high: float | None = None
    verdict: str = ""
    reason: str = ""
    code: Reason | None = None
    because: Because = field(default_factory=dict)
    caveats: tuple[Caveat, ...] = ()

    @property
    def key(self) -> Key:
        return self.backbone, self.estimand, self.arm, self.versus, self.condition, self.share

    @property
    def unit(self) -> str:
        return "cluster" if self.n_tasks > self.n_clusters else "task"

    @property
    def units(self) -> str:
        return how_many(self.n_clusters, self.unit)

    def given(self, verdict: str, code: Reason, because: Because | None = None) -> Estimate:
        """The same row with another verdict, its reason, and the values in the reason's sentence."""
        return replace(self, verdict=verdict, code=code, because=because or {})

    def within(self, alpha: float) -> bool:
        """Whether the effect is shown to lie within the margin, among all tests of the family."""
        return self.p_equivalence_adjusted is not None and self.p_equivalence_adjusted <= alpha

    def effect(self, alpha: float) -> float:
        """The estimate where an effect is shown within the family; else 0."""
        return self._effect_at(self.p_adjusted, alpha)

    def effect_alone(self, alpha: float) -> float:
        """The estimate where its own p shows an effect; else 0."""
        return self._effect_at(self.p, alpha)

    def _effect_at(self, p: float | None, alpha: float) -> float:
        return self.estimate if p is not None and p <= alpha and self.estimate is not None else 0.0

    def rests_on(self, backbone: str, arm: str) -> bool:
        """Whether trials of this arm and backbone are in the estimate; a mean over backbones has each."""
        return self.backbone in (backbone, ALL) and arm in (self.arm, self.versus)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The verdict on one declared hypothesis."""

    treatment: str
    control: str
    condition: str
    backbone: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that a report says about outcomes.

    Args:
        estimates: family by family.
        errors: infrastructure errors per arm.
        empty_slots: share of each arm's intact trials that had no item to show.
        notes: what holds for the run as a whole.
    """

    estimates: tuple[Estimate, ...]
    errors: dict[str, int]
    empty_slots: dict[str, float]
    notes: tuple[str, ...]

    @property
    def verdicts(self) -> dict[str, dict[str, dict[str, str]]]:
        nested: dict[str, dict[str, dict[str, str]]] = {}
        for e in self._of("drop"):
            nested.setdefault(e.backbone, {}).setdefault(e.arm, {})[e.condition] = e.verdict
        return nested

    @property
    def utility(self) -> dict[str, dict[str, str]]:
        nested: dict[str, dict[str, str]] = {}
        for e in self._of("utility"):
            nested.setdefault(e.backbone, {})[e.arm] = e.verdict
        return nested

    def hypotheses(
        self,
        conditions: Collection[str],
        secondary: Collection[tuple[str, str]] = (),
        uneven: Collection[tuple[str, str, str]] = (),
    ) -> tuple[Hypothesis, ...]:
        """Verdicts on contrasts under these conditions, one a backbone, pair and condition; but of
        `secondary` pairs, and of those (treatment, control, condition) whose arms were not damaged alike."""
        return tuple(
            Hypothesis(e.arm, e.versus, e.condition, e.backbone, e.verdict)
            for e in self._of("contrast")
            if e.condition in conditions
            and (e.arm, e.versus) not in secondary
            and (e.arm, e.versus, e.condition) not in uneven
        )

    def _of(self, estimand: Estimand) -> list[Estimate]:
        return [row for row in self.estimates if row.estimand == estimand and row.backbone != ALL]
