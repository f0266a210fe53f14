"""Damage that applies to no slot of an arm: its cell was never to be played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from loadbearing.analysis.verdicts.facts import Place
from loadbearing.ledger.rows import CheckRow


def inapplicable(checks: Iterable[CheckRow]) -> dict[Place, str]:
    """Where no check of a cell applied, with the first reason by name."""
    applied: dict[Place, bool] = defaultdict(bool)
    reasons: dict[Place, set[str]] = defaultdict(set)
    for check in checks:
        place = (check.backbone, check.arm, check.condition)
        applied[place] |= check.applicable
        if not check.applicable:
            reasons[place].add(check.reason)
    return {place: min(reasons[place]) for place, any_of_them in applied.items() if not any_of_them}
