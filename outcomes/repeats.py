"""Trials of one cell told apart: by a column, by one attempt of several, or by their order."""

from __future__ import annotations

import polars as pl

from loadbearing.outcomes.column_roles import Taken, option
from loadbearing.outcomes.count_words import listed
from loadbearing.outcomes.scores import numbers_of
from loadbearing.outcomes.sheet import Sheet, distinct
from loadbearing.outcomes.table_fault import TableFault

_TELLING = 8
"""Steps that all go up and none down: by chance in fewer than 1 of 200 tables of real repeats."""

_CELL = ("its_backbone", "cell", "task")


def rows_at(sheet: Sheet, taken: Taken, at: str) -> Sheet:
    """The rows of one attempt.

    Raises:
        TableFault: no column counts attempts, or none of its values is this one.
    """
    name = taken.get("repeat")
    if name is None:
        raise TableFault(f"--at {at} needs a column that counts attempts; {option('repeat')} names it")
    column = sheet.frame[name]
    rows = column == at
    numbers, wanted = numbers_of(column), numbers_of(pl.Series([at]))
    if not rows.any() and numbers is not None and wanted is not None:
        rows = numbers == wanted[0]
    if not rows.any():
        raise TableFault(
            f"--at {at}: column {name!r} has no such value; there are {listed(_ordered(column))}"
        )
    return Sheet(sheet.frame.filter(rows), sheet.unread, sheet.notes)


def repeat_numbers(column: pl.Series) -> pl.Series:
    """A number for each repeat, in the order of the numbers the column holds, else of the file."""
    numbers = numbers_of(column)
    return column.cast(pl.Enum(distinct(column))).to_physical() if numbers is None else numbers


def refuse_attempts(trials: pl.DataFrame, name: str) -> None:
    """Where what is solved stays solved, the column counts attempts, and a mean over them means nothing.

    Args:
        trials: with `its_backbone`, `cell`, `task`, `score` and the text of `repeat`.
        name: of the column, which the user did not name.

    Raises:
        TableFault: scores go up from one value of the column to the next and never down.
    """
    numbers = numbers_of(trials["repeat"])
    if numbers is None:
        return
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


def refuse_doubled_rows(trials: pl.DataFrame, sheet: Sheet, by: list[str], named: str | None) -> None:
    """Every trial stands once.

    Args:
        trials: with `its_backbone`, `cell`, `task` and `number`, which together name a trial.
        by: columns of the sheet that the first doubled trial is named by.
        named: the column that tells repeats apart, if there is one.

    Raises:
        TableFault: a trial has several rows; how many there are, how many of them are copies, and what to do.
    """
    counts = (
        trials.with_row_index("row")
        .group_by(*_CELL, "number")
        .agg(pl.first("row"), pl.len().alias("count"))
        .filter(pl.col("count") > 1)
        .sort("row")
    )
    if not counts.height:
        return
    row, count = counts.row(0)[-2:]
    place = ", ".join(repr(sheet.frame[name][row]) for name in by)
    said = f"{place} has {count} rows"
    if counts.height > 1:
        said += f", and {counts.height - 1:,} more have several"
    copies = sheet.frame.height - sheet.frame.n_unique()
    if copies:
        said += (
            f"; {copies:,} {'row is a copy' if copies == 1 else 'rows are copies'} of another in every column"
        )
    apart = f"column {named!r} does not tell them apart" if named else "no column tells them apart"
    raise TableFault(
        f"{said}, and {apart}. If they are repeats, --number-repeats numbers them in the order of the file, "
        f"or {option('repeat')} names their column; if they are copies, take them out"
    )


def numbered(trials: pl.DataFrame) -> pl.Series:
    """Place of each row among those of its trial, in the order of the file, counted from 0."""
    return trials.select(pl.int_range(pl.len()).over(*_CELL, "number")).to_series()


def told_apart(*parts: pl.Series) -> pl.Series:
    """One whole number for each combination, which sorts like the columns from left to right."""
    table = pl.DataFrame([part.alias(str(place)) for place, part in enumerate(parts)])
    order = table.unique().sort(table.columns).with_row_index("number")
    return table.join(order, on=table.columns, how="left", maintain_order="left")["number"]


def _ordered(column: pl.Series) -> list[str]:
    texts = distinct(column)
    return sorted(texts, key=float) if numbers_of(column) is not None else list(texts)
