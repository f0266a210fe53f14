"""The guards in the order in which they act. Nothing outside this list changes a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from loadbearing.analysis.result import Estimate
from loadbearing.analysis.verdicts.facts import Facts
from loadbearing.analysis.verdicts.guards.content import (
    actions_differ,
    backbones_differ,
    effects_cancel,
    most_of_the_utility,
    oddity,
    placebo_moves,
    rewording,
)
from loadbearing.analysis.verdicts.guards.room import (
    ceiling,
    floor,
    nothing_to_carry,
    utility_not_established,
)
from loadbearing.analysis.verdicts.guards.run import (
    advice_check,
    boundaries,
    interim,
    not_applicable,
    not_delivered,
    positive_control,
)

Guard = Callable[[Estimate, Facts], Estimate]
"""A pure function: it returns the row as it is, or with another word and the reason for it."""

GUARDS: tuple[Guard, ...] = (
    # was there anything to lose?
    floor,
    ceiling,
    nothing_to_carry,
    utility_not_established,
    # is a mean within the margin no effect?
    backbones_differ,
    effects_cancel,
    actions_differ,
    most_of_the_utility,
    # is a fall the content's?
    placebo_moves,
    oddity,
    rewording,
    # did the experiment take place? These overrule what came before
    not_delivered,
    not_applicable,
    advice_check,
    # could this run have seen content at work? This asks for the positive control as it stands by now
    positive_control,
    # and may it be said yet?
    interim,
    boundaries,
)


def guarded(rows: Sequence[Estimate], facts: Facts) -> tuple[Estimate, ...]:
    """The rows after all guards. Each guard sees every row as the one before it has left them.

    Args:
        rows: with the words that the rule gave.
        facts: `facts.rows` is not read: the guards see the rows given here.
    """
    now = tuple(rows)
    for guard in GUARDS:
        facts = replace(facts, rows={row.key: row for row in now})
        now = tuple(guard(row, facts) for row in now)
    return now
