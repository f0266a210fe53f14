"""Trials of one cell told apart: by a column, by one attempt of several, or by their order."""

import polars as pl

from loadbearing.outcomes.column_roles import Role, Taken, option
from loadbearing.outcomes.count_words import listed
from loadbearing.outcomes.scores import numbers_of
from loadbearing.outcomes.sheet import Sheet, TableFault, distinct

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
            f"--at {at}: column {name!r} has no such value; there are {listed(_ordered(column))}"
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
        values = _ordered(trials["repeat"])
        raise TableFault(
            f"column {name!r} looks like attempts at a task that end when it is solved: from one to the next "
            f"{up} scores go up and none goes down, so they are no repeats to be averaged. "
            f"--at {values[-1]} compares the scores at that one (there are {listed(values)}); "
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


def _ordered(column: pl.Series) -> list[str]:
    texts = distinct(column)
    return sorted(texts, key=float) if numbers_of(column) is not None else list(texts)
