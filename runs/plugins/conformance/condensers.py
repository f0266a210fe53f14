"""What every condenser must do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from loadbearing.condensers.condenser import MOST_ITEMS, Condensation, Condenser
from loadbearing.memory.item import NativeItem, ProseItem, TheoryItem, item_from_json, item_to_json
from loadbearing.memory.markdown import render
from loadbearing.runs.plugins.conformance.fixtures import EMPTY, trajectories
from loadbearing.runs.plugins.conformance.law import Law, Seen

Make = Callable[[], Condenser]


class Case(NamedTuple):
    """A trajectory condensed by one condenser and by a fresh one, with the same answers of the model."""

    signature: tuple[str, str]
    made: Condensation
    fresh: Condensation


async def _no_steps(make: Make) -> Seen:
    """An agent whose first request was refused leaves a trajectory without steps."""
    made = await make()(EMPTY)
    return Seen([], made.faults[0] if made.faults else f"{len(made.items)} items")


def _unreadable(case: Case) -> str:
    """What is stored is read again when a run is resumed."""
    for item in case.made.items:
        known = isinstance(item, NativeItem | TheoryItem | ProseItem)
        if not known or not render(item).strip() or item_from_json(item_to_json(item)) != item:
            return f"{item!r}"[:80]
    return ""


def _unstable(case: Case) -> str:
    first, second = ([render(item) for item in made.items] for made in (case.made, case.fresh))
    return "" if first == second else f"{second!r} after {first!r}"[:160]


def _unsigned(case: Case) -> str:
    """The trace and the condenser stand in the condensation."""
    right = (case.made.trace_id, case.made.condenser) == case.signature
    return "" if right else f"trace {case.made.trace_id!r} by {case.made.condenser!r}"


def _law(name: str, counted: str, wrong: Callable[[Case], str], noted: bool = False) -> Law[Condenser]:
    async def look(make: Make) -> Seen:
        one, fresh = make(), make()
        # two successes and two failures; a condenser may be slow
        cases = [
            Case((trace.trace_id, one.name), await one(trace), await fresh(trace))
            for trace in trajectories()[:4]
        ]
        n_items = sum(len(case.made.items) for case in cases)
        return Seen([wrong(case) for case in cases], f"{n_items} items" if noted else "")

    return Law(name, counted, look)


LAWS: tuple[Law[Condenser], ...] = (
    _law(
        "successes and failures are read",
        "trajectories condensed",
        lambda case: next(iter(case.made.faults), ""),
        noted=True,
    ),
    Law("a trajectory without steps does no harm", "", _no_steps),
    _law(
        "at most three items",
        "condensations counted",
        lambda case: f"{len(case.made.items)} items" if len(case.made.items) > MOST_ITEMS else "",
    ),
    _law("items are text and come back from the ledger", "condensations stored and read", _unreadable),
    _law("same answers same items", "trajectories condensed twice", _unstable),
    _law("it says whose memory it is", "condensations signed", _unsigned),
)
