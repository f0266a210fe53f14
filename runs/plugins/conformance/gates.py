"""What every gate must do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, get_args

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import passages
from loadbearing.gates.gate import Finding, Gate
from loadbearing.judges.question import Verdict
from loadbearing.memory.item import Item
from loadbearing.memory.markdown import render
from loadbearing.runs.plugins.conformance.fixtures import EMPTY, ITEMS, PRESS, trajectories
from loadbearing.runs.plugins.conformance.law import Law, Seen


class Case(NamedTuple):
    """A draft judged twice by one gate and once by a fresh one. Drafts are good and bad ones."""

    gate: str
    item: Item
    trace: Trajectory
    found: Finding
    again: Finding
    fresh: Finding


def _misquoted(case: Case) -> str:
    """Evidence is verbatim; only ERROR and NOT_APPLICABLE come without."""
    found, quote = case.found, case.found.quote or ""
    texts = (render(case.item),) if found.where == "item" else passages(case.trace)
    if found.finding in ("ERROR", "NOT_APPLICABLE") or (quote and any(quote in text for text in texts)):
        return ""
    return f"{found.finding} quotes {quote[:60]!r}"


def _unstable(case: Case) -> str:
    same = case.found == case.again == case.fresh
    return "" if same else f"{case.again.finding} after {case.found.finding}"


def _counted(cases: list[Case]) -> str:
    counts = Counter(case.found.finding for case in cases).most_common()
    return ", ".join(f"{n} {word}" for word, n in counts)


def _law(
    name: str, counted: str, wrong: Callable[[Case], str], note: Callable[[list[Case]], str] = lambda _: ""
) -> Law[Gate]:
    async def look(make: Callable[[], Gate]) -> Seen:
        gate, fresh = make(), make()
        cases = [
            Case(gate.name, item, trace, *[await one(item, trace) for one in (gate, gate, fresh)])
            for item in ITEMS
            for trace in (PRESS, *trajectories()[:2], EMPTY)
        ]
        return Seen([wrong(case) for case in cases], note(cases))

    return Law(name, counted, look)


LAWS: tuple[Law[Gate], ...] = (
    _law(
        "it answers one of the five",
        "drafts judged",
        lambda case: "" if case.found.finding in get_args(Verdict) else repr(case.found.finding),
        _counted,
    ),
    _law(
        "it does not break",
        "drafts judged",
        lambda case: case.found.reason if case.found.finding == "ERROR" else "",
    ),
    _law("the quote stands where it says", "findings read", _misquoted),
    _law("same draft same finding", "drafts judged three times", _unstable),
    _law(
        "it signs its findings",
        "findings signed",
        lambda case: "" if case.found.gate == case.gate else repr(case.found.gate),
    ),
)
