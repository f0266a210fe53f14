"""Guards of `load-bearing`: a fall may owe nothing to the content. They make it `inconclusive`.

A drop speaks of content where the damage costs more than its own oddity placebo, or where none was played and
the damaged text reads as intact texts do (STATISTICS 0d.1, 0e.6). What the agent does is asked in
`obedience.py`.
"""

from memtrial.analysis.estimands.contrast import (
    ABSENT,
    CARRIES,
    COUNTER,
    INVERTED,
    beyond_placebo,
    content_effect,
    contents_apart,
    drop,
    follow,
    oddity_of,
)
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import Facts


def placebo_moves(row: Estimate, facts: Facts) -> Estimate:
    """Against a fall under the placebo itself, which keeps the meaning. Takes `load-bearing`."""
    if not falls(row) or row.condition != facts.plan.placebo:
        return row
    return row.given("inconclusive", Reason.PLACEBO_MOVES)


def no_content_evidence(row: Estimate, facts: Facts) -> Estimate:
    """Against a run or a table with neither `counter` nor an oddity placebo: content and startle look alike.

    Takes `load-bearing`.
    """
    if not falls(row) or facts.run.fluent is None or asks_for_content(facts):
        return row
    return row.given("inconclusive", Reason.NO_CONTENT_EVIDENCE)


def oddity(row: Estimate, facts: Facts) -> Estimate:
    """Against an agent that stumbles over odd text. Takes `load-bearing`.

    Where the damage's own oddity placebo was played, the damage has to cost more.
    Elsewhere damage passes that reads as intact texts do, and an inversion that is vouched for. Vouching also
    settles it where the placebo fitted fewer than half of the units. Of a table it is not known how a text
    reads. It comes after `adherence`, for it reads the word of `counter`.

    Source: STATISTICS 0d.1, 0e.6 and 0e.7.
    """
    if not falls(row) or row.condition in ABSENT:
        return row
    content = facts.find(row, content_effect(row.arm, row.condition))
    if content is not None and content.effect(facts.plan.rules.alpha) > 0:
        return row
    if (content is None or 2 * content.n_clusters < row.n_clusters) and _is_vouched(row, facts):
        return row
    if content is not None:
        because = {"effect": content.estimate or 0.0, "p": content.p_adjusted or 0.0}
        return row.given("inconclusive", Reason.ODDITY, because)
    if facts.run.fluent is None or facts.is_fluent(row, row.arm):
        return row
    return row.given("inconclusive", Reason.NO_ODDITY_PLACEBO)


def _is_vouched(row: Estimate, facts: Facts) -> bool:
    """Whether what the agent does shows that an inversion costs by what it says, however oddly it says it.

    It holds against agents that read nothing, whatever they stumble over: none does what `counter` advises
    more often where it is advised. And against those that do what is named, whatever is said of it: they do
    not leave it undone when told to. It does not hold against one that at a negation does other things which
    the world takes: its acts are those of an agent that obeys.
    """
    if row.condition != INVERTED:
        return False
    vouching = facts.find(row, follow(row.arm)), facts.find(row, drop(row.arm, COUNTER)), facts.polarity(row)
    words = tuple(other.verdict for other in vouching if other is not None)
    return words == ("follows", "load-bearing", "obeys")


def check_rewording(row: Estimate, facts: Facts) -> Estimate:
    """Against a fall that a rewording causes as well. Takes `load-bearing`.

    It acts where the damage is not shown to cost more than the placebo, and the placebo's own drop is shown
    among all drops, or is the larger one. A chance drop among many rewordings is none.

    Source: STATISTICS 0c.4 and 0e.8.
    """
    alpha, word = facts.plan.rules.alpha, facts.plan.placebo
    placebo = facts.find(row, drop(row.arm, word))
    beyond = facts.find(row, beyond_placebo(row.arm, row.condition, word))
    if not falls(row) or placebo is None or beyond is None or beyond.effect(alpha) > 0:
        return row
    if (beyond.estimate or 0.0) > 0 and placebo.effect(alpha) <= 0:
        return row
    because = {"placebo": placebo.estimate or 0.0, "p": beyond.p_adjusted or 0.0}
    return row.given("inconclusive", Reason.REWORDING, because)


def unreadable(row: Estimate, facts: Facts) -> Estimate:
    """Against replies that could not be read, or refusals, under damage: they say nothing of the content.

    Takes `load-bearing` where the drop is not shown once the trials lost to them count as solved.
    """
    less = facts.of(row).readable
    if not falls(row) or less is None or less.effect(facts.plan.rules.alpha) > 0:
        return row
    because = {"less": less.estimate or 0.0, "p": less.p_adjusted or 0.0}
    return row.given("inconclusive", Reason.UNREADABLE, because)


def presence(row: Estimate, facts: Facts) -> Estimate:
    """Against a fall where the block is gone: its presence may have helped, whatever it said.

    Takes `load-bearing`, except where the content is shown otherwise: the advice is followed, or damage that
    leaves a block is load-bearing.
    """
    if not falls(row) or row.condition not in ABSENT or facts.run.fluent is None:
        return row
    followed = facts.find(row, follow(row.arm))
    others = (facts.find(row, drop(row.arm, name)) for name in facts.plan.damages if name not in ABSENT)
    shown = any(other is not None and other.verdict == "load-bearing" for other in others)
    if shown or (followed is not None and followed.verdict == "follows"):
        return row
    return row.given("inconclusive", Reason.PRESENCE)


def carries_content(row: Estimate, facts: Facts) -> Estimate:
    """Against a share of the utility that is lost, but not with the content.

    Takes `carries` from a retention whose drop is not itself `load-bearing`.
    """
    own = facts.drop(row, row.arm)
    if (row.share, row.verdict) != (CARRIES, "carries") or own is None or own.verdict == "load-bearing":
        return row
    return row.given("inconclusive", Reason.DROP_NOT_CONTENT, {"word": own.verdict})


def coherence(row: Estimate, facts: Facts) -> Estimate:
    """Against a contrast whose larger drop is not itself load-bearing, or is due to odder text in one arm.

    Takes `load-bearing` and `reversed` from a contrast, and from the difference of two content effects.

    Source: STATISTICS 0d.2.
    """
    if row.estimand not in ("contrast", "content") or row.verdict not in ("load-bearing", "reversed"):
        return row
    if row.versus == oddity_of(row.condition):
        return row
    larger = row.arm if row.verdict == "load-bearing" else row.versus
    measure = drop if row.estimand == "contrast" else content_effect
    own = facts.find(row, measure(larger, row.condition))
    if own is not None and own.verdict != "load-bearing":
        return row.given("inconclusive", Reason.INCOHERENT, {"larger": larger, "word": own.verdict})
    if row.estimand == "content":
        return row
    apart = facts.find(row, contents_apart(row.arm, row.versus, row.condition))
    if apart is None:
        known = row.condition in ABSENT or all(facts.is_fluent(row, arm) for arm in (row.arm, row.versus))
        if known or facts.run.fluent is None:
            return row
        return row.given("inconclusive", Reason.NO_ODDITY_PLACEBO)
    effect = apart.effect(facts.plan.rules.alpha)
    if (effect if row.verdict == "load-bearing" else -effect) > 0:
        return row
    because = {"effect": apart.estimate or 0.0, "p": apart.p_adjusted or 0.0}
    return row.given("inconclusive", Reason.ODDITY_APART, because)


def falls(row: Estimate) -> bool:
    """A drop that is called load-bearing so far."""
    return row.estimand == "drop" and row.verdict == "load-bearing"


def asks_for_content(facts: Facts) -> bool:
    """Whether a condition of the run tells content from startle."""
    plan = facts.plan
    return COUNTER in plan.conditions or any(oddity_of(name) in plan.conditions for name in plan.damages)
