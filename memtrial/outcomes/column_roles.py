"""What the columns of a table are, by name and content."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Literal

import polars as pl

from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.score_texts import holds_scores, read_numbers
from memtrial.outcomes.sheet import Sheet, distinct
from memtrial.outcomes.table_fault import TableFault, UnclearTable

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
            "config configuration setup group solver scaffold"
        ),
        "condition": "condition | perturbation ablation setting damage corruption",
        "repeat": (
            "repeat | repeat_id repetition replicate rep trial trial_id seed run run_id epoch attempt "
            "iteration sample episode"
        ),
        "score": (
            "score success | correct is_correct reward passed pass accuracy acc resolved is_resolved solved "
            "outcome result won win succeeded is_success success_rate pass_1 pass1 exact_match em f1 "
            "acc_norm "
            "grade rating judge_score"
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
        stand_in: Role = "condition" if "condition" in taken else "backbone"
        texts = distinct(sheet.frame[taken[stand_in]]) if stand_in in taken and stand_in not in asked else ()
        if stand_in == "backbone" and sheet.files and texts:
            # of several files each is an arm, unless they are of one model each
            texts = texts if _tells(sheet.frame, taken[stand_in], sheet.files) else ()
        if len(texts) > 1 and (stand_in == "backbone" or "intact" not in map(str.lower, texts)):
            taken["arm"] = taken.pop(stand_in)
    if sheet.files and "arm" not in taken:
        taken["arm"] = sheet.files
    if "score" not in taken and plain(taken.get("error", "")) == "status":
        taken["score"] = taken.pop("error")
    for role, what in _NEEDED.items():
        if role not in taken and not (role == "arm" and "condition" in taken):
            needed = f"no column looks like {what}; {option(role)} names it; there are {list_names(columns)}"
            if (likely := guess_column(sheet.frame, role, taken.values())) is None:
                raise TableFault(needed)
            raise UnclearTable(needed, option(role), likely)
    unused = tuple(name for name in columns if name not in taken.values())
    return Taken(MappingProxyType(taken), frozenset(asked), unused, tuple(notes))


def plain(name: str) -> str:
    """A column's name in lower case with underscores: `Task ID`, `taskId` and `task-id` are one."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def looks_like(role: Role, name: str) -> bool:
    """Whether a column has a name of the role."""
    return plain(name) in _NAMES[role].split()


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
    question = f"several columns could be the {role}: {list_names(fit)}; {option(role)} says which"
    # of a benchmark and the tasks in it these are the tasks
    likely_task = max(fit, key=lambda name: frame[name].n_unique())
    raise UnclearTable(question, option(role), likely_task if role == "task" else first)


def _tells(frame: pl.DataFrame, column: str, other: str) -> bool:
    """Whether a column with several texts groups the rows as another one does."""
    pairs = frame.select(column, other).n_unique()
    return frame[column].n_unique() == frame[other].n_unique() == pairs > 1


_MEASURES = frozenset(
    {"token", "tokens", "cost", "usd", "price", "time", "latency", "seconds", "duration", "step", "steps"}
    | {"turn", "turns", "length", "len", "chars", "words", "calls", "count", "n", "index", "difficulty"}
    | {"level", "year", "date"}
)
"""Words in the names of columns of numbers that are no scores."""
_MOST_ARMS = 20


def is_measure(name: str) -> bool:
    """Whether a column's name speaks of cost, time or length."""
    return not _MEASURES.isdisjoint(plain(name).split("_"))


def guess_column(frame: pl.DataFrame, role: Role, used: Collection[str]) -> str | None:
    """The likeliest column of a role by its content alone, to be offered; None: none is likely."""
    free = [name for name in frame.columns if name not in used and frame[name].n_unique() > 1]
    if role == "score":
        return next((name for name in free if holds_scores(frame[name]) and not is_measure(name)), None)
    texts = [name for name in free if read_numbers(frame[name]).values.null_count() or role == "task"]
    several = {name: frame[name].n_unique() for name in texts if frame[name].n_unique() < frame.height}
    if role == "arm":
        few = {name: n for name, n in several.items() if n <= _MOST_ARMS and not holds_scores(frame[name])}
        return min(few, key=lambda name: few[name], default=None)
    ids = {name: n for name, n in several.items() if n > 2}
    return max(ids, key=lambda name: ids[name], default=None)
