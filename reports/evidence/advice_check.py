"""The decision check: damage that leaves the advice as it was tests nothing, and a placebo must leave it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from loadbearing.analysis.behaviour.distance import canonical
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Analysis, Estimate
from loadbearing.analysis.verdicts.assemble import Place
from loadbearing.analysis.verdicts.positive_control import apply_positive_control
from loadbearing.ledger.rows import DecisionRow
from loadbearing.outcomes.reserved_names import ALL
from loadbearing.reports.inputs.planned import INTACT
from loadbearing.reports.text.reading import PLACEBO

Untestable = Mapping[Place, str]
"""Why nothing may be said of a condition, by place."""

NOTHING = "nothing"
FEWEST = 5
"""Slots whose intact text advises an action, below which nothing is concluded."""
MOST = 0.5
"""The share from which on it is most of them."""

_ARTICLES = frozenset({"a", "an", "the"})


def decision_rows(rows: Iterable[DecisionRow]) -> list[dict[str, Any]]:
    """`decision` of results.json: one row a backbone, arm and condition, sorted.

    `asked` counts slots read both intact and damaged, `advising` those whose intact text advises an action,
    `changed` those among these whose damaged text advises another or none. `twice` and `twice_changed` count
    the same for an intact slot that was read once more: the judge's own noise. `faults` could not be read.
    """
    said = tuple(rows)
    first, again = _by_place(said, 0), _by_place(said, 1)
    noise = {where: _compared(first[where], again.get(where, {})) for where in first}
    found = []
    for place in sorted(place for place in first if place[2] != INTACT):
        whole = (*place[:2], INTACT)
        intact = first.get(whole, {})
        asked, advising, changed = _compared(intact, first[place])
        _, twice, twice_changed = noise.get(whole, (0, 0, 0))
        row = {
            **dict(zip(("backbone", "arm", "condition"), place, strict=True)),
            "asked": asked,
            "advising": advising,
            "changed": changed,
            "twice": twice,
            "twice_changed": twice_changed,
            "faults": sum(bool(one.fault) for one in first[place].values()),
        }
        why, untestable = _judged(row)
        found.append(row | {"untestable": untestable, "reason": why})
    return found


def untestable_by_decision(rows: Iterable[DecisionRow]) -> dict[Place, str]:
    """Where the damage, or the placebo, did not do to the advice what it is there for."""
    return {
        (one["backbone"], one["arm"], one["condition"]): one["reason"]
        for one in decision_rows(rows)
        if one["untestable"]
    }


def withhold(analysis: Analysis, untestable: Untestable, plan: AnalysisPlan) -> Analysis:
    """Verdicts that rest on such a condition become `untestable`; without any, nothing changes.

    Where the positive control is concerned, `inert` is reconsidered for all others.
    """
    if not untestable:
        return analysis
    stale = apply_positive_control(analysis.estimates, plan)[1]
    marked = [_withheld(one, untestable) for one in analysis.estimates]
    judged, fresh = apply_positive_control(marked, plan)
    kept = tuple(note for note in analysis.notes if note not in stale)
    return replace(analysis, estimates=judged, notes=(*fresh, *kept))


def _withheld(estimate: Estimate, untestable: Untestable) -> Estimate:
    parts = estimate.condition.split("+")
    for (backbone, arm, condition), why in untestable.items():
        # a mean over backbones rests on each of them
        of_backbone = estimate.backbone in (backbone, ALL)
        if of_backbone and arm in (estimate.arm, estimate.versus) and condition in parts:
            return replace(estimate, verdict="untestable", reason=f"decision check: {why}")
    return estimate


def _by_place(rows: Sequence[DecisionRow], nth: int) -> dict[Place, dict[tuple[str, int], DecisionRow]]:
    found: dict[Place, dict[tuple[str, int], DecisionRow]] = defaultdict(dict)
    for row in rows:
        if row.nth == nth:
            found[row.backbone, row.arm, row.condition][row.task, row.repeat] = row
    return dict(found)


def _compared(
    intact: Mapping[tuple[str, int], DecisionRow], other: Mapping[tuple[str, int], DecisionRow]
) -> tuple[int, int, int]:
    """Slots read on both sides, those whose intact text advises an action, and those that changed."""
    pairs = [
        (intact[place], one)
        for place, one in other.items()
        if place in intact and not one.fault and not intact[place].fault
    ]
    advising = [(before, after) for before, after in pairs if _worded(before.action) != NOTHING]
    changed = sum(_worded(before.action) != _worded(after.action) for before, after in advising)
    return len(pairs), len(advising), changed


def _worded(action: str) -> str:
    return " ".join(word for word in canonical(action).split() if word not in _ARTICLES)


def _judged(row: Mapping[str, Any]) -> tuple[str, bool]:
    """What the counts say in words, and whether the condition is untestable."""
    advising, changed, name = row["advising"], row["changed"], row["condition"]
    counts = f"in {changed} of {advising} slots that advise an action at the start {name} changed it"
    if advising < FEWEST:
        return f"too few slots advise an action at the start ({advising}; {FEWEST} are needed)", False
    if row["twice"] and row["twice_changed"] / row["twice"] >= MOST:
        noise = f"{row['twice_changed']} of {row['twice']}"
        return f"the judge contradicts itself on the same intact slot in {noise}; nothing follows", False
    share = changed / advising
    if name == PLACEBO:
        return f"{counts}, and it is to keep the meaning", share >= MOST
    return counts, 1 - share >= MOST
