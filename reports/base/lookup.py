"""Looking things up in a results dict: the rows of one estimand, and the words of one arm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadbearing.reports.base.numbers import is_known

Results = Mapping[str, Any]
"""What `results.json` holds. Keys that are absent count as empty, keys that are unknown are passed over."""

Row = Mapping[str, Any]


def rows(results: Results, key: str) -> Sequence[Row]:
    """The list under a key, empty where there is none."""
    return results.get(key) or ()


def by_backbone(results: Results, found: Iterable[Row]) -> tuple[Row, ...]:
    """The same rows, backbones in the order of the run: trials, and so estimates, come in a random one."""
    order = list(results.get("backbones") or ())
    return tuple(
        sorted(
            found,
            key=lambda row: order.index(row.get("backbone")) if row.get("backbone") in order else len(order),
        )
    )


def of_estimand(results: Results, estimand: str) -> tuple[Row, ...]:
    """All rows of `estimates` with this estimand, by backbone and else in their order."""
    return by_backbone(results, (r for r in rows(results, "estimates") if r.get("estimand") == estimand))


def is_pair(row: Row) -> bool:
    """The row compares two arms."""
    return row.get("estimand") in ("contrast", "dose") or (
        row.get("estimand") == "follow" and row.get("versus") != "intact"
    )


def subject(row: Row) -> str:
    """Whose estimate it is: an arm, or two that are compared."""
    return f"{row.get('arm')} − {row.get('versus')}" if is_pair(row) else str(row.get("arm"))


def find(
    results: Results,
    estimand: str,
    backbone: str,
    arm: str,
    condition: str | None = None,
    versus: str | None = None,
) -> Row:
    """The first row of an estimand for these; empty where there is none. None: whatever stands there."""
    wanted = {"backbone": backbone, "arm": arm, "condition": condition, "versus": versus}
    for row in rows(results, "estimates"):
        if row.get("estimand") == estimand and all(
            row.get(field) == value for field, value in wanted.items() if value is not None
        ):
            return row
    return {}


def lowers_the_score(results: Results, row: Row) -> bool:
    """A drop is shown, whatever its verdict."""
    alpha, p, estimate = results.get("alpha"), row.get("p_adjusted"), row.get("estimate")
    if not (is_known(alpha) and is_known(p) and is_known(estimate)):
        return False
    return p <= alpha and estimate > 0


def utility_word(results: Results, backbone: str, arm: str) -> str:
    """The verdict on one utility, empty where none was given."""
    return str(((results.get("utility") or {}).get(backbone) or {}).get(arm, ""))


def drop_words(results: Results, backbone: str, arm: str) -> Mapping[str, str]:
    """The verdicts on one arm's drops, by condition."""
    return ((results.get("verdicts") or {}).get(backbone) or {}).get(arm) or {}


def judged_arms(results: Results, backbone: str) -> tuple[str, ...]:
    """Arms with a verdict on this backbone, in the order of the run; strangers to that order come last."""
    utilities = (results.get("utility") or {}).get(backbone) or {}
    drops = (results.get("verdicts") or {}).get(backbone) or {}
    return _ordered(results.get("arms"), (*utilities, *drops))


def judged_backbones(results: Results) -> tuple[str, ...]:
    """Backbones with a verdict, in the order of the run."""
    seen = (*(results.get("utility") or {}), *(results.get("verdicts") or {}))
    return _ordered(results.get("backbones"), seen)


def judged_conditions(results: Results) -> tuple[str, ...]:
    """Conditions with a verdict on some drop, in the order of the run."""
    drops = [
        condition
        for arms in (results.get("verdicts") or {}).values()
        for words in arms.values()
        for condition in words
    ]
    return _ordered(results.get("conditions"), drops)


def _ordered(order: Sequence[str] | None, seen: Sequence[str]) -> tuple[str, ...]:
    known = [name for name in order or () if name in seen]
    return tuple(dict.fromkeys((*known, *seen)))
