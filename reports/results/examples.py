"""Worked examples: a few pairs of trials, intact and damaged, chosen by a fixed rule."""

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from itertools import zip_longest
from typing import Any

from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.reserved_names import INTACT, NONE, ORACLE
from loadbearing.reports.inputs.cells import score_of
from loadbearing.reports.model.play import Example, ExampleSide, Said, Turn

MOST = 3
LONGEST = 3_000
_LOOKED_AT = 60  # pairs whose episodes are read before giving up
_FIRST = ("corrupt_invert", "irrelevant_swap")


def worked_examples(ledger: Ledger, trials: Sequence[TrialRow], plan: RunPlan) -> tuple[Example, ...]:
    """At most three pairs of trials of the same backbone, arm, task and repeat; all are in the plan's order.

    Pairs with different outcomes come first, whichever way they differ; then pairs in which the agent acted
    otherwise. Among these: other arms than the positive control, an arm and a condition not shown yet,
    inverted and swapped content, then the plan's order. Trials with an error, without an item, or whose
    memory text was not delivered are no example.
    """
    usable = [
        one
        for one in trials
        if one.arm != NONE and one.status != "error" and not one.empty_slot and not one.undelivered
    ]
    intact = {(t.backbone, t.arm, t.task, t.repeat): t for t in usable if t.condition == INTACT}
    pairs = [(intact.get((t.backbone, t.arm, t.task, t.repeat)), t) for t in usable if t.condition != INTACT]
    left = [(whole, damaged) for whole, damaged in pairs if whole is not None and whole.slot != damaged.slot]
    found: list[Example] = []

    def rank(pair: tuple[TrialRow, TrialRow]) -> tuple[int, ...]:
        """The lowest comes first; of equals the first in the plan's order."""
        whole, damaged = pair
        again = sum((one.arm == damaged.arm) + (one.condition == damaged.condition) for one in found)
        place = _FIRST.index(damaged.condition) if damaged.condition in _FIRST else len(_FIRST)
        same_task = sum((one.backbone, one.task) == (damaged.backbone, damaged.task) for one in found)
        alike = score_of(whole, plan.outcome) == score_of(damaged, plan.outcome)
        return int(alike), int(damaged.arm == ORACLE), again, place, same_task

    while len(found) < MOST:
        for pair in nsmallest(_LOOKED_AT, left, key=rank):
            turn, alike = _turn_of(ledger, *pair), rank(pair)[0]
            if turn is not None or not alike:
                found.append(_shown(ledger, *pair, alike=bool(alike), turn=turn))
                left.remove(pair)
                break
        else:
            break
    return tuple(found)


def _shown(ledger: Ledger, intact: TrialRow, damaged: TrialRow, alike: bool, turn: Turn | None) -> Example:
    before, after = (
        ExampleSide(
            key=one.key,
            outcome=one.status,
            score=one.score,
            cause=cut(one.cause),
            text=cut(ledger.slot(one.slot) or ""),
        )
        for one in (intact, damaged)
    )
    return Example(
        backbone=damaged.backbone,
        arm=damaged.arm,
        condition=damaged.condition,
        task=damaged.task,
        repeat=damaged.repeat,
        differs="actions" if alike else "outcome",
        before=before,
        after=after,
        turn=turn,
    )


def _turn_of(ledger: Ledger, intact: TrialRow, damaged: TrialRow) -> Turn | None:
    """The first turn, counted from 1, in which the two acted differently; None where there is none."""
    before, after = ledger.episode(intact.key), ledger.episode(damaged.key)
    if before is None or after is None:
        return None
    for number, (one, other) in enumerate(zip_longest(before.steps, after.steps), 1):
        if one is None or other is None or one.get("action") != other.get("action"):
            return Turn(number=number, before=_said(one), after=_said(other))
    return None


def _said(step: Mapping[str, Any] | None) -> Said | None:
    """Thought and action; None where the episode had ended before this turn."""
    if step is None:
        return None
    return Said(thought=cut(str(step.get("thought", ""))), action=cut(str(step.get("action", ""))))


def cut(text: str) -> str:
    """Text of moderate length; how much was left out is said at its end."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… [cut here: {len(text) - LONGEST:,} more characters]"
