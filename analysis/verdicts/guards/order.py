"""The guards in the order in which they act. Nothing outside this list changes a verdict."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import Facts
from memtrial.analysis.verdicts.guards import content, obedience, room, whole_run

Guard = Callable[[Estimate, Facts], Estimate]
"""A pure function: it returns the row as it is, or with another word and the reason for it."""

GUARDS: tuple[Guard, ...] = (
    # was there anything to lose?
    room.floor,
    room.ceiling,
    room.nothing_to_carry,
    room.utility_not_established,
    # does a mean within the margin hide effects?
    room.backbones_differ,
    room.effects_cancel,
    room.actions_differ,
    room.most_of_the_utility,
    # does a fall come from the content?
    content.placebo_moves,
    content.no_content_evidence,
    content.check_rewording,
    content.unreadable,
    obedience.both_halves,
    obedience.adherence,
    content.oddity,
    content.presence,
    content.carries_content,
    # would the score have moved without any text?
    whole_run.negative_control,
    # did the experiment take place? These overrule what came before
    whole_run.not_delivered,
    whole_run.not_applicable,
    whole_run.advice_check,
    # does the larger drop of two come from the content? Reads the drops after all guards above
    content.coherence,
    # could this run show an effect of content? Reads the positive control's verdict after the guards above
    whole_run.positive_control,
    # may a hypothesis be decided yet?
    whole_run.interim,
    whole_run.boundaries,
)


def apply_guards(
    rows: Sequence[Estimate], facts: Facts, guards: Sequence[Guard] = GUARDS
) -> tuple[Estimate, ...]:
    """The rows after all guards. Each guard sees all rows as the previous guard returned them.

    Args:
        rows: with the words that the rule gave.
        facts: `facts.rows` is not read: the guards see the rows given here.
    """
    now = tuple(rows)
    for guard in guards:
        facts = replace(facts, rows={row.key: row for row in now})
        now = tuple(guard(row, facts) for row in now)
    return now
