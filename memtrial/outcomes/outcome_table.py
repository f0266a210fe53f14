"""A sheet becomes outcomes, and what was made of it is said line by line."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from memtrial.outcomes.column_roles import (
    Cells,
    Role,
    Taken,
    cells_of,
    option,
    refuse_unpaired,
    take_columns,
)
from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.grouping import take_families
from memtrial.outcomes.outcomes import WITHOUT, Outcomes
from memtrial.outcomes.reserved_names import ALL, INTACT
from memtrial.outcomes.scores import errors_of, numbers_of, repeats_of, rows_at, score_words, scores_of
from memtrial.outcomes.sheet import Sheet, distinct
from memtrial.outcomes.table_fault import TableFault

ONLY_ARM, ONLY_BACKBONE = "memory", "model"
"""The names of an arm and of a backbone that the table does not name."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What the user said about a table.

    Args:
        columns: the column of a role.
        reference, intact: the arm without memory, and the condition in which nothing was damaged.
        at: the value of the repeat column whose rows count, all others being left out.
        scale: the full score.
        number_repeats: rows of one cell are repeats, in the order of the file.
        family: the column that names the family of each task.
    """

    columns: Mapping[Role, str] = field(default_factory=dict)
    reference: str | None = None
    intact: str | None = None
    at: str | None = None
    scale: float = 1.0
    number_repeats: bool = False
    family: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeTable:
    """Outcomes from a table.

    Args:
        arms, conditions: without the reference, `intact` and `without`, in the order of the file.
        reference: the table's name of the arm without memory; None where it has none.
        conditioned: the table says what was done to the memory.
        said: what was taken for what, as pairs of a word and a sentence.
        families: the family of each task, where a column names one.
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
    families: Mapping[str, str] = field(default_factory=dict)


def shape(sheet: Sheet, asked: TableOptions) -> OutcomeTable:
    """Take columns, give every row its cell, check it, and say what was done; a TableFault is one line."""
    taken = take_columns(sheet, asked.columns)
    rows, notes = f"{sheet.frame.height:,}", [*sheet.notes, *taken.notes]
    if asked.at is not None:
        sheet = rows_at(sheet, taken, asked.at)
        rows = f"{sheet.frame.height:,} of {rows}, those with {taken.get('repeat')} = {asked.at}"
    trials = _trials(sheet, taken)
    cells = cells_of(trials, taken, asked.reference, asked.intact)
    score, errors = _scores(trials, taken, asked.scale, notes)
    notes += cells.notes
    trials = _with_cells(trials, cells).with_columns(score, trials["score"].alias("text"))
    cluster = _cluster(trials, taken, notes)
    trials = trials.with_columns(repeats_of(trials, taken, asked.number_repeats), cluster)
    outcomes = _outcomes(trials)
    refuse_unpaired(outcomes, taken, cells)
    lines = {"rows": rows} | _describe_roles(trials, taken, asked, cells, outcomes)
    lost = how_many(sum(outcomes.errors().values()), "row")
    lines["errors"] = f"{lost} ({errors}), in no mean" if errors else "none"
    family, families = take_families(sheet.frame, taken.columns["task"], asked.family)
    if family is not None:
        lines["family"] = f"column {family!r}: {list_names(distinct(sheet.frame[family]))}"
    if ignored := (*(name for name in taken.unused if name != family), *sheet.unread):
        lines["ignored"] = f"{'column' if len(ignored) == 1 else 'columns'} {list_names(ignored, 12)}"
    flags = (column for column in sheet.frame if column.name.lower() == "simulated")
    simulated = any(text.lower() in ("1", "true", "yes") for column in flags for text in distinct(column))
    return OutcomeTable(
        outcomes=outcomes,
        arms=tuple(name for name in distinct(trials["its_arm"]) if name != WITHOUT[0]),
        conditions=tuple(c for c in distinct(trials["its_condition"]) if c not in (INTACT, WITHOUT[1])),
        reference=cells.reference,
        conditioned=taken.get("condition") is not None,
        clustered=len(set(outcomes.clusters.values())) < len(outcomes.tasks),
        simulated=simulated or any(name.startswith("simulated/") for name in outcomes.backbones),
        said=tuple(lines.items()),
        notes=tuple(notes),
        families=families,
    )


def _trials(sheet: Sheet, taken: Taken) -> pl.DataFrame:
    """A column for each role, by its name; those that the table does not have hold one text."""
    only = {"arm": ONLY_ARM, "condition": INTACT, "backbone": ONLY_BACKBONE}
    only |= {"repeat": "", "cluster": "", "error": ""}
    columns = {role: sheet.frame[name] for role, name in taken.columns.items()}
    trials = sheet.frame.select(
        *(pl.lit(text).alias(role) for role, text in only.items() if role not in columns),
        *(column.alias(role) for role, column in columns.items()),
    )
    for role in ("task", "arm"):
        for row in (trials[role] == "").arg_true().head(1):
            raise TableFault(
                f"every row names its {role}; in row {row + 1} column {taken.columns[role]!r} is empty"
            )
    names = {"": "not named", ALL: f"({ALL})"}  # a word of the analysis stays its own
    return trials.with_columns(pl.col("backbone").replace(names).alias("its_backbone"))


def _with_cells(trials: pl.DataFrame, cells: Cells) -> pl.DataFrame:
    places = [(*pair, place, *cell) for place, (pair, cell) in enumerate(cells.placed.items())]
    names = ("arm", "condition", "cell", "its_arm", "its_condition")
    table = pl.DataFrame(places, schema=names, orient="row")
    return trials.join(table, on=["arm", "condition"], how="left", maintain_order="left")


def _scores(trials: pl.DataFrame, taken: Taken, scale: float, notes: list[str]) -> tuple[pl.Series, str]:
    """Scores with errors as null, and how many of these there are for which reason."""
    column, flags = taken.get("error"), trials["error"]
    scores = scores_of(trials["score"], taken.columns["score"], scale)
    flagged = errors_of(flags, status=(column or "").lower() == "status")
    numbers = numbers_of(flags)
    if numbers is not None and not numbers.is_in([0.0, 1.0]).all():
        if "error" in taken.named:
            raise TableFault(
                f"{option('error')} needs flags (0, 1) or messages; {column!r} holds other numbers"
            )
        notes.append(f"column {column!r} holds numbers other than 0 and 1 and was not taken for errors")
        flagged = pl.repeat(False, trials.height, eager=True)
    if scored := int((flagged & scores.is_not_null()).sum()):
        notes.append(
            f"{how_many(scored, 'row')} marked by column {column!r} as errors had a score, which is not used"
        )
    empty = scores.is_null() & ~flagged
    if (flagged | empty).all():
        raise TableFault(
            f"no row has a score: column {taken.columns['score']!r} is empty, or every row is an error"
        )
    parts = [f"{flagged.sum():,} by column {column!r}"] if flagged.any() else []
    parts += [f"{empty.sum():,} with an empty score"] if empty.any() else []
    return scores.set(flagged, None), ", ".join(parts)


def _cluster(trials: pl.DataFrame, taken: Taken, notes: list[str]) -> pl.Series:
    """The cluster of each row; a column that was only guessed and gives a task two clusters is left."""
    column = trials["cluster"]
    column = column.set(column.str.to_lowercase() == "nan", "")
    pairs = pl.DataFrame([trials["task"], column]).n_unique()
    if "cluster" in taken.named or pairs == trials["task"].n_unique():
        return column
    notes.append(f"column {taken.get('cluster')!r} gives some task two clusters, so tasks are independent")
    return pl.repeat("", trials.height, eager=True).alias("cluster")


def _outcomes(trials: pl.DataFrame) -> Outcomes:
    own_names = {name: f"its_{name}" for name in ("backbone", "arm", "condition")}
    columns = (pl.col(column).alias(name) for name, column in (own_names | {"repeat": "number"}).items())
    try:
        return Outcomes(trials.select(*columns, "task", "cluster", "score"))
    except ValueError as fault:
        raise TableFault(str(fault)) from fault


def _describe_roles(
    trials: pl.DataFrame, taken: Taken, asked: TableOptions, cells: Cells, outcomes: Outcomes
) -> dict[str, str]:
    scale = f", divided by {asked.scale:g}" if asked.scale != 1 else ""
    n_clusters = len(set(outcomes.clusters.values()))
    words: dict[Role, str] = {
        "task": how_many(len(outcomes.tasks), "task"),
        "arm": list_names(distinct(trials["arm"]), 12),
        "condition": list_names(distinct(trials["condition"]), 12),
        "score": f"{score_words(trials['text'])}{scale}",
        "repeat": how_many(trials["repeat"].n_unique(), "value"),
        "backbone": list_names(distinct(trials["backbone"])),
        "cluster": f"{how_many(n_clusters, 'cluster')}, the unit of inference",
    }
    lines: dict[str, str] = {}
    for role, what in words.items():
        if taken.get(role) is not None:
            lines[role] = f"column {taken.get(role)!r}: {what}"
        if role == "arm" and cells.reference is not None:
            lines["reference"] = f"{cells.reference!r}, with which the other arms are compared"
    if asked.number_repeats:
        lines["repeat"] = "rows of one cell, numbered in the order of the file"
    lines.setdefault("backbone", f"no column names one; all rows stand under {ONLY_BACKBONE!r}")
    if n_clusters == len(outcomes.tasks):
        lines["cluster"] = "none: tasks are independent"
    return lines
