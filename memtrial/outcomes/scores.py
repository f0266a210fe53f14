"""Texts to scores (numbers in [0, 1], words, what is missing), and trials of one cell told apart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memtrial.outcomes.column_roles import Role, Taken, option, plain
from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.grouping import codes_of, keys_of, rank_keys, with_codes
from memtrial.outcomes.score_texts import (
    BLANK,
    ERRORS,
    MISSING,
    PER_CENT,
    SHARE,
    ScoreRange,
    read_numbers,
    read_words,
)
from memtrial.outcomes.sheet import Sheet, distinct
from memtrial.outcomes.table_fault import TableFault, UnclearTable


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """A column of scores.

    Args:
        values: from 0 to 1, null where there is none.
        range: the lowest and the highest score of the column, which are 0 and 1 of the values.
        notes: how its numbers were written, where they were not plain.
    """

    values: pl.Series
    range: ScoreRange
    notes: tuple[str, ...]


_FEW_TEXTS = 1_000
"""So many are read once each; a million rows often have two."""


def scores_of(column: pl.Series, name: str, asked: ScoreRange | None = None) -> Scores:
    """The scores of a column, within their range.

    Args:
        asked: the range; None: shares, or per cent where every number bears the sign.

    Raises:
        TableFault: a text that is no score; UnclearTable: scores that lie in a likely other range.
    """
    rows, texts = pl.int_range(len(column), eager=True), column
    if column.n_unique() <= _FEW_TEXTS:
        coded = with_codes(column)
        rows, texts = coded.to_physical(), pl.Series(distinct(coded), dtype=pl.String)
    words, numbers = read_words(texts), read_numbers(texts)
    full = asked or (PER_CENT if numbers.percent else SHARE)
    values = numbers.values
    wrong = words.is_null() & values.is_null() & ~texts.str.to_lowercase().is_in(list(MISSING))
    _refuse_rows(
        column,
        (wrong | values.is_infinite())[rows],
        f"column {name!r}: a score is a number from 0 to 1, or a word such as true, false, pass or fail, and"
        " empty where the infrastructure failed; --score-column names another column",
    )
    outside = words.is_null() & ((values < full.low) | (values > full.high))
    likely = guess_range(values[rows]) if asked is None and outside.any() else None
    needed = (
        f"column {name!r}: a score lies from {full}; --scale 100 divides percentages, --range LOW,HIGH takes"
        " scores from another range"
    )
    if likely is not None:
        question = f"{needed}; {_name_rows(column, outside[rows])}"
        if likely.low:
            raise UnclearTable(question, "--range", f"{likely.low:g},{likely.high:g}")
        raise UnclearTable(question, "--scale", f"{likely.high:g}")
    _refuse_rows(column, outside[rows], needed)
    # polars multiplies by the inverse, which rounds twice
    shares = pl.Series((values.to_numpy() - full.low) / (full.high - full.low)).fill_nan(None)
    notes = ["its numbers have decimal commas"] if numbers.commas else []
    notes += ["its numbers are per cent"] if numbers.percent else []
    return Scores(words.fill_null(shares)[rows].alias("score"), full, tuple(notes))


_FULL_SCORES = (5.0, 7.0, 10.0, 100.0)
_LEAST_OUTSIDE = 0.1
"""Share of numbers outside 0 to 1 in a table of another range; fewer are slips of the pen."""


def guess_range(values: pl.Series) -> ScoreRange | None:
    """The range that numbers outside 0 to 1 are likely from: ratings, per cent, or signs; None: unclear."""
    known = values.drop_nulls()
    low, high = known.min(), known.max()
    if not isinstance(low, float) or not isinstance(high, float):
        return None
    if ((known < 0) | (known > 1)).sum() < _LEAST_OUTSIDE * len(known):
        return None
    if low < 0:
        return ScoreRange(-1.0, 1.0) if low >= -1 and high <= 1 else None
    full = next((full for full in _FULL_SCORES if high <= full), None)
    if full is None:
        return None
    # a rating begins at one; half steps are ratings, too
    is_rating = low >= 1 and full <= 10 and bool((known * 2 % 1 == 0).all())
    return ScoreRange(1.0 if is_rating else 0.0, full)


def _refuse_rows(column: pl.Series, wrong: pl.Series, needed: str) -> None:
    if wrong.fill_null(False).any():
        raise TableFault(f"{needed}; {_name_rows(column, wrong)}")


def _name_rows(column: pl.Series, wrong: pl.Series) -> str:
    rows = wrong.fill_null(False).arg_true()
    more = f" (and {how_many(len(rows) - 1, 'more row')})" if len(rows) > 1 else ""
    return f"row {rows[0] + 1} holds {column[rows[0]][:60]!r}{more}"


def errors_of(column: pl.Series, status: bool) -> pl.Series:
    """Rows that the infrastructure lost, by flags or messages; of a status only words for an error count."""
    word = column.str.to_lowercase()
    return word.is_in(list(ERRORS)) if status else ~word.is_in(list(_NO_ERROR))


def numbers_of(column: pl.Series) -> pl.Series | None:
    """The column as numbers; None where some text is none."""
    numbers = column.cast(pl.Float64, strict=False).fill_nan(None)
    return None if numbers.null_count() else numbers


def score_words(column: pl.Series) -> str:
    """What a score column holds, in a few words: its values, or how many there are."""
    texts = column.unique()
    texts = texts.filter(~texts.str.to_lowercase().is_in(list(MISSING)))
    return list_names(sorted(texts)) if len(texts) <= 6 else f"{len(texts)} different numbers"


_NO_ERROR = (
    BLANK
    | {"0", "false", "no", "f", "n", "ok", "okay", "success"}
    | {
        "failure",
        "done",
        "completed",
        "finished",
    }
)
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
    return replace(sheet, frame=sheet.frame.filter(rows))


def rows_where(sheet: Sheet, conditions: Sequence[str]) -> Sheet:
    """The rows whose columns hold what `COLUMN=VALUE` says. Raises TableFault: no such column or value."""
    frame = sheet.frame
    for text in conditions:
        name, sign, value = text.partition("=")
        if not sign or name not in frame.columns:
            raise TableFault(
                f"--where needs COLUMN=VALUE, of {list_names(sheet.frame.columns)}; got {text!r}"
            )
        rows = frame.filter(pl.col(name) == value)
        if rows.is_empty():
            there = list_names(sorted(distinct(frame[name])))
            raise TableFault(f"--where {text}: column {name!r} has no such value; there are {there}")
        frame = rows
    return replace(sheet, frame=frame)


def repeats_of(trials: pl.DataFrame, taken: Taken, number_repeats: bool, frame: pl.DataFrame) -> pl.Series:
    """The repeat of each row, unique within its cell and task.

    Args:
        frame: the table, in whose unused columns something may tell rows apart.

    Raises:
        TableFault: rows are copies; UnclearTable: rows may be repeats, or attempts that end when solved.
    """
    name, column = taken.get("repeat"), trials["repeat"]
    codes, texts = codes_of(column), pl.Series(distinct(column), dtype=pl.String)
    numbers = None if name is None else numbers_of(texts)
    if numbers is not None:
        codes = numbers.rank("dense").cast(pl.Int64).to_numpy()[codes] - 1
    cell = trials["cell"].to_numpy().astype(np.int64)
    place = keys_of([codes_of(trials["its_backbone"]), cell, codes_of(trials["task"])])
    trial = keys_of([place, codes])
    order = np.argsort(trial, kind="stable")
    if numbers is not None and "repeat" not in taken.named:
        _refuse_attempts(trials, place, order, str(name))
    if (np.diff(trial[order]) != 0).all():
        return pl.Series("number", rank_keys(keys_of([codes, cell])) + 1)
    trials = trials.with_columns(pl.Series("number", codes))
    nth = trials.select(pl.int_range(pl.len()).over(*_CELL, "number")).to_series().to_numpy()
    if not number_repeats:
        _refuse_doubled(trials, taken, frame)
    # rows of several cells of the table may be one cell here
    return pl.Series("number", rank_keys(keys_of([codes, nth, cell])) + 1)


def _refuse_attempts(
    trials: pl.DataFrame, place: NDArray[np.int64], order: NDArray[np.int64], name: str
) -> None:
    """Where what is solved stays solved, the column counts attempts, and a mean over them means nothing.

    Args:
        place: a number for the cell and task of each row.
        order: the rows by place, and in these by repeat.
    """
    score = trials["score"].fill_null(np.nan).to_numpy()
    order = order[~np.isnan(score[order])]
    steps = np.diff(score[order])[np.diff(place[order]) == 0]
    up, down = int((steps > 0).sum()), int((steps < 0).sum())
    if up >= _TELLING and not down:
        values = _order_values(trials["repeat"])
        raise UnclearTable(
            f"column {name!r} looks like attempts at a task that end when it is solved: from one to the next "
            f"{up} scores go up and none goes down, so they are no repeats to be averaged. "
            f"--at {values[-1]} compares the scores at that one (there are {list_names(values)}); "
            f"{option('repeat')} {name} averages all the same",
            "--at",
            values[-1],
        )


def _refuse_doubled(trials: pl.DataFrame, taken: Taken, frame: pl.DataFrame) -> None:
    trial = trials.group_by(*_CELL, "number", maintain_order=True)
    doubled = trial.agg(pl.first("arm", "condition"), pl.len()).filter(pl.col("len") > 1)
    first, named = doubled.row(0, named=True), taken.get("repeat")
    roles: tuple[Role, ...] = ("task", "arm", "condition")
    place = ", ".join(repr(first[role]) for role in roles if taken.get(role))
    more = f", and {doubled.height - 1:,} more have several" if doubled.height > 1 else ""
    apart = f"column {named!r} does not tell them apart" if named else "no column tells them apart"
    held = f"{place} has {first['len']} rows{more}, and "
    if (column := _ways_of_scoring(trials, taken, frame)) is not None:
        ways = distinct(frame[column])
        raise UnclearTable(
            f"{held}column {column!r} scores each of them in {len(ways)} ways: {list_names(ways)}. --where"
            f" {column}=VALUE takes those of one way",
            "--where",
            f"{column}={ways[0]}",
        )
    question = (
        f"{held}{apart}. If they are repeats, --number-repeats numbers them in the order of the file, or"
        f" {option('repeat')} names their column; if they are copies, take them out"
    )
    if frame.is_duplicated().any():
        raise TableFault(question)
    raise UnclearTable(question, "--number-repeats")


_WAYS = ("filter", "metric", "scorer", "grader", "judge", "rater", "annotator", "split")
"""Names of columns by which one trial has several rows."""


def _ways_of_scoring(trials: pl.DataFrame, taken: Taken, frame: pl.DataFrame) -> str | None:
    """The unused column that tells all rows of a trial apart, of those known to."""
    for name in taken.unused:
        if plain(name) in _WAYS and 1 < frame[name].n_unique() <= _MOST_WAYS:
            rows = trials.select(*_CELL, "number").with_columns(frame[name].alias("way"))
            if not rows.is_duplicated().any():
                return name
    return None


_MOST_WAYS = 20


def _order_values(column: pl.Series) -> list[str]:
    texts = distinct(column)
    numeric = numbers_of(pl.Series(texts, dtype=pl.String)) is not None
    return sorted(texts, key=float) if numeric else list(texts)
