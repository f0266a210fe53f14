"""The failure-mode table: of a run, on the tasks that are solved without memory; of counts; of labels."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints, Rng
from memtrial.analysis.failures.agreement import agreement
from memtrial.analysis.failures.shares import CODES, SUCCESS, shares_of
from memtrial.analysis.failures.solved_without import (
    CATEGORIES,
    compare_rates,
    count_moves,
    fisher_freeman_halton,
    flow,
    stuart_maxwell,
)
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.count_words import list_names as first_few
from memtrial.outcomes.failures.failure_labels import KEYS, Label, Place
from memtrial.outcomes.reserved_names import INTACT
from memtrial.views.evidence.mode_rates import Codes, ModeCell, failed_pairs, mode_rates, units_of_tasks
from memtrial.views.rows.failure_rows import FailureModes, FailureRow, FailureTest

STUART, PAIRED = "Stuart-Maxwell", "paired difference"


def failure_modes(trials: Sequence[TrialRow], plan: RunPlan, coder: str, codes: Codes) -> FailureModes:
    """Rows of all cells and tests between them.

    Args:
        codes: what the coder said, by case; a failure without a code counts as `other`, undecided.
    """
    rng = generator(plan.seed, Stream.FAILURE_MODES)
    units = units_of_tasks(trials, plan)
    cases = tuple(pair.case for pair in failed_pairs(trials))
    rows: list[FailureRow] = []
    tests: list[FailureTest] = []
    for rates in mode_rates(trials, plan, codes):
        backbone, base, cells = rates.backbone, rates.base, rates.cells
        for (arm, condition), cell in cells.items():
            played = ~np.isnan(base) & ~np.isnan(cell.solved)
            if played.any():
                place = {"backbone": backbone, "domain": plan.world, "arm": arm, "condition": condition}
                rows.append(_row(place, cell, base, rates.repeats, units, played, plan.alpha))
        families = (
            [((first, INTACT), (second, INTACT)) for first, second in plan.pairs],
            [((arm, condition), (arm, INTACT)) for arm, condition in cells if condition != INTACT],
        )
        for family in families:
            pairs = [(first, second) for first, second in family if first in cells and second in cells]
            tests += _tests(backbone, pairs, cells, base, units, plan, rng)
    coded = sum(bool(code.get("mode")) and not code.get("fault") for code in map(codes.get, cases) if code)
    return FailureModes(
        simulated=plan.simulated, coder=coder, cases=len(cases), coded=coded, rows=tuple(rows),
        tests=tuple(tests), notes=_notes(rows),
    )  # fmt: skip


def _row(
    place: dict[str, str], cell: ModeCell, base: Floats, repeats: Floats, units: Ints,
    played: Bools, alpha: float,
) -> FailureRow:  # fmt: skip
    coded = played & ~np.isnan(cell.rates).any(axis=1)
    weight, rates = base[coded], cell.rates[coded]
    counts = weight @ rates
    shares = asdict(shares_of({mode: tidy(n) for mode, n in zip(CODES, counts[1:], strict=True)}))
    total = weight.sum()
    return FailureRow(
        **place,
        **shares,
        n_tasks=int((weight > 0).sum()),
        rates=dict(zip(CATEGORIES, (counts / total).tolist(), strict=True)) if total else {},
        undecided=tidy(float(weight @ cell.undecided[coded])),
        errors=cell.errors,
        flow=flow(base[played], cell.solved[played], repeats[played], units[played], alpha),
    )


def _tests(
    backbone: str,
    pairs: Sequence[tuple[tuple[str, str], tuple[str, str]]],
    cells: Mapping[tuple[str, str], ModeCell],
    base: Floats,
    units: Ints,
    plan: RunPlan,
    rng: Rng,
) -> list[FailureTest]:
    """Of one family: all modes together by Stuart-Maxwell, then each mode by the paired difference."""
    if not pairs:
        return []
    sides, tests = [], []
    for first_cell, second_cell in pairs:
        first, second = cells[first_cell].rates, cells[second_cell].rates
        both = ~np.isnan(first + second).any(axis=1) & ~np.isnan(base)
        sides.append((np.where(both, base, np.nan), first, second))
    differences = compare_rates(sides, units, plan.repeats, (plan.alpha, plan.flips), rng)
    for (first_cell, second_cell), (weight, first, second), by_mode in zip(
        pairs, sides, differences, strict=True
    ):
        place = {"backbone": backbone, "domain": plan.world, "arm": first_cell[0], "condition": first_cell[1]}
        place["versus"] = second_cell[0] if first_cell[1] == second_cell[1] else second_cell[1]
        kept = ~np.isnan(weight)
        table = stuart_maxwell(count_moves(weight[kept], first[kept], second[kept]))
        tests.append(FailureTest(**place, test=STUART, table=table))
        tests += [
            FailureTest(**place, test=PAIRED, mode=mode, difference=one_mode)
            for mode, one_mode in zip(CODES, by_mode, strict=True)
        ]
    return tests


def tidy(value: float) -> float:
    """Without what binary adds to thirds."""
    rounded = round(float(value), 9)
    return int(rounded) if rounded == int(rounded) else rounded


def _notes(rows: Sequence[FailureRow]) -> tuple[str, ...]:
    notes = []
    if rows and all(row.flow is None or row.flow.chance is None for row in rows):
        notes.append(
            "Each cell was played once: how many tasks are solved without memory and failed with it by chance"
            " alone is not known. Play two repeats or more."
        )
    return tuple(notes)


HALTON = "Fisher-Freeman-Halton"
_ARM = KEYS.index("arm")
Counts = Mapping[Place, Mapping[str, float]]


def table_of_counts(counts: Counts, source: str, seed: int = 0) -> FailureModes:
    """Shares of every row, and whether rows differ: within each backbone, and between backbones."""
    rows = rows_of_counts(counts)
    cases = round(sum(row.n for row in rows))
    tests = _between_rows(counts, seed)
    return FailureModes(coder=source, cases=cases, coded=cases, rows=rows, tests=tests)


def rows_of_counts(counts: Counts) -> tuple[FailureRow, ...]:
    """Shares of every place, with their intervals."""
    return tuple(
        FailureRow(**dict(zip(KEYS, place, strict=True)), **asdict(shares_of(modes)), rates={})
        for place, modes in counts.items()
    )


def table_of_labels(labels: Sequence[Label], source: str, seed: int = 0, unlabelled: int = 0) -> FailureModes:
    """The same of labels; where several raters coded a case, each has a part of it. And their agreement.

    Arms that were labelled on the same tasks are compared on these, by the first rater.

    Args:
        unlabelled: cases of the file that nobody has labelled yet.
    """
    votes: dict[tuple[Place, str], list[Label]] = defaultdict(list)
    for label in labels:
        votes[label.place, label.case].append(label)
    modes = [mode for mode in CODES if mode != CODES[-1] or any(label.mode == mode for label in labels)]
    counts: dict[Place, dict[str, float]] = {label.place: dict.fromkeys(modes, 0.0) for label in labels}
    for (place, _), given in votes.items():
        for label in given:
            if label.mode != SUCCESS:
                counts[place][label.mode] += 1 / len(given)
    whole = {place: {mode: tidy(n) for mode, n in of_modes.items()} for place, of_modes in counts.items()}
    names = first_few(list(dict.fromkeys(label.rater for label in labels)), 4)
    table = table_of_counts(whole, f"{names} in {source}", seed)
    raters: dict[str, dict[str, str]] = defaultdict(dict)
    for label in labels:
        raters[label.rater][f"{label.place}/{label.case}"] = label.mode
    tasks = {f"{label.place}/{label.case}": label.task for label in labels}
    rng = generator(seed, Stream.FAILURE_MODES, 1)
    agreed = (agreement(raters, tasks, rng),) if len(raters) > 1 else ()
    tests = (*table.tests, *_between_arms(votes))
    return table.model_copy(update={"tests": tests, "agreement": agreed, "unlabelled": unlabelled})


def _between_rows(counts: Counts, seed: int) -> tuple[FailureTest, ...]:
    """Fisher-Freeman-Halton of rows that share no case; none where counts are parts of cases."""
    if any(n != int(n) for modes in counts.values() for n in modes.values()):
        return ()
    varying = [key for number, key in enumerate(KEYS) if len({place[number] for place in counts}) > 1]
    if not varying:
        return ()
    rng = generator(seed, Stream.FAILURE_MODES)
    outer = KEYS.index(varying[0])
    groups: dict[str, list[Sequence[float]]] = defaultdict(list)
    for place, modes in counts.items():
        groups[place[outer]].append(tuple(modes.values()))
    tests = []
    if len(varying) > 1:
        inner = " and ".join(varying[1:])
        for name, rows in groups.items():
            test = fisher_freeman_halton(np.array(rows), rng)
            tests.append(FailureTest(**{varying[0]: name}, test=HALTON, versus=inner, table=test))
    pooled = fisher_freeman_halton(np.array([np.sum(rows, axis=0) for rows in groups.values()]), rng)
    return (*tests, FailureTest(test=HALTON, versus=varying[0], table=pooled))


def _between_arms(votes: Mapping[tuple[Place, str], Sequence[Label]]) -> tuple[FailureTest, ...]:
    """Stuart-Maxwell of every two arms of one backbone, domain and condition that share tasks."""
    modes: dict[tuple[str, ...], dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    order = (SUCCESS, *CODES)
    for (place, _), given in votes.items():
        rest = (*place[:_ARM], *place[_ARM + 1 :])
        modes[rest][place[_ARM]][given[0].task] = order.index(given[0].mode)
    tests = []
    for (backbone, domain, condition), arms in modes.items():
        for first, second in combinations(arms, 2):
            table = np.zeros((len(order), len(order)))
            for task in arms[first].keys() & arms[second].keys():
                table[arms[first][task], arms[second][task]] += 1
            if table.sum():
                where = {"backbone": backbone, "domain": domain, "arm": first, "condition": condition}
                tests.append(FailureTest(test=STUART, versus=second, table=stuart_maxwell(table), **where))
    return tuple(tests)
