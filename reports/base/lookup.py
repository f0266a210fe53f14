"""Looking things up in results: the rows of one estimand, and the words of one arm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from loadbearing.analysis.result import Estimate
from loadbearing.reports.model.results import Results


class OnBackbone(Protocol):
    """A row about one backbone, or about all of them."""

    @property
    def backbone(self) -> str: ...


R = TypeVar("R", bound=OnBackbone)


class OfArms(Protocol):
    """A row about one arm, or about two that are compared."""

    @property
    def estimand(self) -> str: ...
    @property
    def arm(self) -> str: ...
    @property
    def versus(self) -> str: ...


def by_backbone(results: Results, found: Iterable[R]) -> tuple[R, ...]:
    """The same rows, backbones in the order of the run: trials, and so estimates, come in a random one."""
    order = {name: place for place, name in enumerate(results.backbones)}
    return tuple(sorted(found, key=lambda row: order.get(row.backbone, len(order))))


def of_estimand(results: Results, estimand: str) -> tuple[Estimate, ...]:
    """All rows of `estimates` with this estimand, by backbone and else in their order."""
    return by_backbone(results, (row for row in results.estimates if row.estimand == estimand))


def is_pair(row: OfArms) -> bool:
    """The row compares two arms."""
    return row.estimand in ("contrast", "dose") or (row.estimand == "follow" and row.versus != "intact")


def subject(row: OfArms) -> str:
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
    """The first row of an estimand for these; None where there is none.

    Args:
        condition: None: whatever stands there; so with `versus`.
    """
    for row in results.estimates:
        if (row.estimand, row.backbone, row.arm) == (estimand, backbone, arm) and (
            condition in (None, row.condition) and versus in (None, row.versus)
        ):
            return row
    return None


def utility_word(results: Results, backbone: str, arm: str) -> str:
    """The verdict on one utility, empty where none was given."""
    return results.utility.get(backbone, {}).get(arm, "")


def drop_words(results: Results, backbone: str, arm: str) -> Mapping[str, str]:
    """The verdicts on one arm's drops, by condition."""
    return results.verdicts.get(backbone, {}).get(arm, {})


def judged_arms(results: Results, backbone: str) -> tuple[str, ...]:
    """Arms with a verdict on this backbone, in the order of the run."""
    seen = (*results.utility.get(backbone, {}), *results.verdicts.get(backbone, {}))
    return in_order(results.arms, seen)


def judged_backbones(results: Results) -> tuple[str, ...]:
    """Backbones with a verdict, in the order of the run."""
    return in_order(results.backbones, (*results.utility, *results.verdicts))


def judged_conditions(results: Results) -> tuple[str, ...]:
    """Conditions with a verdict on some drop, in the order of the run."""
    seen = [name for arms in results.verdicts.values() for words in arms.values() for name in words]
    return in_order(results.conditions, seen)


def in_order(order: Sequence[str], seen: Iterable[str]) -> tuple[str, ...]:
    """The names that were seen, once each: those of the order in its order, then all others."""
    found = dict.fromkeys(seen)
    return tuple(dict.fromkeys((*(name for name in order if name in found), *found)))
