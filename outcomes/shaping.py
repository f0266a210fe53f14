"""A sheet becomes outcomes, and what was made of it is said line by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from loadbearing.outcomes.cells import ONLY_ARM, Cells, cells_of, refuse_unpaired
from loadbearing.outcomes.column_roles import Role, Taken, option, take_columns
from loadbearing.outcomes.columns import Columns
from loadbearing.outcomes.count_words import how_many, listed
from loadbearing.outcomes.outcomes import WITHOUT, Outcomes
from loadbearing.outcomes.repeats import (
    numbered,
    refuse_attempts,
    refuse_doubled_rows,
    repeat_numbers,
    rows_at,
    told_apart,
)
from loadbearing.outcomes.reserved_names import ALL, INTACT
from loadbearing.outcomes.scores import errors_of, numbers_of, score_words, scores_of
from loadbearing.outcomes.sheet import Sheet, coded, distinct, refuse_empty
from loadbearing.outcomes.table_fault import TableFault

ONLY_BACKBONE = "model"
"""The name of the backbone in a table that does not name one."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What the user said about a table.

    Args:
        columns: the column of a role.
        reference: the arm that stands for an agent without memory.
        intact: the condition in which nothing was damaged.
        at: the value of the repeat column whose rows count, all others being left out.
        scale: the full score.
        number_repeats: rows of one cell are repeats, in the order of the file.
    """

    columns: Mapping[Role, str] = field(default_factory=dict)
    reference: str | None = None
    intact: str | None = None
    at: str | None = None
    scale: float = 1.0
    number_repeats: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeTable:
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


def shape(sheet: Sheet, asked: TableOptions) -> OutcomeTable:
    """Take columns, give every row its cell, check it, and say what was done.

    Raises:
        TableFault: the table does not say what is to be compared, or cannot be; one line.
    """
    taken = take_columns(sheet, asked.columns)
    n_read, notes = sheet.frame.height, [*sheet.notes, *taken.notes]
    if asked.at is not None:
        sheet = rows_at(sheet, taken, asked.at)
    trials = _trials(sheet, taken)
    cells = cells_of(trials, taken, asked.reference, asked.intact)
    places = [
        (*pair, place, *(cell or WITHOUT), cell is not None)
        for place, (pair, cell) in enumerate(cells.placed.items())
    ]
    names = ("arm", "condition", "cell", "its_arm", "its_condition", "kept")
    trials = trials.join(
        pl.DataFrame(places, schema=names, orient="row"),
        on=["arm", "condition"],
        how="left",
        maintain_order="left",
    )
    score, errors = _scores(trials, taken, asked.scale, notes)
    trials = trials.with_columns(score, trials["score"].alias("text"))
    notes += cells.notes
    refuse_empty(trials["task"], "task", taken.columns["task"])
    trials = trials.with_columns(
        _repeats(trials, sheet, taken, asked).alias("number"), _cluster(trials, taken, notes).alias("cluster")
    )
    kept = trials.filter("kept")
    try:
        outcomes = Outcomes.from_columns(
            Columns(
                backbone=coded(kept["its_backbone"]),
                arm=coded(kept["its_arm"]),
                condition=coded(kept["its_condition"]),
                task=coded(kept["task"]),
                cluster=coded(kept["cluster"]),
                repeat=kept["number"].to_numpy().astype(np.int64),
                score=kept["score"].to_numpy(),
            )
        )
    except ValueError as fault:
        raise TableFault(str(fault)) from fault
    refuse_unpaired(outcomes, taken, cells)
    said = _said(trials, taken, asked, cells, outcomes, n_read, errors)
    if ignored := (*taken.unused, *sheet.unread):
        said.append(("ignored", f"{'column' if len(ignored) == 1 else 'columns'} {listed(ignored, 12)}"))
    return OutcomeTable(
        outcomes=outcomes,
        arms=tuple(name for name in distinct(kept["its_arm"]) if name != WITHOUT[0]),
        conditions=tuple(c for c in distinct(kept["its_condition"]) if c not in (INTACT, WITHOUT[1])),
        reference=cells.reference,
        conditioned=cells.conditioned,
        clustered=len(set(outcomes.clusters.values())) < len(outcomes.tasks),
        simulated=_simulated(sheet, trials),
        said=tuple(said),
        notes=tuple(notes),
    )


def _trials(sheet: Sheet, taken: Taken) -> pl.DataFrame:
    """The columns taken, by the names of their roles; `arm`, `condition` and `backbone` are always there."""
    n = sheet.frame.height
    names = {"": "not named", ALL: f"({ALL})"}  # a word of the analysis stays its own
    trials = pl.DataFrame(
        {"arm": [ONLY_ARM] * n, "condition": [INTACT] * n, "backbone": [ONLY_BACKBONE] * n}
        | {role: sheet.frame[name] for role, name in taken.columns.items()}
    )
    return trials.with_columns(pl.col("backbone").replace(names).alias("its_backbone"))


def _scores(trials: pl.DataFrame, taken: Taken, scale: float, notes: list[str]) -> tuple[pl.Series, str]:
    """Scores with errors as null, and how many of these there are for which reason."""
    name, column = taken.columns["score"], taken.get("error")
    scores = scores_of(trials["score"], name, scale)
    flagged = pl.repeat(False, trials.height, eager=True)
    if column is not None:
        numbers = numbers_of(trials["error"])
        if numbers is None or numbers.is_in([0.0, 1.0]).all():
            flagged = errors_of(trials["error"], status=column.lower() == "status")
        elif "error" in taken.named:
            raise TableFault(
                f"{option('error')} needs flags (0, 1) or messages; {column!r} holds other numbers"
            )
        else:
            notes.append(f"column {column!r} holds numbers other than 0 and 1 and was not taken for errors")
    if scored := int((flagged & scores.is_not_null()).sum()):
        notes.append(
            f"{how_many(scored, 'row')} marked by column {column!r} as errors had a score, which is not used"
        )
    if (flagged | scores.is_null()).all():
        raise TableFault(f"no row has a score: column {name!r} is empty, or every row is an error")
    parts = [f"{flagged.sum():,} by column {column!r}"] if flagged.any() else []
    only_empty = int((scores.is_null() & ~flagged).sum())
    parts += [f"{only_empty:,} with an empty score"] if only_empty else []
    return scores.set(flagged, None).alias("score"), ", ".join(parts)


def _repeats(trials: pl.DataFrame, sheet: Sheet, taken: Taken, asked: TableOptions) -> pl.Series:
    """The repeat of each row, unique within its cell and task."""
    name = taken.get("repeat") if asked.at is None else None
    repeat = pl.repeat(0, trials.height, eager=True)
    if name is not None:
        repeat = repeat_numbers(trials["repeat"])
        if "repeat" not in taken.named:
            refuse_attempts(trials, name)
    trials = trials.with_columns(repeat.alias("number"))
    if asked.number_repeats:
        return told_apart(repeat, numbered(trials), trials["cell"])
    by = [column for role in ("task", "arm", "condition") if (column := taken.get(role)) is not None]
    refuse_doubled_rows(trials, sheet, [*by, name] if name else by, taken.get("repeat"))
    # rows of several cells of the table may be one cell here
    return told_apart(repeat, trials["cell"])


def _cluster(trials: pl.DataFrame, taken: Taken, notes: list[str]) -> pl.Series:
    """The cluster of each row; a column that was only guessed and gives a task two clusters is left."""
    name = taken.get("cluster")
    if name is not None:
        column = trials["cluster"]
        column = column.set(column.str.to_lowercase() == "nan", "")
        pairs = pl.DataFrame([trials["task"], column]).n_unique()
        if "cluster" in taken.named or pairs == trials["task"].n_unique():
            return column
        notes.append(f"column {name!r} gives some task two clusters, so tasks are independent")
    return pl.repeat("", trials.height, eager=True)


def _simulated(sheet: Sheet, trials: pl.DataFrame) -> bool:
    flags = (column for column in sheet.frame if column.name.lower() == "simulated")
    says = any(text.lower() in ("1", "true", "yes") for column in flags for text in distinct(column))
    return says or any(name.startswith("simulated/") for name in distinct(trials["its_backbone"]))


def _said(
    trials: pl.DataFrame,
    taken: Taken,
    asked: TableOptions,
    cells: Cells,
    outcomes: Outcomes,
    n_read: int,
    errors: str,
) -> list[tuple[str, str]]:
    """What was taken for what, role by role."""

    def column(role: Role, words: str) -> list[tuple[str, str]]:
        return [(role, f"column {taken.get(role)!r}: {words}")] if taken.get(role) is not None else []

    def texts(role: Role, most: int = 8) -> str:
        return listed(distinct(trials[role]), most)

    rows = f"{n_read:,}"
    if asked.at is not None:
        rows = f"{trials.height:,} of {n_read:,}, those with {taken.get('repeat')} = {asked.at}"
    if left_out := trials.height - trials["kept"].sum():
        rows += f"; {left_out:,} of them are left out"
    scale = f", divided by {asked.scale:g}" if asked.scale != 1 else ""
    n_clusters = len(set(outcomes.clusters.values()))
    said = [
        ("rows", rows),
        *column("task", how_many(len(outcomes.tasks), "task")),
        *column("arm", texts("arm", 12)),
    ]
    if cells.reference is not None:
        said.append(("reference", f"{cells.reference!r}, with which the other arms are compared"))
    said += column("condition", texts("condition", 12))
    said += column("score", f"{score_words(trials['text'])}{scale}")
    if asked.at is None and taken.get("repeat") is not None:
        said += column("repeat", f"{trials['repeat'].n_unique():,} different")
    if asked.number_repeats:
        said.append(("repeat", "rows of one cell, numbered in the order of the file"))
    said += column("backbone", texts("backbone")) or [
        ("backbone", f"no column names one; all rows stand under {ONLY_BACKBONE!r}")
    ]
    if n_clusters < len(outcomes.tasks):
        said += column("cluster", f"{how_many(n_clusters, 'cluster')}, the unit of inference")
    else:
        said.append(("cluster", "none: tasks are independent"))
    n_errors = how_many(sum(outcomes.errors().values()), "row")
    said.append(("errors", f"{n_errors} ({errors}), in no mean" if errors else "none"))
    return said
