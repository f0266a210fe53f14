"""The failure-mode table of anyone's counts or labels."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations

import numpy as np

from loadbearing.analysis.failures.agreement import agreement
from loadbearing.analysis.failures.base_set import TableTest, independent, paired
from loadbearing.analysis.failures.shares import CODES, SUCCESS, shares_of
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.outcomes.failure_columns import KEYS, Label, Place
from loadbearing.reports.evidence.failure_modes import STUART, tidy
from loadbearing.reports.model.failure_rows import FailureModes, FailureRow, FailureTest

HALTON = "Fisher-Freeman-Halton"
_ARM = KEYS.index("arm")
Counts = Mapping[Place, Mapping[str, float]]


def table_of_counts(counts: Counts, source: str, seed: int = 0) -> FailureModes:
    """Shares of every row, and whether rows differ: within each backbone, and between backbones."""
    rows = [
        FailureRow(**dict(zip(KEYS, place, strict=True)), **asdict(shares_of(modes)), rates={})
        for place, modes in counts.items()
    ]
    return FailureModes(
        coder=source, cases=round(sum(row.n for row in rows)), rows=tuple(rows),
        tests=_between_rows(counts, seed),
    )  # fmt: skip


def table_of_labels(labels: Sequence[Label], source: str, seed: int = 0) -> FailureModes:
    """The same of labels; where several raters coded a case, each has a part of it. And their agreement.

    Arms that were labelled on the same tasks are compared on these, by the first rater.
    """
    votes: dict[tuple[Place, str], list[Label]] = defaultdict(list)
    for one in labels:
        votes[one.place, one.case].append(one)
    modes = [mode for mode in CODES if mode != CODES[-1] or any(one.mode == mode for one in labels)]
    counts: dict[Place, dict[str, float]] = {one.place: dict.fromkeys(modes, 0.0) for one in labels}
    for (place, _), said in votes.items():
        for one in said:
            if one.mode != SUCCESS:
                counts[place][one.mode] += 1 / len(said)
    whole = {place: {mode: tidy(n) for mode, n in of.items()} for place, of in counts.items()}
    table = table_of_counts(whole, source, seed)
    raters: dict[str, dict[str, str]] = defaultdict(dict)
    for one in labels:
        raters[one.rater][f"{one.place}/{one.case}"] = one.mode
    tasks = {f"{one.place}/{one.case}": one.task for one in labels}
    rng = generator(seed, Stream.FAILURE_MODES, 1)
    agreed = (agreement(raters, tasks, rng),) if len(raters) > 1 else ()
    return table.model_copy(update={"tests": (*table.tests, *_between_arms(votes)), "agreement": agreed})


def _between_rows(counts: Counts, seed: int) -> tuple[FailureTest, ...]:
    """Fisher-Freeman-Halton of rows that share no case; none where counts are parts of cases."""
    if any(n != int(n) for modes in counts.values() for n in modes.values()):
        return ()
    varying = [key for at, key in enumerate(KEYS) if len({place[at] for place in counts}) > 1]
    if not varying:
        return ()
    rng = generator(seed, Stream.FAILURE_MODES)
    outer = KEYS.index(varying[0])
    groups: dict[str, list[Sequence[float]]] = defaultdict(list)
    for place, modes in counts.items():
        groups[place[outer]].append(tuple(modes.values()))
    found = []
    if len(varying) > 1:
        inner = " and ".join(varying[1:])
        for name, rows in groups.items():
            test = independent(np.array(rows), rng)
            found.append(FailureTest(**{varying[0]: name}, test=HALTON, versus=inner, table=test))
    pooled = independent(np.array([np.sum(rows, axis=0) for rows in groups.values()]), rng)
    return (*found, FailureTest(test=HALTON, versus=varying[0], table=pooled))


def _between_arms(votes: Mapping[tuple[Place, str], Sequence[Label]]) -> tuple[FailureTest, ...]:
    """Stuart-Maxwell of every two arms of one backbone, domain and condition that share tasks."""
    modes: dict[tuple[str, ...], dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    order = (SUCCESS, *CODES)
    for (place, _), said in votes.items():
        rest = (*place[:_ARM], *place[_ARM + 1 :])
        modes[rest][place[_ARM]][said[0].task] = order.index(said[0].mode)
    found = []
    for (backbone, domain, condition), arms in modes.items():
        for one, other in combinations(arms, 2):
            table = np.zeros((len(order), len(order)))
            for task in arms[one].keys() & arms[other].keys():
                table[arms[one][task], arms[other][task]] += 1
            if table.sum():
                where = {"backbone": backbone, "domain": domain, "arm": one, "condition": condition}
                test: TableTest | None = paired(table)
                found.append(FailureTest(**where, test=STUART, versus=other, table=test))
    return tuple(found)
