"""Guards of `inert` and of a `load-bearing` drop, which they make `inconclusive`.

A mean within the margin is not yet no effect; a fall may owe nothing to the content.
"""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import drop
from loadbearing.analysis.estimands.secondary import CARRIES, beyond_placebo, content_effect, retention
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


def placebo_moves(row: Estimate, facts: Facts) -> Estimate:
    """Against a fall under the placebo itself, which keeps the meaning. Takes `load-bearing`."""
    if not _falls(row) or row.condition != facts.plan.placebo:
        return row
    return row.given("inconclusive", Reason.PLACEBO_MOVES)


def oddity(row: Estimate, facts: Facts) -> Estimate:
    """Against an agent that stumbles over odd text. Takes `load-bearing`.

    It acts where the same damage was done to an irrelevant slot too, and does not cost less there as far as
    can be shown, by a test of its own level: it can only take a word away.

    Source: STATISTICS 0c.4.
    """
    content = facts.find(row, content_effect(row.arm, row.condition))
    if not _falls(row) or content is None or content.effect_alone(facts.plan.alpha) > 0:
        return row
    because = {"effect": content.estimate or 0.0, "p": content.p or 0.0}
    return row.given("inconclusive", Reason.ODDITY, because)


def rewording(row: Estimate, facts: Facts) -> Estimate:
    """Against a fall that a rewording causes as well. Takes `load-bearing`.

    It acts where the placebo was played, the damage does not cost more than it as far as can be shown, and
    the placebo costs something itself, or more than the damage.

    Source: STATISTICS 0c.4.
    """
    alpha, word = facts.plan.alpha, facts.plan.placebo
    placebo = facts.find(row, drop(row.arm, word))
    beyond = facts.find(row, beyond_placebo(row.arm, row.condition, word))
    if not _falls(row) or placebo is None or beyond is None or beyond.effect_alone(alpha) > 0:
        return row
    if (beyond.estimate or 0.0) > 0 and placebo.effect_alone(alpha) <= 0:
        return row
    because = {"placebo": placebo.estimate or 0.0, "p": beyond.p or 0.0}
    return row.given("inconclusive", Reason.REWORDING, because)


def _falls(row: Estimate) -> bool:
    return row.estimand == "drop" and row.verdict == "load-bearing"


def _on_each_backbone(row: Estimate, facts: Facts) -> tuple[Estimate, ...]:
    """The rows that a mean over all backbones is the mean of; of any other row, itself."""
    if row.backbone != ALL:
        return (row,)
    return tuple(one for one in facts.rows.values() if one.key[1:] == row.key[1:] and one.backbone != ALL)
