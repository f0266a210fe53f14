"""Guards of a `load-bearing` drop: a fall may owe nothing to the content. Each makes it `inconclusive`."""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import drop
from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.secondary.content_effect import beyond_placebo, content_effect
from loadbearing.analysis.verdicts.facts import Facts


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
    return row.given(
        "inconclusive", Reason.ODDITY, {"effect": content.estimate or 0.0, "p": content.p or 0.0}
    )


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
    return row.given(
        "inconclusive", Reason.REWORDING, {"placebo": placebo.estimate or 0.0, "p": beyond.p or 0.0}
    )


def _falls(row: Estimate) -> bool:
    return row.estimand == "drop" and row.verdict == "load-bearing"
