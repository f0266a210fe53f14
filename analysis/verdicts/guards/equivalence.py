"""Guards of `inert`: a mean within the margin is not yet no effect. Each makes it `inconclusive`."""

from __future__ import annotations

from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.secondary.retention import CARRIES, retention
from loadbearing.analysis.verdicts.facts import Facts


def backbones_differ(row: Estimate, facts: Facts) -> Estimate:
    """Against a mean over backbones that hides an effect on one of them. Takes `inert`."""
    if row.verdict != "inert" or facts.apart(row) is None:
        return row
    return row.given("inconclusive", Reason.BACKBONES_DIFFER)


def effects_cancel(row: Estimate, facts: Facts) -> Estimate:
    """Against gains and losses that cancel between tasks, or repeats too few to tell. Takes `inert`.

    Source: STATISTICS 0c.3.
    """
    if row.verdict != "inert" or not facts.cancelling(row):
        return row
    return row.given("inconclusive", Reason.EFFECTS_CANCEL)


def actions_differ(row: Estimate, facts: Facts) -> Estimate:
    """Against damage that changes what the agent does, if not how it ends. Takes `inert`.

    Source: STATISTICS 0c.3 and 6.
    """
    if row.verdict != "inert" or (row.backbone, row.arm, row.condition) not in facts.run.diverging:
        return row
    return row.given("inconclusive", Reason.ACTIONS_DIFFER)


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
