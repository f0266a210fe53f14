"""Guards of `inert`, which they make `inconclusive`: a mean within the margin is not yet no effect."""

from loadbearing.analysis.estimands.secondary import CARRIES, retention
from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Because, Estimate
from loadbearing.analysis.verdicts.facts import Facts
from loadbearing.outcomes.reserved_names import ALL


def backbones_differ(row: Estimate, facts: Facts) -> Estimate:
    """Against a mean over backbones that hides an effect on one of them. Takes `inert`."""
    if row.verdict != "inert" or row.backbone != ALL:
        return row
    alpha = facts.plan.alpha
    for one in _on_each_backbone(row, facts):
        if one.effect_alone(alpha) and not one.within(alpha):
            because: Because = {"backbone": one.backbone, "estimate": one.estimate or 0.0, "p": one.p or 0.0}
            return row.given("inconclusive", Reason.BACKBONES_DIFFER, because)
    return row


def effects_cancel(row: Estimate, facts: Facts) -> Estimate:
    """Against gains and losses that cancel between tasks, or repeats too few to tell. Takes `inert`.

    Source: STATISTICS 0c.3.
    """
    if row.verdict != "inert":
        return row
    for one in _on_each_backbone(row, facts):
        found = facts.of(one).cancellation
        if found is not None and found.verdict in ("present", "not measurable"):
            why = found.reason if row.backbone != ALL else f"on {one.backbone} {found.reason}"
            return row.given("inconclusive", Reason.EFFECTS_CANCEL, {"why": why})
    return row


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


def _on_each_backbone(row: Estimate, facts: Facts) -> tuple[Estimate, ...]:
    """The rows that a mean over all backbones is the mean of; of any other row, itself."""
    if row.backbone != ALL:
        return (row,)
    return tuple(one for one in facts.rows.values() if one.key[1:] == row.key[1:] and one.backbone != ALL)
