"""What every gate keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import get_args

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import passages
from loadbearing.gates.gate import Finding, Gate
from loadbearing.judges.question import Verdict
from loadbearing.memory.item import Item
from loadbearing.memory.markdown import render
from loadbearing.runs.plugins.conformance.fixtures import EMPTY, ITEMS, PRESS, trajectories
from loadbearing.runs.plugins.conformance.law import Law, Seen, all_of

Make = Callable[[], Gate]
Case = tuple[Item, Trajectory, Finding]


async def it_answers_one_of_the_five(make: Make) -> Seen:
    """On good drafts and bad ones, with and without a run behind them."""
    cases = await _cases(make())
    wrong = [f"{found.finding!r}" for _, _, found in cases if found.finding not in get_args(Verdict)]
    counts = Counter(found.finding for _, _, found in cases)
    passed, seen = all_of(wrong, len(cases), "drafts judged")
    return (
        passed,
        f"{seen}: {', '.join(f'{n} {word}' for word, n in counts.most_common())}" if passed else seen,
    )


async def it_does_not_break(make: Make) -> Seen:
    """An ERROR leaves an item out through no fault of its own."""
    cases = await _cases(make())
    wrong = [found.reason for _, _, found in cases if found.finding == "ERROR"]
    return all_of(wrong, len(cases), "drafts judged")


async def the_quote_stands_where_it_says(make: Make) -> Seen:
    """Evidence is verbatim; only ERROR and NOT_APPLICABLE come without."""
    cases = await _cases(make())
    wrong = []
    for item, trajectory, found in cases:
        if found.finding in ("ERROR", "NOT_APPLICABLE"):
            continue
        texts = (render(item),) if found.where == "item" else passages(trajectory)
        if not found.quote or not any(found.quote in text for text in texts):
            wrong.append(f"{found.finding} quotes {(found.quote or '')[:60]!r}")
    return all_of(wrong, len(cases), "findings read")


async def same_draft_same_finding(make: Make) -> Seen:
    """Twice by one object, and once more by a fresh one."""
    gate = make()
    one, again, other = await _cases(gate), await _cases(gate), await _cases(make())
    wrong = [
        f"{second[2].finding} after {first[2].finding}"
        for first, second, third in zip(one, again, other, strict=True)
        if not first[2] == second[2] == third[2]
    ]
    return all_of(wrong, len(one), "drafts judged three times")


async def it_signs_its_findings(make: Make) -> Seen:
    """The gate's name stands in each."""
    gate = make()
    cases = await _cases(gate)
    wrong = [f"{found.gate!r}" for _, _, found in cases if found.gate != gate.name]
    return all_of(wrong, len(cases), "findings signed")


LAWS: tuple[Law[Gate], ...] = (
    it_answers_one_of_the_five,
    it_does_not_break,
    the_quote_stands_where_it_says,
    same_draft_same_finding,
    it_signs_its_findings,
)


async def _cases(gate: Gate) -> list[Case]:
    traces = (PRESS, *trajectories()[:2], EMPTY)
    return [(item, trace, await gate(item, trace)) for item in ITEMS for trace in traces]
