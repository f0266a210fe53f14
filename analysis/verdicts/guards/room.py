"""Guards against too little room: where nothing could have been lost, no word on the content stands."""

from loadbearing.analysis.estimands.contrast import Contrast, utility
from loadbearing.analysis.estimands.secondary import instructed_utility
from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.verdicts.facts import Facts
from loadbearing.analysis.verdicts.rules import kind_of

_ROUNDING = 1e-9  # a mean of .2 may stand a hair above it in binary
_NOTHING_SHOWN = ("inert", "inconclusive")


def floor(row: Estimate, facts: Facts) -> Estimate:
    """Against scores so low that no drop could be seen: `untestable`.

    It takes any word from a contrast, and any but `reversed` from a drop: a floor leaves all the room for a
    rise.
    """
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
    small = gain is not None and gain.high is not None and gain.high < facts.plan.margin
    if gain is None or not (small or gain.verdict == "none"):
        return row
    return row.given("untestable", Reason.NOTHING_TO_CARRY, {"margin": facts.plan.margin})


def utility_not_established(row: Estimate, facts: Facts) -> Estimate:
    """Against a memory that is not shown to help: no damage to it could have cost anything.

    Takes `inert` from drops (`inconclusive`), from content effects and from contrasts of which neither memory
    helps (`untestable`), and every word of a retention: there is no share of a utility to speak of.

    Source: STATISTICS 0c.2.
    """
    if row.p is None or (row.verdict != "inert" and row.estimand != "retention"):
        return row
    gains = [_gain(row), *([utility(row.versus)] if row.estimand == "contrast" else [])]
    found = (facts.find(row, gain) for gain in gains)
    if any(one is not None and one.verdict == "helps" for one in found):
        return row
    if row.estimand == "contrast":
        return row.given("untestable", Reason.NEITHER_HELPS)
    word = "inconclusive" if kind_of(row) == "drop" else "untestable"
    return row.given(word, Reason.NO_UTILITY)


def _gain(row: Estimate) -> Contrast:
    """The utility that a row has to be read beside."""
    return instructed_utility(row.arm) if row.estimand == "instructed" else utility(row.arm)
