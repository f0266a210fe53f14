"""A wide table, a column an arm, becomes a long one: a row an arm and repeat."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from memtrial.outcomes.arm_cells import split_names
from memtrial.outcomes.column_roles import Role, is_measure, looks_like, plain
from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.score_texts import holds_scores, read_numbers
from memtrial.outcomes.sheet import Sheet
from memtrial.outcomes.table_fault import TableFault, UnclearTable

_REPEATS = frozenset(
    {"run", "rep", "repeat", "repetition", "seed", "trial", "attempt", "epoch", "sample", "iteration", "iter"}
    | {"round", "r", "s"}
)
_METRICS = (
    *("pass_1", "success_rate", "exact_match", "acc_norm", "is_correct", "judge_score"),
    *("score", "success", "accuracy", "acc", "reward", "passed", "pass", "resolved", "solved", "correct"),
    *("result", "outcome", "em", "f1", "rating", "grade"),
)
"""Words of a column's name that say what the score is; the longer before those that they hold."""
_EDGES = " \t_-.:/|()[]#@"
_SUMMARIES = frozenset(
    {"average", "avg", "mean", "total", "sum", "overall", "all", "all_tasks", "macro_average"}
    | {"micro_average", "overall_average"}
)
_BARE_REPEATS = 100
_MOST_COLUMNS = 1_000


@dataclass(frozen=True, slots=True)
class _WideColumn:
    """What a column of a wide table holds, by its name."""

    name: str
    arm: str
    repeat: str = ""
    metric: str = ""


def as_long(sheet: Sheet, columns: Mapping[Role, str], arms: Sequence[str]) -> tuple[Sheet, dict[Role, str]]:
    """The long form of a wide table, and the columns that it got; a table that is long stays as it is.

    Args:
        columns: what the user named; of a wide table `score` may name the metric of its columns.
        arms: that the user asked for.

    Raises:
        UnclearTable: its columns hold several metrics; TableFault: there are too many of them.
    """
    frame = sheet.frame
    wide = _wide_columns(frame, columns, arms)
    if len({column.arm for column in wide}) < 2:
        return sheet, {}
    if len(wide) > _MOST_COLUMNS:
        raise TableFault(f"at most {_MOST_COLUMNS:,} columns of scores are read; there are {len(wide):,}")
    names = {role: _free_name(role, frame.columns) for role in ("arm", "repeat", "score")}
    repeated = any(column.repeat for column in wide)
    # rows at the end that sum up the table are no tasks
    frame, summed = _without_summaries(frame, [column.name for column in wide])
    rest = frame.drop([column.name for column in wide])
    parts = [
        rest.with_columns(
            pl.lit(column.arm).alias(names["arm"]),
            *((pl.lit(column.repeat).alias(names["repeat"]),) if repeated else ()),
            frame[column.name].alias(names["score"]),
        )
        for column in wide
    ]
    told = f"a column an arm: {list_names([column.name for column in wide], 12)}"
    notes = (*sheet.notes, told, *((f"left out as a summary: {list_names(summed)}",) if summed else ()))
    made: dict[Role, str] = {"arm": names["arm"], "score": names["score"]}
    if repeated:
        made["repeat"] = names["repeat"]
    return replace(sheet, frame=pl.concat(parts), notes=notes), made


def _wide_columns(
    frame: pl.DataFrame, columns: Mapping[Role, str], arms: Sequence[str]
) -> tuple[_WideColumn, ...]:
    """The columns that hold scores of an arm each; none where the table is long."""
    metric = columns.get("score", "")
    if "arm" in columns or metric in frame.columns:
        return ()
    others = {*columns.values()}
    free = [name for name in frame.columns if name not in others and not is_measure(name)]
    scored = [name for name in free if holds_scores(frame[name])]
    if not metric and any(looks_like("score", name) for name in free):
        return ()
    if any(looks_like("arm", name) and name not in scored for name in free):
        return ()
    roles: tuple[Role, ...] = ("task", "condition", "repeat", "backbone", "cluster", "error")
    held = [name for name in scored if not any(looks_like(role, name) for role in roles)]
    parsed = _read_names(held)
    if arms:
        asked = split_names(arms, [column.arm for column in parsed])
        return _of_one_metric([column for column in parsed if column.arm in asked], plain(metric))
    return _of_one_metric(_in_range(frame, parsed), plain(metric))


def _in_range(frame: pl.DataFrame, columns: Sequence[_WideColumn]) -> tuple[_WideColumn, ...]:
    """Where some columns hold shares or words alone, those with other numbers are something else."""
    inside = tuple(
        column
        for column in columns
        if (numbers := read_numbers(frame[column.name]).values.drop_nulls()).is_between(0, 1).all()
        or numbers.is_empty()
    )
    return inside if len(inside) > 1 else tuple(columns)


def _of_one_metric(columns: Sequence[_WideColumn], asked: str) -> tuple[_WideColumn, ...]:
    by_metric: dict[str, list[_WideColumn]] = defaultdict(list)
    for column in columns:
        by_metric[column.metric].append(column)
    several = {
        name: own for name, own in by_metric.items() if len({column.arm for column in own}) > 1 and name
    }
    if asked:
        return tuple(by_metric.get(asked, ()))
    if len(several) > 1:
        raise UnclearTable(
            f"the columns of each arm hold {list_names(list(several))}; --score-column says which counts",
            "--score-column",
            next(iter(several)),
        )
    return tuple(next(iter(several.values()))) if several else tuple(columns)


def _read_names(names: Sequence[str]) -> list[_WideColumn]:
    """Arm, repeat and metric of each column's name; a bare number at its end is a repeat where arms agree."""
    read = [_read_name(name) for name in names]
    bare = {column.name: _split_number(column.arm) for column in read if not column.repeat}
    stems: dict[str, set[str]] = defaultdict(set)
    for stem, number in bare.values():
        stems[stem].add(number)
    counted = {frozenset(numbers) for numbers in stems.values()}
    if len(stems) < 2 or len(counted) != 1 or not _counts_up(next(iter(counted))):
        return read
    return [
        replace(column, arm=bare[column.name][0], repeat=bare[column.name][1])
        if column.name in bare
        else column
        for column in read
    ]


def _counts_up(numbers: Collection[str]) -> bool:
    """Whether texts are 0, 1, 2 … or 1, 2, 3 …, at least two; the first may lack, as pandas leaves it out."""
    whole = sorted(int(text or 0) for text in numbers if len(text) < 4)
    return 2 <= len(numbers) == len(whole) <= _BARE_REPEATS and whole in (
        list(range(len(whole))),
        list(range(1, len(whole) + 1)),
    )


def _read_name(name: str) -> _WideColumn:
    arm, repeat, metric = name.strip(), "", ""
    # `run1_baseline`, `baseline run 1`, `baseline (seed 0)`
    for _ in range(2):
        rest, number = _split_number(arm)
        word = rest.lower().replace("-", "_").split("_")[-1].split(" ")[-1].strip(_EDGES)
        if number and word in _REPEATS and len(rest) > len(word):
            arm, repeat = rest[: len(rest) - len(word)].rstrip(_EDGES), number
        head, _, tail = arm.replace("-", "_").replace(" ", "_").partition("_")
        first, digits = _split_number(head)
        if not repeat and digits and first.lower() in _REPEATS and tail:
            arm, repeat = arm[len(head) + 1 :], digits
        if not metric:
            arm, metric = _split_metric(arm)
    return _WideColumn(name, arm or name, repeat, metric)


def _split_number(text: str) -> tuple[str, str]:
    """A text without the digits at its end and what parts them from it, and these digits."""
    bare = text.rstrip(")] \t")
    stem = bare.rstrip("0123456789")
    return stem.rstrip(_EDGES), bare[len(stem) :]


def _split_metric(text: str) -> tuple[str, str]:
    lowered = text.lower().replace("@", "_").replace("-", "_").replace(" ", "_")
    for word in _METRICS:
        body = lowered.rstrip(")]")
        for before in "_.(/:":
            if body.endswith(f"{before}{word}"):
                return text[: len(body) - len(word)].rstrip(_EDGES), word
            if lowered.startswith(f"{word}{before}"):
                return _strip_edges(text[len(word) :]), word
    return text, ""


def _strip_edges(text: str) -> str:
    """A name without what parted it from another word; a bracket of its own stays closed."""
    stripped = text.strip(f"{_EDGES}%")
    return f"{stripped})" if stripped.count("(") == stripped.count(")") + 1 else stripped


def _without_summaries(frame: pl.DataFrame, scored: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The frame without rows at its end that are means or sums of the others, and what these are called."""
    rest = [name for name in frame.columns if name not in scored]
    left_out: list[str] = []
    while frame.height > 1 and rest:
        last = next((text for text in frame.select(rest).row(frame.height - 1) if text), "")
        if plain(last) not in _SUMMARIES:
            break
        left_out.append(last)
        frame = frame.head(frame.height - 1)
    return frame, left_out


def _free_name(name: str, taken: Collection[str]) -> str:
    return name if name not in taken else f"{name} of the column"
