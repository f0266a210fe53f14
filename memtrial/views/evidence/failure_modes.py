"""The failure-mode table: of a run, on the tasks that are solved without memory; of counts; of labels."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import combinations

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints, Rng
from memtrial.analysis.failures.agreement import agreement
from memtrial.analysis.failures.shares import CODES, OTHER, SUCCESS, shares_of
from memtrial.analysis.failures.solved_without import (
    CATEGORIES,
    compare_rates,
    count_moves,
    fisher_freeman_halton,
    flow,
    stuart_maxwell,
)
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import Json, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.count_words import list_names as first_few
from memtrial.outcomes.failure_columns import KEYS, Label, Place
from memtrial.outcomes.reserved_names import INTACT, NONE
from memtrial.protocol.run_cells import planned_cells
from memtrial.views.rows.failure_rows import FailureModes, FailureRow, FailureTest

Codes = Mapping[str, Json]
"""`mode` and `fault`, by case."""
STUART, PAIRED = "Stuart-Maxwell", "paired difference"


@dataclass(frozen=True, slots=True)
class FailedPair:
    """A trial that failed with memory, and one of the same task that was solved without."""

    solved: TrialRow
    failed: TrialRow

    @property
    def case(self) -> str:
        """Its name, which says nothing of arm or condition."""
        return sha256(f"{self.solved.key} {self.failed.key}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Cell:
    """Repeats of one backbone, arm and condition, over all tasks of the run.

    Args:
        solved: share of the repeats that were solved, NaN where a task was not played.
        rates: share in each of CATEGORIES, NaN also where no failure of a task has a code.
    """

    solved: Floats
    rates: Floats
    undecided: Floats
    errors: int


def failed_pairs(trials: Sequence[TrialRow]) -> tuple[FailedPair, ...]:
    """Every failure with memory on a task solved without, beside the same repeat where that solved it."""
    solved: dict[tuple[str, str], dict[int, TrialRow]] = defaultdict(dict)
    for trial in trials:
        if trial.arm == NONE and trial.status == "success":
            solved[trial.backbone, trial.task][trial.repeat] = trial
    pairs = []
    for trial in trials:
        beside = solved.get((trial.backbone, trial.task))
        if trial.arm != NONE and trial.status == "failure" and beside:
            pairs.append(FailedPair(beside.get(trial.repeat) or beside[min(beside)], trial))
    return tuple(pairs)


def failure_modes(trials: Sequence[TrialRow], plan: RunPlan, coder: str, codes: Codes) -> FailureModes:
    """Rows of all cells and tests between them.

    Args:
        codes: what the coder said, by case; a failure without a code counts as `other`, undecided.
    """
    rng = generator(plan.seed, Stream.FAILURE_MODES)
    tasks = sorted({trial.task for trial in trials})
    names: dict[str, int] = {}
    units = np.array([names.setdefault(plan.clusters.get(task) or task, len(names)) for task in tasks])
    case_of = {pair.failed.key: pair.case for pair in failed_pairs(trials)}
    cases = tuple(case_of.values())
    rows: list[FailureRow] = []
    tests: list[FailureTest] = []
    for backbone in plan.backbones:
        of_backbone = [trial for trial in trials if trial.backbone == backbone and trial.status != "error"]
        without: dict[str, list[bool]] = defaultdict(list)
        for trial in of_backbone:
            if trial.arm == NONE:
                without[trial.task].append(trial.status == "success")
        base = np.array([np.mean(without[task]) if without[task] else np.nan for task in tasks])
        repeats = np.array([float(len(without[task])) for task in tasks])
        cells: dict[tuple[str, str], _Cell] = {}
        for arm, condition in planned_cells(plan)[1:]:
            here = [trial for trial in of_backbone if (trial.arm, trial.condition) == (arm, condition)]
            if here:
                cell = cells[arm, condition] = _cell(here, tasks, case_of, codes)
                played = ~np.isnan(base) & ~np.isnan(cell.solved)
                if played.any():
                    place = {"backbone": backbone, "domain": plan.world, "arm": arm, "condition": condition}
                    rows.append(_row(place, cell, base, repeats, units, played, plan.alpha))
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


def _cell(
    trials: Sequence[TrialRow], tasks: Sequence[str], case_of: Mapping[str, str], codes: Codes
) -> _Cell:
    place = {task: number for number, task in enumerate(tasks)}
    ended, coded = np.zeros((len(tasks), 2)), np.zeros((len(tasks), len(CODES)))
    undecided, errors = np.zeros(len(tasks)), 0
    for trial in trials:
        row, code = place[trial.task], codes.get(case_of.get(trial.key, ""), {})
        ended[row, int(trial.status == "success")] += 1
        if code.get("fault"):
            errors += 1
        elif trial.status != "success":
            coded[row, CODES.index(str(code.get("mode") or OTHER))] += 1
            undecided[row] += not code.get("mode")
    with np.errstate(invalid="ignore"):
        lost, solved = (ended / ended.sum(axis=1, keepdims=True)).T
        n = coded.sum(axis=1)
        # failures whose code is an error are taken to be as those of the task that were coded
        modes = np.where(lost[:, None] > 0, lost[:, None] * coded / n[:, None], 0.0)
        left = np.where(lost > 0, lost * undecided / n, 0.0)
    return _Cell(solved, np.column_stack([solved, modes]), left, errors)


def _row(
    place: dict[str, str], cell: _Cell, base: Floats, repeats: Floats, units: Ints,
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
    cells: Mapping[tuple[str, str], _Cell],
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
    rows = [
        FailureRow(**dict(zip(KEYS, place, strict=True)), **asdict(shares_of(modes)), rates={})
        for place, modes in counts.items()
    ]
    cases = round(sum(row.n for row in rows))
    tests = _between_rows(counts, seed)
    return FailureModes(coder=source, cases=cases, coded=cases, rows=tuple(rows), tests=tests)


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
