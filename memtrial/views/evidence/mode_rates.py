"""How often trials fail in each mode, task by task, on the tasks that are solved without memory."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Floats, Ints
from memtrial.analysis.failures.shares import CODES, OTHER
from memtrial.ledger.fact_names import name_case
from memtrial.ledger.rows import Json, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.reserved_names import NONE
from memtrial.protocol.run_cells import planned_cells

Codes = Mapping[str, Json]
"""`mode` and `fault`, by case."""


@dataclass(frozen=True, slots=True)
class FailedPair:
    """A trial that failed with memory, and one of the same task that was solved without."""

    solved: TrialRow
    failed: TrialRow

    @property
    def case(self) -> str:
        """Its name, which says nothing of arm or condition."""
        return name_case(self.solved.key, self.failed.key)


@dataclass(frozen=True, slots=True)
class ModeCell:
    """Repeats of one backbone, arm and condition, over all tasks of the run.

    Args:
        solved: share of the repeats that were solved, NaN where a task was not played.
        rates: share that is a success, and share that fails in each of CODES, shape (n_tasks, 1 + n_codes);
            NaN also where no failure of a task has a code.
    """

    solved: Floats
    rates: Floats
    undecided: Floats
    errors: int


@dataclass(frozen=True, slots=True, eq=False)
class ModeRates:
    """The cells of one backbone.

    Args:
        base: the weight of each task: the share of its repeats that were solved without memory; NaN where
            none was played.
        repeats: without memory, by task.
        cells: by arm and condition, those that were played, in the order of the plan.
    """

    backbone: str
    base: Floats
    repeats: Floats
    cells: Mapping[tuple[str, str], ModeCell]


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


def units_of_tasks(trials: Sequence[TrialRow], plan: RunPlan) -> Ints:
    """The unit of inference of each task that was played, in the order of `mode_rates`."""
    names: dict[str, int] = {}
    tasks = sorted({trial.task for trial in trials})
    return np.array([names.setdefault(plan.clusters.get(task) or task, len(names)) for task in tasks])


def mode_rates(trials: Sequence[TrialRow], plan: RunPlan, codes: Codes) -> Iterator[ModeRates]:
    """The rates of each backbone, over all tasks that any of them played, sorted.

    Args:
        codes: what the coder said, by case; a failure without a code counts as `other`, undecided.
    """
    tasks = sorted({trial.task for trial in trials})
    case_of = {pair.failed.key: pair.case for pair in failed_pairs(trials)}
    for backbone in plan.backbones:
        of_backbone = [trial for trial in trials if trial.backbone == backbone and trial.status != "error"]
        without: dict[str, list[bool]] = defaultdict(list)
        for trial in of_backbone:
            if trial.arm == NONE:
                without[trial.task].append(trial.status == "success")
        base = np.array([np.mean(without[task]) if without[task] else np.nan for task in tasks])
        repeats = np.array([float(len(without[task])) for task in tasks])
        cells: dict[tuple[str, str], ModeCell] = {}
        for place in planned_cells(plan)[1:]:
            here = [trial for trial in of_backbone if (trial.arm, trial.condition) == place]
            if here:
                cells[place] = _cell(here, tasks, case_of, codes)
        yield ModeRates(backbone, base, repeats, cells)


def _cell(
    trials: Sequence[TrialRow], tasks: Sequence[str], case_of: Mapping[str, str], codes: Codes
) -> ModeCell:
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
    return ModeCell(solved, np.column_stack([solved, modes]), left, errors)
