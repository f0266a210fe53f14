"""Interim analyses: play up to each one that was locked, take it, and stop where the rule says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict

from loadbearing.ledger.lock_facts import (
    Amendment,
    SeenHypothesis,
    TakenLook,
    add_numbered,
    locked,
    numbered,
    stated_plan,
)
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import now
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.evidence.monitoring import clusters_in_order, look_from, look_now, looks_of
from loadbearing.reports.inputs.trials import read_played
from loadbearing.runs.play.schedule import Ending
from loadbearing.runs.trials.trials import Block

Play = Callable[[tuple[Block, ...]], Awaitable[Ending]]


async def play_to_looks(
    ledger: Ledger, chosen: tuple[Block, ...], play: Play, say: Callable[[str], None]
) -> Ending:
    """Play the chosen blocks. Where looks were locked, none beyond a look is begun before it was taken.

    Args:
        chosen: the blocks to play now, in the order of the run.
        play: plays some blocks to their end.
        say: gets a line for every look.
    """
    plan = stated_plan(ledger)
    in_force = locked(ledger) is not None and not numbered(ledger, Amendment)
    looks = looks_of(plan) if in_force else None
    if looks is None:
        return await play(chosen)
    tasks = [task for cluster in clusters_in_order(plan) for task in cluster]
    for number, count in enumerate(looks.counts, 1):
        if ending := _stopped(ledger, plan):
            return ending
        upto = frozenset(tasks[:count])
        due = tuple(block for block in chosen if block.task.id in upto)
        chosen = tuple(block for block in chosen if block.task.id not in upto)
        ending = await play(due) if due else Ending()
        if ending.how != "done":
            return ending
        taken = tuple(look_from(one) for one in numbered(ledger, TakenLook))
        look = look_now(read_played(ledger, plan), plan, looks, taken)
        if look is not None:
            seen = tuple(SeenHypothesis(**asdict(one)) for one in look.seen)
            taken_now = TakenLook(
                made=now(), number=look.number, tasks=look.tasks, level=look.level, seen=seen, stop=look.stop
            )
            add_numbered(ledger, taken_now)
            decided = sum(one.crossed for one in look.seen)
            done = how_many(look.tasks, "task")
            say(f"look {look.number}, {done}: {decided} of {len(look.seen)} hypotheses decided")
        elif chosen and len(taken) < number:
            why = f"look {number} waits for blocks that cannot be trusted: --retry-damaged plays them again"
            return Ending("halted", why)
    return _stopped(ledger, plan) or Ending()


def _stopped(ledger: Ledger, plan: RunPlan) -> Ending | None:
    """How the run ended, where a look ended it before its last task."""
    last = next((one for one in numbered(ledger, TakenLook) if one.stop), None)
    if last is None or last.tasks >= plan.tasks:
        return None
    why = f"stopped at look {last.number}, after {last.tasks} of {plan.tasks} tasks, as it was locked"
    return Ending("boundary", why)
