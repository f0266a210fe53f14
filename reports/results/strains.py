"""Theory-transfer watch: where a gate does not apply, is never satisfied, or two pull against each other."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from loadbearing.ledger.rows import CondensationRow
from loadbearing.reports.base.escape import brief
from loadbearing.reports.base.lookup import grouped
from loadbearing.reports.model.play import Strain, StrainRow

FLAGS = ("WARN", "FAIL")
LONGEST = 200
"""Characters of an example."""
Rounds = list[dict[str, Mapping[str, Any]]]
"""What was found about one item in each round, by gate."""


def strain_rows(rows: Iterable[CondensationRow]) -> tuple[StrainRow, ...]:
    """A row a condenser, strain and gate or pair of gates, with its first example; frequent ones first."""
    seen = [
        ((row.condenser, strain, gates), brief(f"{row.task}: {found['reason']}", LONGEST))
        for row in rows
        for rounds in _items(row.body)
        for strain, gates, found in _strains(rounds)
    ]
    groups = [(place, [text for _, text in own]) for place, own in grouped(seen, lambda one: one[0]).items()]
    return tuple(
        StrainRow(condenser=condenser, strain=strain, gates=gates, items=len(examples), example=examples[0])
        for (condenser, strain, gates), examples in sorted(
            groups, key=lambda one: (one[0][:2], -len(one[1]), one[0][2])
        )
    )


def _items(body: Mapping[str, Any]) -> Iterator[Rounds]:
    """The rounds of each item; what was found before items were numbered is left out."""
    items: dict[int, Rounds] = defaultdict(list)
    for one in body["findings"]:
        if "item" not in one:
            continue
        rounds = items[one["item"]]
        while len(rounds) <= one["round"]:
            rounds.append({})
        rounds[one["round"]][one["gate"]] = one
    return iter(items.values())


def _strains(rounds: Rounds) -> Iterator[tuple[Strain, str, Mapping[str, Any]]]:
    """Each strain of one item, with its gates and the finding that shows it."""
    first, last = rounds[0], rounds[-1]
    for gate, one in first.items():
        if one["finding"] == "NOT_APPLICABLE":
            yield "does not apply", gate, one
    for gate, one in last.items():
        if len(rounds) > 1 and all(gate in each and each[gate]["finding"] in FLAGS for each in rounds):
            yield "never satisfied", gate, one
    pulls: dict[tuple[str, str], Mapping[str, Any]] = {}
    for before, after in pairwise(rounds):
        flags = [{gate for gate, one in each.items() if one["finding"] in FLAGS} for each in (before, after)]
        for ended in flags[0] - flags[1]:
            for begun in (flags[1] - flags[0]) & before.keys():
                pulls[ended, begun] = after[begun]
    for pair in sorted(pulls):
        if pair < pair[::-1] and pair[::-1] in pulls:
            yield "pull against each other", ", ".join(pair), pulls[pair]
