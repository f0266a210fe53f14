"""Facts: everything that a guard may look at beside the row itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from loadbearing.analysis.behaviour.cancellation import Cancellation
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Estimate, Key, key_of
from loadbearing.analysis.sequential.interim import LockedLooks
from loadbearing.outcomes.reserved_names import ALL

Place = tuple[str, str, str]
"""(backbone, arm, condition)."""


@dataclass(frozen=True, slots=True)
class Headroom:
    """How much could have been lost.

    Args:
        intact: mean intact score over the contrast's tasks; of two arms the lower one.
        ceiling: every intact score is 1, and so is every score without memory.
    """

    intact: float
    ceiling: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one row beside its estimate.

    Args:
        all_zero: not one task differs.
        bounds: the least and the most that one task can give.
        room: of drops and contrasts.
        cancellation: whether effects differ between tasks; None where the mean effect is not shown to lie
            within the margin, and where the estimand is none that can be inert.
    """

    all_zero: bool = False
    bounds: tuple[float, float] = (-1.0, 1.0)
    room: Headroom | None = None
    cancellation: Cancellation | None = None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run beside its scores; of somebody else's table, nothing but its reference.

    Args:
        diverging: by place, what the agent did there that speaks against `inert`.
        lost: requests in which memory text was missing, by backbone and arm; only those that have any.
        inapplicable: by place, why the damage applies to no slot there.
        advice: by place, why the damage did not do to the advice what it is there for.
        looks: what a lock says about when the hypotheses are decided; None where no lock stands.
        reference: of a table without conditions, the arm that the others are held against.
    """

    diverging: Mapping[Place, str] = field(default_factory=dict)
    lost: Mapping[tuple[str, str], int] = field(default_factory=dict)
    inapplicable: Mapping[Place, str] = field(default_factory=dict)
    advice: Mapping[Place, str] = field(default_factory=dict)
    looks: LockedLooks | None = None
    reference: str = ""


NOTHING_KNOWN = RunFacts()


@dataclass(frozen=True, slots=True)
class Facts:
    """What a guard may look at.

    Args:
        plan: the rules.
        rows: every row of the analysis as the guards before this one have left it.
        measured: of every row.
        run: what is known beside the scores.
    """

    plan: AnalysisPlan
    rows: Mapping[Key, Estimate]
    measured: Mapping[Key, Measured]
    run: RunFacts = NOTHING_KNOWN

    def of(self, row: Estimate) -> Measured:
        """What was measured of this row."""
        return self.measured.get(row.key, _NOT_MEASURED)

    def find(self, row: Estimate, contrast: Contrast) -> Estimate | None:
        """The row of another contrast on the same backbone; None where it was not planned or not tested."""
        found = self.rows.get(key_of(row.backbone, contrast))
        return found if found is not None and found.p is not None else None

    def helps(self, row: Estimate, gain: Contrast) -> bool:
        """A utility on the same backbone is shown to be above zero."""
        found = self.find(row, gain)
        return found is not None and found.verdict == "helps"

    def on_each_backbone(self, row: Estimate) -> tuple[Estimate, ...]:
        """The rows that a mean over all backbones is the mean of; of any other row, itself."""
        if row.backbone != ALL:
            return (row,)
        return tuple(one for one in self.rows.values() if one.key[1:] == row.key[1:] and one.backbone != ALL)

    def apart(self, row: Estimate) -> Estimate | None:
        """The first backbone with an effect of its own, where the row is the mean over all; else None."""
        alpha, each = self.plan.alpha, self.on_each_backbone(row) if row.backbone == ALL else ()
        return next((one for one in each if one.effect_alone(alpha) and not one.within(alpha)), None)

    def cancelling(self, row: Estimate) -> str:
        """What shows that effects may cancel, on the backbone or on one of them; empty where nothing does."""
        for one in self.on_each_backbone(row):
            found = self.of(one).cancellation
            if found is not None and found.verdict in ("present", "not measurable"):
                return found.reason if row.backbone != ALL else f"on {one.backbone} {found.reason}"
        return ""

    def lost(self, row: Estimate) -> int:
        """Requests without their memory text among the trials of this row."""
        return sum(n for place, n in self.run.lost.items() if row.rests_on(*place))

    def inapplicable(self, row: Estimate) -> tuple[tuple[str, str], ...]:
        """The arms of this row to whose slots its damage does not apply, and why."""
        return tuple(
            (arm, why)
            for (backbone, arm, condition), why in self.run.inapplicable.items()
            if condition == row.condition and row.rests_on(backbone, arm)
        )

    def advice(self, row: Estimate) -> str:
        """Why a part of the damage behind this row tests nothing; empty where the check found nothing."""
        for (backbone, arm, condition), why in self.run.advice.items():
            if row.rests_on(backbone, arm) and condition in row.condition.split("+"):
                return why
        return ""


_NOT_MEASURED = Measured()
