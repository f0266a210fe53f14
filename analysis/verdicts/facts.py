"""Facts: everything that a guard may look at beside the row itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from loadbearing.analysis.behaviour.cancellation import Cancellation
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Estimate, Key
from loadbearing.analysis.sequential.interim import LockedLooks

Place = tuple[str, str, str]
"""(backbone, arm, condition)."""


@dataclass(frozen=True, slots=True)
class Headroom:
    """How much could have been lost: the mean intact score over the contrast's tasks, of two arms the lower.

    At the ceiling every intact score is 1, and so is every score without memory.
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
        cancellation: None where the mean effect is not shown to lie within the margin, or cannot be inert.
    """

    all_zero: bool = False
    bounds: tuple[float, float] = (-1.0, 1.0)
    room: Headroom | None = None
    cancellation: Cancellation | None = None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run beside its scores; of somebody else's table, nothing but its reference.

    Args:
        diverging: what the agent did there that speaks against `inert`.
        lost: requests in which memory text was missing, by backbone and arm; only those that have any.
        inapplicable: why the damage applies to no slot there.
        advice: why the damage did not do to the advice what it is there for.
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
    """What a guard may look at; `rows` as the guards before it have left them."""

    plan: AnalysisPlan
    rows: Mapping[Key, Estimate]
    measured: Mapping[Key, Measured]
    run: RunFacts = NOTHING_KNOWN

    def of(self, row: Estimate) -> Measured:
        """What was measured of this row."""
        return self.measured.get(row.key, Measured())

    def find(self, row: Estimate, contrast: Contrast) -> Estimate | None:
        """The row of another contrast on the same backbone; None where it was not planned or not tested."""
        about = contrast.estimand, contrast.arm, contrast.versus, contrast.condition, contrast.share
        found = self.rows.get((row.backbone, *about))
        return found if found is not None and found.p is not None else None
