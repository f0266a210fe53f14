"""`show`: one task of a run side by side, in a notebook or at a prompt."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from memtrial.api.run import RunEnd
from memtrial.api.shown.shown_task import ShownTask
from memtrial.faults import SpecFault, refused
from memtrial.ledger.open_ledger import open_trial_index
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault
from memtrial.ledger.trial_cells import TaskFilter, TaskTrial
from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.given_path import path_of, show_text
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.pages.view.grid_query import QueryFault
from memtrial.pages.view.opened_run import RunReader
from memtrial.pages.view.trial_reading import TaskReading, read_task
from memtrial.runs.run_folder.folder import LEDGER, find_run, going_on, refuse_links
from memtrial.runs.run_folder.unmasked_look import note_unmasked
from memtrial.runs.spec.option_values import plain_value

MOST_NAMED = 8


def show(
    run: str | Path | RunEnd,
    task: str,
    cell: str = "",
    beside: str = "",
    backbone: str = "",
    repeat: int = 0,
    unmask: bool = False,
) -> ShownTask:
    """One task: all its trials, the memory with its damage marked, and two trials turn by turn.

    Args:
        run: its folder, its name below logs, or what `run` gave.
        cell: which trial is read, `arm/condition`; unless given, one in which the damage cost the task, or
            else any that is damaged.
        beside: the trial that it stands beside, `arm/condition`; unless given the intact one of its arm, or
            else the one without memory.
        backbone: the first of the plan that played the task, unless given.
        repeat: of both trials, from 0.
        unmask: name the arms of a lock that is not complete, and note that in the ledger.

    Raises:
        SpecFault: there is no such run, task or trial.
        RunFault: the look at masked arms cannot be noted.
    """
    for name, value, kind in (
        ("task", task, str), ("cell", cell, str), ("beside", beside, str), ("backbone", backbone, str),
        ("repeat", repeat, int), ("unmask", unmask, bool),
    ):  # fmt: skip
        plain_value(name, value, kind)
    folder = find_run(run.folder if isinstance(run, RunEnd) else path_of(run, "a run folder", SpecFault))
    refuse_links(folder)
    if unmask:
        note_unmasked(folder, "show")
    with (
        refused(LedgerFault, DatabaseFault, QueryFault, prefix=f"{folder}: "),
        closing(open_trial_index(folder / LEDGER, going_on(folder))) as index,
    ):
        reader = RunReader(folder, index, unmask).look()
        played = _find_backbones(reader, task)
        chosen = backbone or next(iter(played), "")
        if chosen not in played:
            raise SpecFault(_say_missing(reader, task, backbone, played))
        where = {"backbone": chosen, "task": task}
        trials = read_task(reader, where).trials
        front = _find_cell(trials, cell, repeat) if cell else _choose_trial(trials, repeat)
        named = {"beside": _find_cell(trials, beside, repeat).key} if beside else {}
        words = {"arm": front.arm, "condition": front.condition, "repeat": str(front.repeat)}
        reading: TaskReading = read_task(reader, where | words | named)
        others = tuple(name for name in played if name != chosen)
        simulated = reader.plan is not None and reader.plan.simulated
        return ShownTask(folder.name, reading, others, reader.alarm, simulated)


def _find_backbones(reader: RunReader, task: str) -> tuple[str, ...]:
    """Those that played a task, in the order of the plan."""
    planned = reader.plan.backbones if reader.plan is not None else ()
    names = dict.fromkeys((*planned, *(cell.backbone for cell in reader.cells)))
    return tuple(name for name in names if reader.index.task_trials(name, task))


def _say_missing(reader: RunReader, task: str, backbone: str, played: Sequence[str]) -> str:
    """What the run has instead of a task, or of a backbone that played it."""
    if played:
        return (
            f"show needs a backbone that played {show_text(task)}; that is one of {list_names(played)},"
            f" not {show_text(backbone)}"
        )
    names: dict[str, None] = {}
    for of_cell in reader.cells:
        wanted = TaskFilter(of_cell.backbone, (of_cell.cell,))
        names |= dict.fromkeys(count.task for count in reader.index.tasks(wanted, MOST_NAMED))
    some = list_names(sorted(names)[:MOST_NAMED])
    return f"show needs a task of this run, as {some}; got {show_text(task)}"


def _find_cell(trials: Sequence[TaskTrial], named: str, repeat: int) -> TaskTrial:
    """The trial of a cell that is named `arm/condition`; SpecFault where there is none."""
    for trial in trials:
        if (f"{trial.arm}/{trial.condition}", trial.repeat) == (named.replace(" / ", "/"), repeat):
            return trial
    cells = dict.fromkeys(f"{trial.arm}/{trial.condition}" for trial in trials if trial.repeat == repeat)
    raise SpecFault(
        f"show needs a cell of this task in repeat {repeat}, arm/condition; it has"
        f" {list_names(list(cells)) or 'none'}; got {show_text(named)}"
    )


def _choose_trial(trials: Sequence[TaskTrial], repeat: int) -> TaskTrial:
    """One that failed where the intact one of its arm solved the task; else a damaged one, else any."""
    there = [trial for trial in trials if trial.repeat == repeat]
    if not there:
        raise SpecFault(
            f"show needs a repeat that was played, one of"
            f" {', '.join(map(str, sorted({trial.repeat for trial in trials})))}; got {repeat}"
        )
    solved = {trial.arm for trial in there if trial.condition == INTACT and trial.status == "success"}
    damaged = [trial for trial in there if trial.condition not in (WITHOUT, INTACT)]
    lost = [trial for trial in damaged if trial.arm in solved and trial.status == "failure"]
    intact = [trial for trial in there if trial.condition == INTACT]
    return (lost or damaged or intact or there)[0]
