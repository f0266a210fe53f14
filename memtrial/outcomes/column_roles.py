"""What the columns of a table are, by name and content; its arms and conditions as the analysis has them."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Literal

import polars as pl

from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.outcomes import WITHOUT, Cell, Outcomes
from memtrial.outcomes.reserved_names import INSTRUCTED, INTACT
from memtrial.outcomes.sheet import Sheet, distinct
from memtrial.outcomes.table_fault import TableFault

Role = Literal["task", "arm", "condition", "repeat", "score", "backbone", "cluster", "error"]

_NAMES: Mapping[Role, str] = MappingProxyType(
    {
        "task": (
            "task task_id | taskid task_name question_id question problem_id problem instance_id instance "
            "example_id example item_id item sample_id case_id case env_id env environment game game_file "
            "prompt_id prompt query_id query doc_id qid uid idx index id"
        ),
        "arm": (
            "arm | arm_name method agent agent_name system strategy variant treatment memory policy approach "
            "config configuration setup group"
        ),
        "condition": "condition | perturbation ablation setting damage corruption",
        "repeat": (
            "repeat | repeat_id repetition replicate rep trial trial_id seed run run_id epoch attempt "
            "iteration sample episode"
        ),
        "score": (
            "score success | correct is_correct reward passed pass accuracy acc resolved is_resolved solved "
            "outcome result won win succeeded is_success success_rate"
        ),
        "backbone": "backbone | model model_name llm base_model",
        "cluster": "cluster | source_record record template template_id family house",
        "error": "error | infrastructure_error infra_error is_error errored status",
    }
)
"""Names of columns by role, the likeliest first; one before the stroke wins over others that differ."""

_NEEDED: Mapping[Role, str] = MappingProxyType(
    {
        "task": "the task, by which arms are paired",
        "arm": "the arm (method, agent, system)",
        "score": "the score (0 to 1, or success as 0/1, true/false, pass/fail)",
    }
)


@dataclass(frozen=True, slots=True)
class Taken:
    """Which column stands for what, by role; `named` are the roles that the user named a column for."""

    columns: Mapping[Role, str]
    named: frozenset[Role]
    unused: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def get(self, role: Role) -> str | None:
        return self.columns.get(role)


def option(role: Role) -> str:
    """The option that names a role's column."""
    return f"--{role}-column"


def take_columns(sheet: Sheet, asked: Mapping[Role, str]) -> Taken:
    """Find a column for each role; those that the user named win over everything.

    Raises:
        TableFault: a named column is not there, two roles share one, a needed role has no column, or
            several columns would do and differ; the message says which option settles it.
    """
    columns = sheet.frame.columns
    for role, name in asked.items():
        if name not in columns:
            raise TableFault(
                f"{option(role)} {name}: there is no such column of plain values; there are "
                f"{list_names(columns)}"
            )
    for (role, name), (other, twin) in combinations(asked.items(), 2):
        if name == twin:
            raise TableFault(f"column {name!r} cannot be both: {option(role)} and {option(other)} name it")
    taken, notes = dict(asked), []
    for role in _NAMES:
        if role not in taken:
            column, note = _find_column(sheet.frame, role, taken.values())
            notes += note
            if column is not None:
                taken[role] = column
    if "arm" not in taken:
        # a table of models, or of one agent's settings; a condition called intact speaks of damage to memory
        role = "condition" if "condition" in taken else "backbone"
        texts = distinct(sheet.frame[taken[role]]) if role in taken and role not in asked else ()
        if texts and (role == "backbone" or "intact" not in map(str.lower, texts)):
            taken["arm"] = taken.pop(role)
    if "score" not in taken and plain(taken.get("error", "")) == "status":
        taken["score"] = taken.pop("error")
    for role, what in _NEEDED.items():
        if role not in taken and not (role == "arm" and "condition" in taken):
            raise TableFault(
                f"no column looks like {what}; {option(role)} names it; there are {list_names(columns)}"
            )
    unused = tuple(name for name in columns if name not in taken.values())
    return Taken(MappingProxyType(taken), frozenset(asked), unused, tuple(notes))


def plain(name: str) -> str:
    """A column's name in lower case with underscores: `Task ID`, `taskId` and `task-id` are one."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def _find_column(frame: pl.DataFrame, role: Role, used: Collection[str]) -> tuple[str | None, list[str]]:
    """The column of a role by its name, and what to say about the choice."""
    likely, _, others = _NAMES[role].partition(" | ")
    order = [*likely.split(), *others.split()]
    fit = sorted(
        (name for name in frame.columns if plain(name) in order and name not in used),
        key=lambda name: order.index(plain(name)),
    )
    if role not in ("task", "score"):
        several = [name for name in fit if frame[name].n_unique() > 1]
        # one value says nothing of clusters and errors
        fit = several if role in ("cluster", "error") else several or fit
    if not fit:
        return None, []
    first = fit[0]
    # columns that group the rows alike say the same, whatever their texts
    groups = {
        name: (frame[name].n_unique(), pl.DataFrame([frame[first], frame[name]]).n_unique())
        for name in fit[1:]
    }
    differ = [name for name, backbones in groups.items() if {*backbones} != {frame[first].n_unique()}]
    if not differ:
        return first, []
    # `task` beside `task_id` may be a benchmark beside the tasks in it
    rivals = role == "task" and any(plain(name) == "task_id" for name in differ)
    if plain(first) in likely.split() and not rivals:
        return first, [f"{role} is {first!r}, not {list_names(differ)}; {option(role)} takes another one"]
    raise TableFault(f"several columns could be the {role}: {list_names(fit)}; {option(role)} says which")


_MOST = 60
_WITHOUT = ("without", "no memory", "no_memory", "without memory", "without_memory")
_INTACT = ("original", "clean", "unperturbed", "undamaged", "unmodified", "normal", "full")
_NO_MEMORY = ("none", "nomemory", "no-memory", *_WITHOUT)
_BASELINES = ("baseline", "base", "vanilla", "retry")
_NOTHING = ("", "none", "n/a", "na", "-", "nan")


@dataclass(frozen=True, slots=True)
class Cells:
    """The cell of every arm and condition; the reference's name."""

    placed: Mapping[Cell, Cell]
    reference: str | None
    notes: tuple[str, ...] = ()


def cells_of(trials: pl.DataFrame, taken: Taken, reference: str | None, intact: str | None) -> Cells:
    """Give every arm and condition of a table its cell: `none` and `without` for the reference.

    The reference and the intact condition are guessed from their names unless given.

    Raises:
        TableFault: there is nothing to compare, or it is not clear with what.
    """
    roles: tuple[Role, ...] = ("arm", "condition")
    for role in roles:
        name, several = taken.get(role), trials[role].n_unique()
        if several > _MOST:
            raise TableFault(
                f"column {name!r} was taken for the {role} and holds {several:,} different texts; "
                f"{option(role)} names another one"
            )
    if (several := trials["backbone"].n_unique()) > _MOST:
        raise TableFault(
            f"column {taken.get('backbone')!r} was taken for the backbone and holds {several:,} different "
            f"texts, {_MOST} at most; {option('backbone')} names another one"
        )
    pairs: list[Cell] = trials.select("arm", "condition").unique(maintain_order=True).rows()
    arms = distinct(trials["arm"])
    if reference is not None and reference not in arms:
        raise TableFault(f"--reference {reference}: there is no such arm; there are {list_names(arms)}")
    if taken.get("condition") is not None:
        return _with_conditions(pairs, taken, reference, intact)
    if intact is not None:
        raise TableFault(
            "--intact names a condition, and no column was taken for it: --condition-column does"
        )
    reference = _reference(arms, taken, reference)
    placed = [WITHOUT if arm == reference else (_other(arm), INTACT) for arm in arms]
    return Cells(dict(zip(pairs, placed, strict=True)), reference)


def refuse_unpaired(outcomes: Outcomes, taken: Taken, cells: Cells) -> None:
    """Some task was played in two cells, one of them intact. Raises TableFault: none was."""
    for table in map(outcomes.cells, outcomes.backbones):
        played = dict(zip(table.cells, (table.trials > 0).T, strict=True))
        for whole in (cell for cell in played if cell[1] in (INTACT, INSTRUCTED)):
            others = (cell for cell in played if cell != whole and cell[0] in (whole[0], WITHOUT[0]))
            if any((played[whole] & played[other]).any() for other in others):
                return
    what, advice = f"both with {cells.reference!r} and with another arm", "--reference names another arm"
    if (column := taken.get("condition")) is not None:
        what = "by one arm both intact and damaged, or intact and without memory"
        advice = f"{option('arm')} {column} takes column {column!r}, taken for the condition, for the arm"
    raise TableFault(
        f"column {taken.get('task')!r} was taken for the task, and no task was played {what} on the same "
        f"backbone, so there is nothing to compare; {option('task')} names another column, {advice}"
    )


def _reference(arms: tuple[str, ...], taken: Taken, asked: str | None) -> str:
    if len(arms) < 2:
        raise TableFault(
            f"column {taken.get('arm')!r} was taken for the arm and holds {list_names(arms)} alone; a "
            f"comparison needs two: {option('arm')} names another column"
        )
    if asked is not None:
        return asked
    for names in (_NO_MEMORY, _BASELINES, ("control",)):
        fit = tuple(arm for arm in arms if arm.lower() in names)
        if len(fit) == 1:
            return fit[0]
        arms = fit or arms
    raise TableFault(
        f"which arm are the others compared with? --reference says it; there are {list_names(arms)}"
    )


def _with_conditions(pairs: list[Cell], taken: Taken, reference: str | None, intact: str | None) -> Cells:
    whole = _intact(taken, tuple(dict.fromkeys(condition for _, condition in pairs)), intact)
    placed: dict[Cell, Cell] = {}
    pooled: list[str] = []
    for arm, condition in pairs:
        none = arm == reference if reference is not None else arm.lower() == WITHOUT[0]
        without, is_whole = condition.lower() in _WITHOUT, condition == whole
        unnamed = condition.lower() in _NOTHING and not is_whole
        if none and not (without or unnamed or is_whole):
            raise TableFault(
                f"arm {arm!r} has no memory to damage, yet there are rows with condition {condition!r}"
            )
        if unnamed and not none:
            raise TableFault(f"every row names its condition; arm {arm!r} has rows with {condition!r}")
        pooled += [f"{arm} {condition}"] if without and not none else []
        bare = none or without
        placed[arm, condition] = WITHOUT if bare else (_other(arm), INTACT if is_whole else condition)
    conditions = list(placed.values())
    if set(conditions) == {WITHOUT}:
        raise TableFault("a comparison needs an arm with memory; every row is an agent without")
    notes = []
    if conditions.count(WITHOUT) > 1 and pooled:
        notes.append(
            f"{list_names(pooled)}: an agent without memory is one shared cell, these rows are pooled in it"
        )
    if WITHOUT not in conditions:
        notes.append(
            "no row is of an agent without memory, so no utility is established: such rows have the arm "
            "'none' or the condition 'without', or --reference names their arm"
        )
    return Cells(placed, reference or ("none" if WITHOUT in conditions else None), tuple(notes))


def _intact(taken: Taken, conditions: tuple[str, ...], asked: str | None) -> str:
    if asked is not None and asked in conditions:
        return asked
    for names in ((INTACT,), _INTACT) if asked is None else ():
        fit = [condition for condition in conditions if condition.lower() in names]
        if len(fit) == 1:
            return fit[0]
    column = taken.get("condition")
    raise TableFault(
        f"column {column!r} was taken for the condition, and none of {list_names(conditions)} is called "
        f"{asked or INTACT}; --intact says in which nothing was damaged, {option('arm')} {column} takes it "
        "for the arm"
    )


def _other(arm: str) -> str:
    """The name of an arm that is not the reference: `none` is taken by the reference."""
    return f"({arm})" if arm == WITHOUT[0] else arm
