"""Guards that ask what the agent did: whether the advice is followed, both ways, and whether it is obeyed.

An agent that stumbles over a text does less of everything. So it does less of what is advised, but no more of
what other advice names (STATISTICS 0e.1 to 0e.5).
"""

from memtrial.analysis.estimands.contrast import (
    COUNTER,
    INVERTED,
    drop,
    follow,
    follow_other,
    oddity_of,
    polarity,
)
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Because, Estimate
from memtrial.analysis.verdicts.facts import Facts
from memtrial.analysis.verdicts.guards.content import falls


def both_halves(row: Estimate, facts: Facts) -> Estimate:
    """Against an agent that only stumbles where `counter` advises another action, and one that does that.

    Takes `follows` where it is not shown that the other action is done more often when it is advised, and
    `ignores` where it is not shown that it is not.

    Source: STATISTICS 0e.1.
    """
    if row.estimand != "follow" or row.verdict not in ("follows", "ignores") or row.versus != "intact":
        return row
    other = facts.find(row, follow_other(row.arm))
    if other is not None and other.verdict == row.verdict:
        return row
    because = _numbers(other)
    code = Reason.HALF_IGNORED if row.verdict == "ignores" else Reason.HALF_FOLLOWED
    return row.given("inconclusive", code, because)


def _numbers(half: Estimate | None) -> dict[str, float]:
    if half is None or half.p_adjusted is None:
        return {"follow": 0.0, "p": 1.0}
    return {"follow": half.estimate or 0.0, "p": half.p_adjusted}


def adherence(row: Estimate, facts: Facts) -> Estimate:
    """Against an agent that does not do what its memory tells, or of which that is not known.

    Takes `load-bearing`, also from what a drop exceeds a placebo by, where the agent is shown to ignore its
    memory or other advice in it. In a run it has to be shown that it does what it is told, on half as many
    units as the drop, or more: by both halves of *follow*, or by polarity where `counter` fits too few
    memories, as where they only tell to avoid. Where polarity is known it is asked as well, whatever the
    damage is: who does the same when told to do something and when told to avoid it reads nothing. Of an
    inversion it has to be known. Where acts are not seen, scores are asked for it: see `_ask_scores`.

    Source: STATISTICS 0e.1 to 0e.5.
    """
    if not _is_of_one_arm(row):
        return row
    followed = facts.find(row, follow(row.arm))
    if followed is not None and followed.verdict == "ignores":
        return row.given("inconclusive", Reason.IGNORED, {"follow": followed.estimate or 0.0})
    if facts.run.has_trials:
        row = _ask_acts(row, facts)
    elif facts.run.of_scores:
        row = _ask_scores(row, facts)
    countered = facts.find(row, drop(row.arm, COUNTER))
    if _is_of_one_arm(row) and countered is not None and countered.verdict == "inert":
        return row.given("inconclusive", Reason.COUNTER_INERT, {"estimate": countered.estimate or 0.0})
    return row


def _is_of_one_arm(row: Estimate) -> bool:
    """Whether it is said of one arm's damage that it costs the content."""
    beyond = row.estimand == "beyond placebo" or row.versus == oddity_of(row.condition)
    return falls(row) or (beyond and row.verdict == "load-bearing")


def _ask_acts(row: Estimate, facts: Facts) -> Estimate:
    halves = (facts.find(row, follow(row.arm)), facts.find(row, follow_other(row.arm)))
    turned = facts.polarity(row)
    measured = [half for half in halves if half is not None and 2 * half.n_clusters >= row.n_clusters]
    alpha = facts.plan.rules.alpha
    because: Because
    if len(measured) == len(halves):
        for half in measured:
            if half.effect(alpha) <= 0:
                what = "follow" if half.estimand == "follow" else "of what `counter` advises,"
                because = {"what": what, **_numbers(half)}
                return row.given("inconclusive", Reason.NOT_FOLLOWED, because)
        if turned is None and row.condition != INVERTED:
            return row
    if turned is None:
        few = facts.find(row, polarity(row.arm))
        asked = (few,) if len(measured) == len(halves) else (*halves, few)
        units = [other.n_clusters for other in asked if other is not None]
        return row.given("inconclusive", Reason.ADHERENCE_UNKNOWN, {"known": max(units, default=0)})
    if turned.effect(alpha) <= 0:
        because = {"polarity": turned.estimate or 0.0, "p": turned.p_adjusted or 0.0}
        return row.given("inconclusive", Reason.NOT_OBEYED, because)
    return row


def _ask_scores(row: Estimate, facts: Facts) -> Estimate:
    """What polarity asks, of scores: to be told the opposite has to cost something, beyond its placebo where
    that fits as many. Else an agent that does what is named, or that starts at foreign text, would pass.
    Of the inversion's own drop `content.oddity` asks it.

    Where no inversion is known, other advice has to cost something. A text about nothing, or a mask, also
    hides what the memory is about: who heeds that a topic is mentioned, whatever is said of it, falls there
    as a reader does. Of a table it is not asked, as its conditions may be anybody's.
    """
    turned = facts.turned(row)
    if falls(row) and row.condition == INVERTED:
        return row
    if turned is None:
        of_trials = facts.run.unseen and facts.run.fluent is not None
        return _ask_other_advice(row, facts) if of_trials and row.condition != COUNTER else row
    if turned.effect(facts.plan.rules.alpha) > 0:
        return row
    because = {"turned": turned.estimate or 0.0, "p": turned.p_adjusted or 0.0}
    return row.given("inconclusive", Reason.NOT_TURNED, because)


def _ask_other_advice(row: Estimate, facts: Facts) -> Estimate:
    """The score has to fall where other advice stands in the place of what the memory tells, known for half
    of the row's units or more."""
    other = facts.find(row, drop(row.arm, COUNTER))
    if other is None or 2 * other.n_clusters < row.n_clusters:
        return row.given(
            "inconclusive", Reason.ADHERENCE_UNKNOWN, {"known": 0 if other is None else other.n_clusters}
        )
    if other.effect(facts.plan.rules.alpha) > 0:
        return row
    because = {"effect": other.estimate or 0.0, "p": 1.0 if other.p_adjusted is None else other.p_adjusted}
    return row.given("inconclusive", Reason.TOPIC_ALONE, because)
