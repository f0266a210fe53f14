"""Trials of one cell told apart: by a column, by one attempt out of several, or by their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.column_roles import Taken, option
from loadbearing.outcomes.columns import Coded, dense, joint
from loadbearing.outcomes.scores import numbers_of
from loadbearing.outcomes.sheet import Sheet, held, listed
from loadbearing.outcomes.table_fault import TableFault

_TELLING = 8
"""Steps that all go up and none down: by chance in fewer than 1 of 200 tables of real repeats."""


def rows_at(sheet: Sheet, taken: Taken, at: str) -> NDArray[np.bool_]:
    """Rows of one attempt, shape (n_rows,).

    Raises:
        TableFault: no column counts attempts, or none of its values is this one.
    """
    name = taken.get("repeat")
    if name is None:
        raise TableFault(f"--at {at} needs a column that counts attempts; {option('repeat')} names it")
    column = sheet.columns[name]
    rows = column.where(at)
    numbers, wanted = numbers_of(column), _whole(at)
    if not rows.any() and numbers is not None and wanted is not None:
        rows = numbers == wanted
    if not rows.any():
        raise TableFault(
            f"--at {at}: column {name!r} has no such value; there are {listed(_ordered(column))}"
        )
    return rows


def repeat_codes(column: Coded) -> NDArray[np.int64]:
    """A number for each repeat, in the order of the numbers it holds, else of the file."""
    numbers = numbers_of(column)
    return column.codes if numbers is None else np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def refuse_attempts(
    column: Coded, name: str, cell: Sequence[NDArray[np.int64]], scores: NDArray[np.float64]
) -> None:
    """Where what is solved stays solved, the column counts attempts, and a mean over them means nothing.

    Args:
        column: taken for the repeat without having been named.
        cell: backbone, arm and condition, and task of each row.
        scores: of each row.

    Raises:
        TableFault: scores go up from one value of the column to the next and never down.
    """
    numbers = numbers_of(column)
    if numbers is None:
        return
    known = ~np.isnan(scores)
    key = joint([part[known] for part in cell])
    order = np.lexsort((numbers[known], key))
    key, ranked = key[order], scores[known][order]
    steps = np.diff(ranked)[key[1:] == key[:-1]]
    up, down = int((steps > 0).sum()), int((steps < 0).sum())
    if up >= _TELLING and not down:
        values = _ordered(column)
        raise TableFault(
            f"column {name!r} looks like attempts at a task that end when it is solved: from one to the next "
            f"{up} scores go up and none goes down, so they are no repeats to be averaged. "
            f"--at {values[-1]} compares the scores at that one (there are {listed(values)}); "
            f"{option('repeat')} {name} averages all the same"
        )


def refuse_doubled_rows(
    sheet: Sheet, key: NDArray[np.int64], what: Sequence[Coded], named: str | None
) -> None:
    """Every trial stands once.

    Args:
        key: one number for each trial, shape (n_rows,).
        what: the columns that the first doubled trial is named by.
        named: the column that tells repeats apart, if there is one.

    Raises:
        TableFault: a trial has several rows; how many there are, how many of them are copies, and what to do.
    """
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    if counts.max(initial=0) < 2:
        return
    where = np.argmin(np.where(counts > 1, first, len(key)))
    place = ", ".join(repr(column.values[column.codes[first[where]]]) for column in what)
    cells = int((counts > 1).sum())
    distinct = len(np.unique(joint([column.codes for column in sheet.columns.values()])))
    copies = len(key) - distinct
    said = f"{place} has {counts[where]} rows" + (
        f", and {cells - 1:,} more have several" if cells > 1 else ""
    )
    if copies:
        said += (
            f"; {copies:,} {'row is a copy' if copies == 1 else 'rows are copies'} of another in every column"
        )
    by = f"column {named!r} does not tell them apart" if named else "no column tells them apart"
    raise TableFault(
        f"{said}, and {by}. If they are repeats, --number-repeats numbers them in the order of the file, or "
        f"{option('repeat')} names their column; if they are copies, take them out"
    )


def numbered(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """Place of each row among those of its key, in the order of the file, counted from 0."""
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    starts = (
        np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if len(key) else np.zeros(0, dtype=np.int64)
    )
    within = np.arange(len(key)) - np.repeat(starts, np.diff(np.r_[starts, len(key)]))
    places = np.empty(len(key), dtype=np.int64)
    places[order] = within
    return places


def told_apart(repeat: NDArray[np.int64], source: NDArray[np.int64]) -> NDArray[np.int64]:
    """Repeats of rows from several cells of a table that are one cell here."""
    return dense(joint([repeat, source]), always=True)[0]


def _ordered(column: Coded) -> list[str]:
    texts = list(held(column))
    return sorted(texts, key=float) if numbers_of(column) is not None else texts


def _whole(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
