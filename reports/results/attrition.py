"""Trials that were lost to the infrastructure, and beside them the agent's own failures, by cause."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.model.play import Attrition

UNKNOWN = "no cause recorded"
REST = "other causes"
_MOST_CAUSES, _LONGEST = 20, 120
_PROVIDER = re.compile(r"ProviderFault \(([^()]+)\)$")

NONE: Mapping[str, int] = MappingProxyType({})


def attrition(
    trials: Iterable[TrialRow], plan: RunPlan, never: Mapping[str, int] = NONE
) -> dict[str, Attrition]:
    """By arm, in the plan's order: trials played, planned, lost, the share lost, and what lost them.

    `planned` counts the whole plan; None where the plan does not say.

    Args:
        never: trials by arm that the plan counts and that are never to be played.
    """
    played: Counter[str] = Counter()
    planned = plan.planned
    causes: dict[str, Counter[str]] = {arm: Counter() for arm in plan.arms}
    for trial in trials:
        played[trial.arm] += 1
        if trial.status == "error":
            causes[trial.arm][cause_kind(trial.cause)] += 1
    return {
        arm: Attrition(
            trials=played[arm],
            planned=planned[arm] - never.get(arm, 0) if arm in planned else None,
            errors=found.total(),
            share=found.total() / played[arm] if played[arm] else None,
            causes=_most_common(found),
        )
        for arm, found in causes.items()
    }


def agent_failures(trials: Iterable[TrialRow], plan: RunPlan) -> dict[str, dict[str, int]]:
    """By arm: how often the agent failed for each cause. None of these is an error."""
    causes: dict[str, Counter[str]] = {arm: Counter() for arm in plan.arms}
    for trial in trials:
        if trial.status == "failure":
            causes[trial.arm][_name(trial.cause)] += 1
    return {arm: _most_common(found) for arm, found in causes.items()}


def cause_kind(cause: str) -> str:
    """What lost a trial, in a few words: the name of the fault, for a provider's its kind."""
    head = _name(cause.partition(": ")[0])
    provider = _PROVIDER.match(head)
    return provider[1] if provider else head


def _name(text: str) -> str:
    return shortened(one_line(text), _LONGEST) or UNKNOWN


def _most_common(causes: Counter[str]) -> dict[str, int]:
    """Causes by how often they came, and the rest together: a world's words may be many."""
    ranked = sorted(causes.items(), key=lambda entry: (-entry[1], entry[0]))
    named, rest = dict(ranked[:_MOST_CAUSES]), sum(count for _, count in ranked[_MOST_CAUSES:])
    if rest:
        named[REST] = named.get(REST, 0) + rest
    return named
