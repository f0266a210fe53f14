"""Guards of `inert`: a mean within the margin is not yet no effect. Each makes it `inconclusive`."""

from __future__ import annotations

from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.secondary.retention import CARRIES, retention
from loadbearing.analysis.verdicts.facts import Facts


def backbones_differ(row: Estimate, facts: Facts) -> Estimate:
    """Against a mean over backbones that hides an effect on one of them. Takes `inert`."""
    found = facts.apart(row) if row.verdict == "inert" else None
    if found is None:
        return row
    code, estimate, p = Reason.BACKBONES_DIFFER, found.estimate or 0.0, found.p or 0.0
    return row.given("inconclusive", code, {"backbone": found.backbone, "estimate": estimate, "p": p})


def effects_cancel(row: Estimate, facts: Facts) -> Estimate:
    """Against gains and losses that cancel between tasks, or repeats too few to tell. Takes `inert`.

    Source: STATISTICS 0c.3.
    """
    why = facts.cancelling(row) if row.verdict == "inert" else ""
    return row.given("inconclusive", Reason.EFFECTS_CANCEL, {"why": why}) if why else row


def actions_differ(row: Estimate, facts: Facts) -> Estimate:
    """Against damage that changes what the agent does, if not how it ends. Takes `inert`.

    Source: STATISTICS 0c.3 and 6.
    """
    place = (row.backbone, row.arm, row.condition)
    why = facts.run.diverging.get(place, "") if row.verdict == "inert" else ""
    return row.given("inconclusive", Reason.ACTIONS_DIFFER, {"why": why}) if why else row


def most_of_the_utility(row: Estimate, facts: Facts) -> Estimate:
    """Against a small utility all of which is content. Takes `inert` from a drop.

    Source: STATISTICS 0c.2.
    """
    if row.verdict != "inert" or row.estimand != "drop":
        return row
    carried = facts.find(row, retention(row.arm, row.condition, CARRIES))
    if carried is None or carried.effect_alone(facts.plan.alpha) <= 0:
        return row
    return row.given("inconclusive", Reason.MOST_OF_UTILITY)
