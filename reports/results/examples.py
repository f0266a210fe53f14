"""Worked examples: a few pairs of trials, intact and damaged, chosen by a fixed rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest
from itertools import zip_longest
from typing import Any, Literal

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

_Pair = tuple[TrialRow, TrialRow]
"""The intact and the damaged trial."""


def worked_examples(ledger: Ledger, trials: Sequence[TrialRow], plan: RunPlan) -> tuple[Example, ...]:
    """At most three pairs of trials of the same backbone, arm, task and repeat; all are in the plan's order.

    Pairs with different outcomes come first, whichever way they differ; then pairs in which the agent acted
    otherwise. Among these: other arms than the positive control, an arm and a condition not shown yet,
    inverted and swapped content, then the plan's order. Trials with an error, without an item, or whose
    memory text was not delivered are no example.
    """
    apart, alike = _pairs(trials, plan)
    chosen = _choose(apart, (), lambda _: True)
    more = _choose(alike, chosen, lambda pair: _turn_of(ledger, *pair) is not None)
    differing = [_shown(ledger, *pair, "outcome") for pair in chosen]
    return (*differing, *(_shown(ledger, *pair, "actions") for pair in more))


def _pairs(trials: Sequence[TrialRow], plan: RunPlan) -> tuple[list[_Pair], list[_Pair]]:
    """Pairs whose outcomes differ, and the others."""
    usable = [
        trial
        for trial in trials
        if trial.arm != NONE and trial.status != "error" and not trial.empty_slot and not trial.undelivered
    ]
    intact = {(t.backbone, t.arm, t.task, t.repeat): t for t in usable if t.condition == INTACT}
    apart: list[_Pair] = []
    alike: list[_Pair] = []
    for trial in usable:
        whole = intact.get((trial.backbone, trial.arm, trial.task, trial.repeat))
        if trial.condition == INTACT or whole is None or whole.slot == trial.slot:
            continue
        differs = score_of(whole, plan.outcome) != score_of(trial, plan.outcome)
        (apart if differs else alike).append((whole, trial))
    return apart, alike


def _choose(
    pairs: Sequence[_Pair], chosen: Sequence[_Pair], tells: Callable[[_Pair], bool]
) -> tuple[_Pair, ...]:
    """Pairs to add to the chosen that tell something, until there are three or too many were tried."""
    found: list[_Pair] = []
    left = list(pairs)
    while left and len(chosen) + len(found) < MOST:
        rank = _rank([damaged for _, damaged in (*chosen, *found)])
        best = next((pair for pair in nsmallest(_LOOKED_AT, left, key=rank) if tells(pair)), None)
        if best is None:
            break
        found.append(best)
        left.remove(best)
    return tuple(found)


def _rank(chosen: Sequence[TrialRow]) -> Callable[[_Pair], tuple[int, ...]]:
    """The lowest comes first; of equals the first in the plan's order."""
    arms = [trial.arm for trial in chosen]
    conditions = [trial.condition for trial in chosen]
    tasks = [(trial.backbone, trial.task) for trial in chosen]

    def rank(pair: _Pair) -> tuple[int, ...]:
        trial = pair[1]
        place = _FIRST.index(trial.condition) if trial.condition in _FIRST else len(_FIRST)
        again = arms.count(trial.arm) + conditions.count(trial.condition)
        return int(trial.arm == ORACLE), again, place, tasks.count((trial.backbone, trial.task))

    return rank


def _shown(
    ledger: Ledger, intact: TrialRow, damaged: TrialRow, differs: Literal["outcome", "actions"]
) -> Example:
    return Example(
        backbone=damaged.backbone,
        arm=damaged.arm,
        condition=damaged.condition,
        task=damaged.task,
        repeat=damaged.repeat,
        differs=differs,
        before=_side(ledger, intact),
        after=_side(ledger, damaged),
        turn=_turn_of(ledger, intact, damaged),
    )


def _side(ledger: Ledger, trial: TrialRow) -> ExampleSide:
    text = cut(ledger.slot(trial.slot) or "")
    return ExampleSide(
        key=trial.key, outcome=trial.status, score=trial.score, cause=cut(trial.cause), text=text
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
