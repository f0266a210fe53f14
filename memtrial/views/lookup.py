"""Looking things up in results: the rows of one estimand, and the words of one arm."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from memtrial.analysis.result import Estimate
    from memtrial.views.rows.evidence_rows import OfContrast
    from memtrial.views.rows.results import Results


class OnBackbone(Protocol):
    """A row about one backbone, or about all of them."""

    @property
    def backbone(self) -> str: ...


R = TypeVar("R", bound=OnBackbone)
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def by_backbone(results: Results, rows: Iterable[R]) -> tuple[R, ...]:
    """The same rows, backbones in the order of the run: trials, and so estimates, come in a random one."""
    order = {name: place for place, name in enumerate(results.backbones)}
    return tuple(sorted(rows, key=lambda row: order.get(row.backbone, len(order))))


def of_estimand(results: Results, estimand: str) -> tuple[Estimate, ...]:
    """All rows of `estimates` with this estimand, by backbone and else in their order."""
    return by_backbone(results, (row for row in results.estimates if row.estimand == estimand))


def is_pair(row: Estimate | OfContrast) -> bool:
    """The row compares two arms."""
    return row.estimand in ("contrast", "dose") or (row.estimand == "follow" and row.versus != "intact")


def subject(row: Estimate | OfContrast) -> str:
    """Whose estimate it is: an arm, or two that are compared."""
    return f"{row.arm} − {row.versus}" if is_pair(row) else row.arm


def find(
    results: Results,
    estimand: str,
    backbone: str,
    arm: str,
    condition: str | None = None,
    versus: str | None = None,
) -> Estimate | None:
    """The first row of an estimand for these; condition and versus are any where they are None."""
    for row in results.estimates:
        if (row.estimand, row.backbone, row.arm) == (estimand, backbone, arm) and (
            condition in (None, row.condition) and versus in (None, row.versus)
        ):
            return row
    return None


def judged_backbones(results: Results) -> dict[str, tuple[str, ...]]:
    """Backbones with a verdict and their arms with one, in the order of the run."""
    backbones = in_order(results.backbones, (*results.utility, *results.verdicts))
    return {
        name: in_order(results.arms, (*results.utility.get(name, {}), *results.verdicts.get(name, {})))
        for name in backbones
    }


def in_order(order: Sequence[str], seen: Iterable[str]) -> tuple[str, ...]:
    """The names that were seen, once each: those of the order in its order, then all others."""
    names_seen = dict.fromkeys(seen)
    return tuple(dict.fromkeys((*(name for name in order if name in names_seen), *names_seen)))


def reference_of(results: Results) -> str:
    """The arm that the others are held against; empty where arms are judged by damage to their memory."""
    table = results.table
    return "" if table is None or table.conditioned else table.reference or ""
