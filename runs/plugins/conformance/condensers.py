"""What every condenser keeps."""

from __future__ import annotations

from collections.abc import Callable

from loadbearing.condensers.condenser import MOST_ITEMS, Condensation, Condenser
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.memory.item import NativeItem, ProseItem, TheoryItem, item_from_json, item_to_json
from loadbearing.memory.markdown import render
from loadbearing.runs.plugins.conformance.fixtures import EMPTY, trajectories
from loadbearing.runs.plugins.conformance.law import Law, Seen, all_of

Make = Callable[[], Condenser]


async def successes_and_failures_are_read(make: Make) -> Seen:
    """A fault is what broke on the way; a trajectory from which nothing is kept is none."""
    condenser = make()
    made = [await condenser(trace) for trace in _runs()]
    wrong = [fault for one in made for fault in one.faults]
    n = sum(len(one.items) for one in made)
    passed, seen = all_of(wrong, len(made), "trajectories condensed")
    return passed, f"{seen}; {n} items" if passed else seen


async def a_trajectory_without_steps_does_no_harm(make: Make) -> Seen:
    """An agent that was refused at once leaves one behind."""
    made = await make()(EMPTY)
    return True, made.faults[0] if made.faults else f"{len(made.items)} items"


async def at_most_three_items(make: Make) -> Seen:
    """More would be more memory, not better memory."""
    condenser = make()
    made = [await condenser(trace) for trace in _runs()]
    wrong = [f"{len(one.items)} items of {one.trace_id}" for one in made if len(one.items) > MOST_ITEMS]
    return all_of(wrong, len(made), "condensations counted")


async def items_are_text_and_come_back_from_the_ledger(make: Make) -> Seen:
    """What is stored is read again when a run goes on."""
    condenser = make()
    items = [item for trace in _runs() for item in (await condenser(trace)).items]
    wrong = [
        f"{item!r}"[:80]
        for item in items
        if not isinstance(item, NativeItem | TheoryItem | ProseItem)
        or not render(item).strip()
        or item_from_json(item_to_json(item)) != item
    ]
    return all_of(wrong, len(items), "items stored and read")


async def same_answers_same_items(make: Make) -> Seen:
    """A fresh one that gets the same trajectories and the same answers makes the same memory."""
    one, other = make(), make()
    wrong = []
    for trace in _runs():
        first, second = _shown(await one(trace)), _shown(await other(trace))
        if first != second:
            wrong.append(f"{second!r} after {first!r}"[:160])
    return all_of(wrong, len(_runs()), "trajectories condensed twice")


async def it_says_whose_memory_it_is(make: Make) -> Seen:
    """The trace and the condenser stand in the condensation."""
    condenser = make()
    made = [(trace, await condenser(trace)) for trace in _runs()]
    wrong = [
        f"trace {one.trace_id!r} by {one.condenser!r}"
        for trace, one in made
        if (one.trace_id, one.condenser) != (trace.trace_id, condenser.name)
    ]
    return all_of(wrong, len(made), "condensations signed")


LAWS: tuple[Law[Condenser], ...] = (
    successes_and_failures_are_read,
    a_trajectory_without_steps_does_no_harm,
    at_most_three_items,
    items_are_text_and_come_back_from_the_ledger,
    same_answers_same_items,
    it_says_whose_memory_it_is,
)


def _runs() -> tuple[Trajectory, ...]:
    """Two successes and two failures; a condenser may be slow."""
    return trajectories()[:4]


def _shown(made: Condensation) -> list[str]:
    return [render(item) for item in made.items]
