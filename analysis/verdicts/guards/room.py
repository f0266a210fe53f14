"""Guards against too little room to lose, and against a mean within the margin that hides effects."""

from memtrial.analysis.estimands.contrast import CARRIES, Contrast, instructed_utility, retention, utility
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Because, Estimate
from memtrial.analysis.verdicts.estimand_words import kind_of
from memtrial.analysis.verdicts.facts import Facts
from memtrial.outcomes.reserved_names import ALL

_ROUNDING = 1e-9  # a mean of .2 may stand a hair above it in binary
_NOTHING_SHOWN = ("inert", "inconclusive")


def floor(row: Estimate, facts: Facts) -> Estimate:
    """Against scores so low that no drop could be seen: `untestable`, but for a drop that is `reversed`."""
    room = facts.of(row).room
    rises = row.verdict == "reversed" and row.estimand != "contrast"
    if room is None or row.p is None or rises or room.intact > facts.plan.floor + _ROUNDING:
        return row
    return row.given("untestable", Reason.FLOOR, {"intact": room.intact, "floor": facts.plan.floor})


def ceiling(row: Estimate, facts: Facts) -> Estimate:
    """Against tasks that are all solved, with and without memory: takes `inert` and `inconclusive`."""
    seen = facts.of(row)
    full = seen.room is not None and seen.room.ceiling and seen.all_zero
    if not full or row.p is None or row.verdict not in _NOTHING_SHOWN:
        return row
    return row.given("untestable", Reason.CEILING)


def nothing_to_carry(row: Estimate, facts: Facts) -> Estimate:
    """Against a memory that is shown to add less than the margin: its content had little to lose.

    Takes `inert` and `inconclusive` from a drop.

    Source: STATISTICS 0c.2.
    """
    if row.p is None or kind_of(row) != "drop" or row.verdict not in _NOTHING_SHOWN:
        return row
    gain = facts.find(row, _gain(row))
    small = gain is not None and gain.high is not None and gain.high < facts.plan.rules.margin
    if gain is None or not (small or gain.verdict == "none"):
        return row
    return row.given("untestable", Reason.NOTHING_TO_CARRY, {"margin": facts.plan.rules.margin})


def utility_not_established(row: Estimate, facts: Facts) -> Estimate:
    """Against a memory that is not shown to help: no damage to it could have cost anything.

    Takes `inert` from drops (`inconclusive`), from content effects and from contrasts of which neither memory
    helps (`untestable`), and every word of a retention: there is no share of a utility to speak of.

    Source: STATISTICS 0c.2.
    """
    if row.p is None or (row.verdict != "inert" and row.estimand != "retention"):
        return row
    gains = [_gain(row), *([utility(row.versus)] if row.estimand == "contrast" else [])]
    utilities = (facts.find(row, gain) for gain in gains)
    if any(utility is not None and utility.verdict == "helps" for utility in utilities):
        return row
    if row.estimand == "contrast":
        return row.given("untestable", Reason.NEITHER_HELPS)
    word = "inconclusive" if kind_of(row) == "drop" else "untestable"
    return row.given(word, Reason.NO_UTILITY)


def _gain(row: Estimate) -> Contrast:
    return instructed_utility(row.arm) if row.estimand == "instructed" else utility(row.arm)


def backbones_differ(row: Estimate, facts: Facts) -> Estimate:
    """Against a mean over backbones that hides an effect on one of them. Takes `inert`."""
    if row.verdict != "inert" or row.backbone != ALL:
        return row
    alpha = facts.plan.rules.alpha
    for single in _on_each_backbone(row, facts):
        if single.effect_alone(alpha) and not single.within(alpha):
            because: Because = {
                "backbone": single.backbone,
                "estimate": single.estimate or 0.0,
                "p": single.p or 0.0,
            }
            return row.given("inconclusive", Reason.BACKBONES_DIFFER, because)
    return row


def effects_cancel(row: Estimate, facts: Facts) -> Estimate:
    """Against gains and losses that cancel between tasks, or repeats too few to tell. Takes `inert`.

    Source: STATISTICS 0c.3.
    """
    if row.verdict != "inert":
        return row
    for single in _on_each_backbone(row, facts):
        cancellation = facts.of(single).cancellation
        if cancellation is not None and cancellation.verdict in ("present", "not measurable"):
            why = (
                cancellation.reason if row.backbone != ALL else f"on {single.backbone} {cancellation.reason}"
            )
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
    if carried is None or carried.effect_alone(facts.plan.rules.alpha) <= 0:
        return row
    return row.given("inconclusive", Reason.MOST_OF_UTILITY)


def _on_each_backbone(row: Estimate, facts: Facts) -> tuple[Estimate, ...]:
    """The rows that a mean over all backbones is the mean of; of any other row, itself."""
    if row.backbone != ALL:
        return (row,)
    return tuple(
        other for other in facts.rows.values() if other.key[1:] == row.key[1:] and other.backbone != ALL
    )
