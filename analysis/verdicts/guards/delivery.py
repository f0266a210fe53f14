"""Guards against an experiment that did not take place: each makes any word `untestable`."""

from __future__ import annotations

from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.verdicts.facts import Facts


def not_delivered(row: Estimate, facts: Facts) -> Estimate:
    """Against memory text that did not stand in the prompt. Takes any word that rests on such an arm."""
    requests = facts.lost(row)
    return row.given("untestable", Reason.NOT_DELIVERED, {"requests": requests}) if requests else row


def not_applicable(row: Estimate, facts: Facts) -> Estimate:
    """Against damage that applies to no slot of an arm. Takes any word on that damage and arm."""
    found = facts.inapplicable(row)
    if not found:
        return row
    arm, why = found[0]
    return row.given("untestable", Reason.NOT_APPLICABLE, {"arm": arm, "why": why})


def advice_check(row: Estimate, facts: Facts) -> Estimate:
    """Against damage that leaves the advice as it was, and a placebo that changes it. Takes any word."""
    why = facts.advice(row)
    return row.given("untestable", Reason.ADVICE_CHECK, {"why": why}) if why else row
