"""Theory-transfer watch: where a gate does not apply, is never satisfied, or two pull against each other."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from loadbearing.ledger.rows import CondensationRow
from loadbearing.reports.base.escape import brief
from loadbearing.reports.model.play import Strain, StrainRow

FLAGS = ("WARN", "FAIL")
LONGEST = 200
"""Characters of an example."""
PULL: Strain = "pull against each other"
Rounds = list[dict[str, Mapping[str, Any]]]
"""What was found about one item in each round, by gate."""


def strain_rows(rows: Iterable[CondensationRow]) -> tuple[StrainRow, ...]:
    """A row a condenser, strain and gate or pair of gates, with the first example of each, sorted."""
    seen: dict[tuple[str, Strain, tuple[str, ...]], list[str]] = defaultdict(list)
    for row in rows:
        for rounds in _items(row.body):
            for strain, gates, found in _strains(rounds):
                example = brief(f"{row.task}: {found['reason']}", LONGEST)
                seen[row.condenser, strain, gates].append(example)
    told = []
    for (condenser, strain, gates), examples in sorted(seen.items()):
        if strain == PULL:
            # a pull is one only with its reverse; both are told as one
            back = seen.get((condenser, strain, gates[::-1]), []) if gates < gates[::-1] else []
            examples = [*examples, *back] if back else []
        if examples:
            told.append(
                StrainRow(
                    condenser=condenser,
                    strain=strain,
                    gates=", ".join(gates),
                    items=len(examples),
                    example=examples[0],
                )
            )
    return tuple(told)


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


def _strains(rounds: Rounds) -> Iterator[tuple[Strain, tuple[str, ...], Mapping[str, Any]]]:
    """Strain, gates and the finding that shows it; of a pull, which gate gave way to which, each once."""
    first, last = rounds[0], rounds[-1]
    for gate, one in first.items():
        if one["finding"] == "NOT_APPLICABLE":
            yield "does not apply", (gate,), one
    for gate, one in last.items():
        if len(rounds) > 1 and all(gate in each and each[gate]["finding"] in FLAGS for each in rounds):
            yield "never satisfied", (gate,), one
    pulls: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for before, after in pairwise(rounds):
        flags = [{gate for gate, one in each.items() if one["finding"] in FLAGS} for each in (before, after)]
        for ended in flags[0] - flags[1]:
            for begun in (flags[1] - flags[0]) & before.keys():
                pulls.setdefault((ended, begun), after[begun])
    for gates in sorted(pulls):
        yield PULL, gates, pulls[gates]
