"""Texts to scores (numbers in [0, 1], words, what is missing), and trials of one cell told apart."""

from collections.abc import Mapping
from math import inf
from types import MappingProxyType

import polars as pl

from memtrial.outcomes.column_roles import Role, Taken, option
from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.sheet import Sheet, distinct
from memtrial.outcomes.table_fault import TableFault


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


_SUCCESS = _words("true, t, yes, y, pass, passed, success, succeeded, correct, solved, resolved, win, won")
_FAILURE = _words(
    "false, f, no, n, fail, failed, failure, incorrect, wrong, unsolved, unresolved, loss, lost, "
    "not_resolved, not resolved"
)
_WORDS: Mapping[str, float] = MappingProxyType(dict.fromkeys(_SUCCESS, 1.0) | dict.fromkeys(_FAILURE, 0.0))
_ERRORS = _words(
    "error, errored, crash, crashed, exception, infra_error, infrastructure_error, provider_error"
)
_BLANK = _words(", nan, na, n/a, null, none, missing, -, --")
_NO_ERROR = _BLANK | _words("0, false, no, f, n, ok, okay, success, failure, done, completed, finished")
_MISSING = _BLANK | _ERRORS


def scores_of(column: pl.Series, name: str, scale: float) -> pl.Series:
    """The score of each row over the full one; null where there is none. Raises TableFault: it is none."""
    if not 0 < scale < inf:
        raise TableFault(f"--scale needs a positive number, the full score; got {scale:g}")
    word = column.str.to_lowercase()
    numbers = column.cast(pl.Float64, strict=False).fill_nan(None)
    score = word.replace_strict(dict(_WORDS), default=numbers, return_dtype=pl.Float64)
    _refuse_rows(
        column,
        (score.is_null() & ~word.is_in(list(_MISSING))) | score.is_infinite(),
        f"column {name!r}: a score is a number from 0 to 1, with a point, or a word such as true, false, pass"
        " or fail, and empty where the infrastructure failed; --score-column names another column",
    )
    _refuse_rows(
        column,
        (score < 0) | (score > scale),
        f"column {name!r}: a score lies from 0 to {scale:g}; --scale 100 divides percentages, --scale FULL"
        " scores with another full score",
    )
    # polars multiplies by the inverse, which rounds twice
    return pl.Series("score", score.to_numpy() / scale).fill_nan(None)


def _refuse_rows(column: pl.Series, wrong: pl.Series, needed: str) -> None:
    rows = wrong.fill_null(False).arg_true()
    if len(rows):
        more = f" (and {how_many(len(rows) - 1, 'more row')})" if len(rows) > 1 else ""
        raise TableFault(f"{needed}; row {rows[0] + 1} holds {column[rows[0]][:60]!r}{more}")


def errors_of(column: pl.Series, status: bool) -> pl.Series:
    """Rows that the infrastructure lost, by flags or messages; of a status only words for an error count."""
    word = column.str.to_lowercase()
    return word.is_in(list(_ERRORS)) if status else ~word.is_in(list(_NO_ERROR))


def numbers_of(column: pl.Series) -> pl.Series | None:
    """The column as numbers; None where some text is none."""
    numbers = column.cast(pl.Float64, strict=False).fill_nan(None)
    return None if numbers.null_count() else numbers


def score_words(column: pl.Series) -> str:
    """What a score column holds, in a few words: its values, or how many there are."""
    texts = [text for text in distinct(column) if text.lower() not in _MISSING]
    return list_names(sorted(texts)) if len(texts) <= 6 else f"{len(texts)} different numbers"


_TELLING = 8
"""Steps that all go up and none down: by chance in fewer than 1 of 200 tables of real repeats."""

_CELL = ("its_backbone", "cell", "task")


def rows_at(sheet: Sheet, taken: Taken, at: str) -> Sheet:
    """The rows of one attempt. Raises TableFault: no column counts attempts, or none of its values fits."""
    name = taken.get("repeat")
    if name is None:
        raise TableFault(f"--at {at} needs a column that counts attempts; {option('repeat')} names it")
    column = sheet.frame[name]
    rows = column == at
    numbers, wanted = numbers_of(column), numbers_of(pl.Series([at]))
    if numbers is not None and wanted is not None:
        rows = numbers == wanted[0]
    if not rows.any():
        raise TableFault(
            f"--at {at}: column {name!r} has no such value; there are {list_names(_order_values(column))}"
        )
    return Sheet(sheet.frame.filter(rows), sheet.unread, sheet.notes)


def repeats_of(trials: pl.DataFrame, taken: Taken, number_repeats: bool) -> pl.Series:
    """The repeat of each row, unique within its cell and task. Raises TableFault: rows are no repeats."""
    name, repeat = taken.get("repeat"), pl.repeat(0, trials.height, eager=True)
    if name is not None:
        numbers = numbers_of(trials["repeat"])
        if numbers is not None and "repeat" not in taken.named:
            _refuse_attempts(trials, numbers, name)
        column = trials["repeat"]
        repeat = column.cast(pl.Enum(distinct(column))).to_physical() if numbers is None else numbers
    trials = trials.with_columns(repeat.rank("dense").alias("number"))
    nth = trials.select(pl.int_range(pl.len()).over(*_CELL, "number")).to_series()
    if not number_repeats and (nth > 0).any():
        _refuse_doubled(trials, taken)
    # rows of several cells of the table may be one cell here
    apart = pl.DataFrame([trials["number"], nth.alias("nth"), trials["cell"]])
    return apart.select(pl.struct(pl.all()).rank("dense").cast(pl.Int64).alias("number")).to_series()


def _refuse_attempts(trials: pl.DataFrame, numbers: pl.Series, name: str) -> None:
    """Where what is solved stays solved, the column counts attempts, and a mean over them means nothing."""
    known = trials.with_columns(numbers.alias("repeat")).filter(pl.col("score").is_not_null())
    steps = known.sort("repeat", maintain_order=True).select(pl.col("score").diff().over(_CELL))["score"]
    up, down = int((steps > 0).sum()), int((steps < 0).sum())
    if up >= _TELLING and not down:
        values = _order_values(trials["repeat"])
        raise TableFault(
            f"column {name!r} looks like attempts at a task that end when it is solved: from one to the next "
            f"{up} scores go up and none goes down, so they are no repeats to be averaged. "
            f"--at {values[-1]} compares the scores at that one (there are {list_names(values)}); "
            f"{option('repeat')} {name} averages all the same"
        )


def _refuse_doubled(trials: pl.DataFrame, taken: Taken) -> None:
    trial = trials.group_by(*_CELL, "number", maintain_order=True)
    doubled = trial.agg(pl.first("arm", "condition"), pl.len()).filter(pl.col("len") > 1)
    first, named = doubled.row(0, named=True), taken.get("repeat")
    roles: tuple[Role, ...] = ("task", "arm", "condition")
    place = ", ".join(repr(first[role]) for role in roles if taken.get(role))
    more = f", and {doubled.height - 1:,} more have several" if doubled.height > 1 else ""
    apart = f"column {named!r} does not tell them apart" if named else "no column tells them apart"
    raise TableFault(
        f"{place} has {first['len']} rows{more}, and {apart}. If they are repeats, --number-repeats numbers"
        f" them in the order of the file, or {option('repeat')} names their column; if they are copies, take"
        " them out"
    )


def _order_values(column: pl.Series) -> list[str]:
    texts = distinct(column)
    return sorted(texts, key=float) if numbers_of(column) is not None else list(texts)
