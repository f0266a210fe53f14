"""A sheet becomes outcomes, and what was made of it is said line by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.cells import Cells, cells_of
from loadbearing.outcomes.column_roles import Role, Taken, option, take_columns
from loadbearing.outcomes.columns import Coded, first_rows, joint
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.outcomes import WITHOUT, Outcomes
from loadbearing.outcomes.pairing import refuse_unpaired
from loadbearing.outcomes.repeats import (
    numbered,
    refuse_attempts,
    refuse_doubled_rows,
    repeat_codes,
    rows_at,
    told_apart,
)
from loadbearing.outcomes.reserved_names import ALL, INTACT
from loadbearing.outcomes.scores import errors_of, numbers_of, score_words, scores_of
from loadbearing.outcomes.sheet import Sheet, held, listed
from loadbearing.outcomes.table_fault import TableFault

ONLY_BACKBONE = "model"
"""The name of the backbone in a table that does not name one."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user said about a table.

    Args:
        columns: the column of a role.
        reference: the arm that stands for an agent without memory.
        intact: the condition in which nothing was damaged.
        at: the value of the repeat column whose rows count, all others being left out.
        scale: the full score.
        number_repeats: rows of one cell are repeats, in the order of the file.
    """

    columns: Mapping[Role, str]
    reference: str | None = None
    intact: str | None = None
    at: str | None = None
    scale: float = 1.0
    number_repeats: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Shaped:
    """Outcomes from a table.

    Args:
        arms: without the reference, in the order of the file.
        conditions: damage, without `intact` and `without`, in the order of the file.
        reference: the table's name of the arm without memory; None where it has none.
        conditioned: the table says what was done to the memory.
        clustered: several tasks share a cluster.
        simulated: its backbones are simulated participants, or it says so.
        said: what was taken for what, as pairs of a word and a sentence.
        notes: choices and losses that a reader should know of.
    """

    outcomes: Outcomes
    arms: tuple[str, ...]
    conditions: tuple[str, ...]
    reference: str | None
    conditioned: bool
    clustered: bool
    simulated: bool
    said: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def shape(sheet: Sheet, asked: Asked) -> Shaped:
    """Take columns, give every row its cell, check it, and say what was done.

    Raises:
        TableFault: the table does not say what is to be compared, or cannot be; one line.
    """
    taken = take_columns(sheet, asked.columns)
    n_read, notes = sheet.n_rows, [*sheet.notes, *taken.notes]
    if asked.at is not None:
        sheet = sheet.keep(rows_at(sheet, taken, asked.at))
    cells = cells_of(sheet, taken, asked.reference, asked.intact)
    scores, lost = _scores(sheet, taken, asked.scale, notes)
    notes += cells.notes
    task, n = sheet.columns[taken.columns["task"]], sheet.n_rows
    if "" in held(task):
        row = int(np.flatnonzero(task.where(""))[0]) + 1
        raise TableFault(f"every row names its task; in row {row} column {taken.get('task')!r} is empty")
    backbone = _backbone(sheet, taken)
    repeat = _repeats(sheet, taken, asked, cells, backbone, scores)
    cluster = _cluster(sheet, taken, task, notes)
    kept = cells.kept
    columns = {
        "backbone": backbone,
        "arm": cells.arm,
        "condition": cells.condition,
        "task": task,
        "cluster": cluster or Coded.same("", n),
    }
    try:
        outcomes = Outcomes.from_columns(
            backbone=_some(columns["backbone"], kept),
            arm=_some(columns["arm"], kept),
            condition=_some(columns["condition"], kept),
            task=_some(columns["task"], kept),
            cluster=_some(columns["cluster"], kept),
            repeat=repeat[kept],
            score=scores[kept],
        )
    except ValueError as fault:
        raise TableFault(str(fault)) from fault
    refuse_unpaired(outcomes, taken, cells)
    clustered = len(set(outcomes.clusters.values())) < len(outcomes.tasks)
    arms = tuple(name for name in held(_some(cells.arm, kept)) if name != WITHOUT[0])
    conditions = tuple(c for c in held(_some(cells.condition, kept)) if c not in (INTACT, WITHOUT[1]))
    said = _said(sheet, taken, asked, cells, outcomes, n_read, lost, clustered)
    return Shaped(
        outcomes=outcomes,
        arms=arms,
        conditions=conditions,
        reference=cells.reference,
        conditioned=cells.conditioned,
        clustered=clustered,
        simulated=_simulated(sheet, backbone),
        said=tuple(said),
        notes=tuple(notes),
    )


def _some(column: Coded, rows: NDArray[np.bool_]) -> Coded:
    return Coded(column.codes[rows], column.values)


def _scores(sheet: Sheet, taken: Taken, scale: float, notes: list[str]) -> tuple[NDArray[np.float64], str]:
    """Scores with errors as NaN, and how many of these there are for which reason."""
    name = taken.columns["score"]
    scores = scores_of(sheet.columns[name], name, scale)
    empty = np.isnan(scores)
    flagged = np.zeros(len(scores), dtype=np.bool_)
    column = taken.get("error")
    if column is not None:
        status = column.lower() == "status"
        numbers = numbers_of(sheet.columns[column])
        if numbers is not None and not np.isin(numbers, (0.0, 1.0)).all():
            if "error" in taken.named:
                raise TableFault(
                    f"{option('error')} needs flags (0, 1) or messages; {column!r} holds other numbers"
                )
            notes.append(f"column {column!r} holds numbers other than 0 and 1 and was not taken for errors")
        else:
            flagged = errors_of(sheet.columns[column], status)
    scored = int((flagged & ~empty).sum())
    if scored:
        notes.append(
            f"{how_many(scored, 'row')} marked by column {column!r} as errors had a score, which is not used"
        )
    scores[flagged] = np.nan
    if np.isnan(scores).all():
        raise TableFault(f"no row has a score: column {name!r} is empty, or every row is an error")
    parts = [f"{int(flagged.sum()):,} by column {column!r}"] if flagged.any() else []
    only_empty = int((empty & ~flagged).sum())
    parts += [f"{only_empty:,} with an empty score"] if only_empty else []
    return scores, ", ".join(parts)


def _backbone(sheet: Sheet, taken: Taken) -> Coded:
    name = taken.get("backbone")
    if name is None:
        return Coded.same(ONLY_BACKBONE, sheet.n_rows)
    column = sheet.columns[name]
    names = {"": "not named", ALL: f"({ALL})"}  # a word of the analysis stays its own
    return Coded(column.codes, tuple(names.get(text, text) for text in column.values))


def _repeats(
    sheet: Sheet, taken: Taken, asked: Asked, cells: Cells, backbone: Coded, scores: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The repeat of each row, unique within its cell and task."""
    task = sheet.columns[taken.columns["task"]]
    name = taken.get("repeat")
    place = [backbone.codes, cells.source, task.codes]
    repeat = np.zeros(sheet.n_rows, dtype=np.int64)
    if name is not None and asked.at is None:
        repeat = repeat_codes(sheet.columns[name])
        if "repeat" not in taken.named:
            refuse_attempts(sheet.columns[name], name, place, scores)
    key = joint([*place, repeat])
    if asked.number_repeats:
        place_in_cell = numbered(key)
        repeat = told_apart(repeat, place_in_cell)
    else:
        by = [sheet.columns[column] for role in ("task", "arm", "condition") if (column := taken.get(role))]
        told_by = [sheet.columns[name]] if name is not None and asked.at is None else []
        refuse_doubled_rows(sheet, key, [*by, *told_by], name)
    return told_apart(repeat, cells.source)


def _cluster(sheet: Sheet, taken: Taken, task: Coded, notes: list[str]) -> Coded | None:
    """The cluster column; one that was only guessed and gives a task two clusters is left."""
    name = taken.get("cluster")
    if name is None:
        return None
    column = sheet.columns[name]
    column = Coded(column.codes, tuple("" if text.lower() == "nan" else text for text in column.values))
    pairs = first_rows(joint([task.codes, column.codes]))
    if "cluster" in taken.named or len(pairs) == len(held(task)):
        return column
    notes.append(f"column {name!r} gives some task two clusters, so each task stands for itself")
    return None


def _simulated(sheet: Sheet, backbone: Coded) -> bool:
    flag = next((column for name, column in sheet.columns.items() if name.lower() == "simulated"), None)
    says = flag is not None and bool({text.lower() for text in held(flag)} & {"1", "true", "yes"})
    return says or any(name.startswith("simulated/") for name in held(backbone))


def _said(
    sheet: Sheet,
    taken: Taken,
    asked: Asked,
    cells: Cells,
    outcomes: Outcomes,
    n_read: int,
    lost: str,
    clustered: bool,
) -> list[tuple[str, str]]:
    """What was taken for what, role by role."""

    def column(role: Role) -> Coded:
        return sheet.columns[taken.columns[role]]

    rows = f"{n_read:,}"
    if asked.at is not None:
        rows = f"{sheet.n_rows:,} of {n_read:,}, those with {taken.get('repeat')} = {asked.at}"
    if not cells.kept.all():
        rows += f"; {int((~cells.kept).sum()):,} of them are left out"
    said = [
        ("rows", rows),
        ("task", f"column {taken.get('task')!r}: {how_many(len(outcomes.tasks), 'task')}"),
    ]
    if (arm := taken.get("arm")) is not None:
        said.append(("arm", f"column {arm!r}: {listed(held(column('arm')), 12)}"))
    if cells.reference is not None:
        said.append(("reference", f"{cells.reference!r}, with which the other arms are compared"))
    if (condition := taken.get("condition")) is not None:
        said.append(("condition", f"column {condition!r}: {listed(held(column('condition')), 12)}"))
    scale = f", divided by {asked.scale:g}" if asked.scale != 1 else ""
    said.append(("score", f"column {taken.get('score')!r}: {score_words(column('score'))}{scale}"))
    if asked.at is None and (repeat := taken.get("repeat")) is not None:
        said.append(("repeat", f"column {repeat!r}: {len(held(column('repeat'))):,} different"))
    if asked.number_repeats:
        said.append(("repeat", "rows of one cell, numbered in the order of the file"))
    if (backbone := taken.get("backbone")) is not None:
        said.append(("backbone", f"column {backbone!r}: {listed(held(column('backbone')))}"))
    else:
        said.append(("backbone", f"no column names one; all rows stand under {ONLY_BACKBONE!r}"))
    if clustered:
        n_clusters = len(set(outcomes.clusters.values()))
        said.append(
            (
                "cluster",
                f"column {taken.get('cluster')!r}: {how_many(n_clusters, 'cluster')}, the unit of inference",
            )
        )
    else:
        said.append(("cluster", "none: each task stands for itself"))
    said.append(
        (
            "errors",
            f"{how_many(sum(outcomes.errors().values()), 'row')} ({lost}), in no mean" if lost else "none",
        )
    )
    ignored = (*taken.unused, *sheet.unread)
    if ignored:
        said.append(("ignored", f"{'column' if len(ignored) == 1 else 'columns'} {listed(ignored, 12)}"))
    return said
