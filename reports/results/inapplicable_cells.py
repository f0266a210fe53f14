"""Damage that applies to no slot of an arm: its cell was never to be played, and its verdict says so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from loadbearing.analysis.result import Analysis, Estimate
from loadbearing.analysis.verdicts.assemble import Place
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


def say_inapplicable(analysis: Analysis, never: Mapping[Place, str]) -> Analysis:
    """Verdicts on drops and contrasts whose damage applies to no slot become `untestable`, with a reason."""
    return replace(analysis, estimates=tuple(_said(one, never) for one in analysis.estimates))


def _said(estimate: Estimate, never: Mapping[Place, str]) -> Estimate:
    for (backbone, arm, condition), why in never.items():
        if condition == estimate.condition and estimate.rests_on(backbone, arm):
            reason = f"{estimate.condition} applies to no slot of {arm}: {why}"
            return replace(estimate, verdict="untestable", reason=reason)
    return estimate
