"""A sheet becomes outcomes, and what was made of it is said line by line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from memtrial.outcomes.arm_cells import Cells, cells_of, refuse_unpaired, rows_of_arms
from memtrial.outcomes.column_roles import Role, Taken, option, take_columns
from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.grouping import constant, take_families, with_codes
from memtrial.outcomes.outcomes import WITHOUT, Outcomes
from memtrial.outcomes.reserved_names import ALL, INTACT
from memtrial.outcomes.score_texts import SHARE
from memtrial.outcomes.scores import (
    Scores,
    errors_of,
    numbers_of,
    repeats_of,
    rows_at,
    rows_where,
    score_words,
    scores_of,
)
from memtrial.outcomes.sheet import Sheet, distinct
from memtrial.outcomes.table_fault import TableFault, UnclearTable
from memtrial.outcomes.table_options import (
    TableOptions,
    answer_question,
    option_words,
    quote_words,
    range_of,
    state_options,
)
from memtrial.outcomes.wide_columns import as_long

ONLY_ARM, ONLY_BACKBONE = "memory", "model"
"""The names of an arm and of a backbone that the table does not name."""


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


_MOST_QUESTIONS = 12


def shape_or_ask(
    sheet: Sheet,
    asked: TableOptions,
    command: Sequence[str] = (),
    pairs: Sequence[str] = (),
    within: str = "",
) -> OutcomeTable:
    """Make outcomes of a sheet; all that is unclear is asked at once, with what answers it.

    A question is answered as is likeliest, to come to the next; a table with a question is never analysed.

    Args:
        command: the words of the command line that is to be run again; empty: options in Python are named.
        pairs: see `shape`.
        within: the option of the command that takes options about a table; empty: they are its own.

    Raises:
        TableFault: one line; it ends in the command with the likeliest answers where these make an analysis.
    """
    questions: list[UnclearTable] = []
    settled = asked
    while True:
        try:
            shaped = shape(sheet, settled, pairs)
        except UnclearTable as unclear:
            if len(questions) == _MOST_QUESTIONS:
                raise
            questions.append(unclear)
            settled = answer_question(settled, unclear)
        except TableFault as fault:
            if not questions:
                raise
            raise TableFault(_number_questions([*questions, fault])) from fault
        else:
            if not questions:
                return shaped
            words = [word for unclear in questions for word in option_words(unclear, within)]
            again = f"options={state_options(settled)}" if not command else quote_words([*command, *words])
            which = "The likeliest answer" if len(questions) == 1 else "The likeliest answers"
            raise TableFault(f"{_number_questions(questions)}. {which}: {again}") from questions[0]


def _number_questions(questions: Sequence[TableFault]) -> str:
    if len(questions) == 1:
        return str(questions[0])
    numbered = " ".join(f"({number}) {question};" for number, question in enumerate(questions, 1))
    return f"{len(questions)} things about this table are unclear: {numbered[:-1]}"


def shape(sheet: Sheet, asked: TableOptions, pairs: Sequence[str] = ()) -> OutcomeTable:
    """Take columns, give every row its cell, check it, and say what was done; a TableFault is one line.

    Args:
        pairs: `TREATMENT:CONTROL`; in a table without conditions the control is the reference, and arms of
            no pair are left out.

    Raises:
        TableFault: the table is no table of outcomes; UnclearTable: the user has to say something.
    """
    held = sheet.frame.height
    sheet = rows_where(sheet, asked.where)
    sheet, made = as_long(sheet, asked.columns, asked.arms)
    taken = take_columns(sheet, {**asked.columns, **made})
    taken = replace(taken, named=taken.named - made.keys())
    rows, notes = f"{sheet.frame.height:,}", [*sheet.notes, *taken.notes]
    if asked.where:
        rows = f"{rows}, of a table of {held:,}, where {' and '.join(asked.where)}"
    if asked.at is not None:
        sheet = rows_at(sheet, taken, asked.at)
        rows = f"{sheet.frame.height:,} of {rows}, those with {taken.get('repeat')} = {asked.at}"
    sheet, reference = rows_of_arms(sheet, taken, asked, pairs)
    trials = _trials(sheet, taken)
    cells = cells_of(trials, taken, reference, asked.intact)
    score, errors = _scores(trials, taken, asked, notes)
    notes += cells.notes
    trials = _with_cells(trials, cells).with_columns(score.values, trials["score"].alias("text"))
    cluster = _cluster(trials, taken, notes)
    repeats = repeats_of(trials, taken, asked.number_repeats, sheet.frame)
    trials = trials.with_columns(repeats, cluster)
    outcomes = _outcomes(trials)
    refuse_unpaired(outcomes, taken, cells)
    lines = {"rows": rows} | _describe_roles(trials, taken, asked, cells, outcomes)
    if score.range != SHARE and asked.scale == 1:
        lines["score"] += f", from {score.range}, which are 0 and 1 here"
    lost = how_many(sum(outcomes.errors().values()), "row")
    lines["errors"] = f"{lost} ({errors}), in no mean" if errors else "none"
    lines["absent"] = _describe_absent(outcomes, cells, taken.get("condition") is not None, sheet.absent)
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
    absent = {role: constant(text, sheet.frame.height) for role, text in only.items()}
    trials = pl.DataFrame(absent | columns)
    for role in ("task", "arm"):
        for row in (trials[role] == "").arg_true().head(1):
            raise TableFault(
                f"every row names its {role}; in row {row + 1} column {taken.columns[role]!r} is empty"
            )
    names = {"": "not named", ALL: f"({ALL})"}  # a word of the analysis stays its own
    coded = columns.keys() & {"task", "arm", "condition", "repeat", "backbone"}
    trials = trials.with_columns(with_codes(trials[role]) for role in coded)
    own = trials["backbone"]
    if not names.keys().isdisjoint(distinct(own)):
        own = with_codes(own.cast(pl.String).replace(names))
    return trials.with_columns(own.alias("its_backbone"))


def _with_cells(trials: pl.DataFrame, cells: Cells) -> pl.DataFrame:
    places = [(*pair, place, *cell) for place, (pair, cell) in enumerate(cells.placed.items())]
    names = ("arm", "condition", "cell", "its_arm", "its_condition")
    table = pl.DataFrame(places, schema=names, orient="row")
    table = table.with_columns(
        *(table[name].cast(trials.schema[name]) for name in ("arm", "condition")),
        *(with_codes(table[name]) for name in ("its_arm", "its_condition")),
    )
    return trials.join(table, on=["arm", "condition"], how="left", maintain_order="left")


def _describe_absent(outcomes: Outcomes, cells: Cells, conditioned: bool, promised: int) -> str:
    """Rows that are not there, counted from the tasks and repeats that each cell has elsewhere."""
    names = {cell: " ".join(place) if conditioned else place[0] for place, cell in cells.placed.items()}
    absent: dict[str, int] = {}
    for table in map(outcomes.cells, outcomes.backbones):
        rows = table.trials[table.played]
        for cell, lacking in zip(table.cells, (rows.max(axis=0) - rows).sum(axis=0), strict=True):
            if lacking:
                absent[names[cell]] = absent.get(names[cell], 0) + int(lacking)
    told = ", ".join(f"{name!r} {count:,}" for name, count in absent.items())
    words = f"{how_many(sum(absent.values()), 'row')} that other tasks have: {told}" if absent else "none"
    return f"{words}; the logs planned {how_many(promised, 'sample')} more" if promised else words


def _scores(trials: pl.DataFrame, taken: Taken, asked: TableOptions, notes: list[str]) -> tuple[Scores, str]:
    """Scores with errors as null, and how many of these there are for which reason."""
    column, flags = taken.get("error"), trials["error"]
    read = scores_of(trials["score"], taken.columns["score"], range_of(asked))
    notes += [f"column {taken.columns['score']!r}: {note}" for note in read.notes]
    scores = read.values
    flagged, numbers = pl.repeat(False, trials.height, eager=True), None
    if column is not None:
        flagged, numbers = errors_of(flags, status=column.lower() == "status"), numbers_of(flags)
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
    return replace(read, values=scores.set(flagged, None)), ", ".join(parts)


def _cluster(trials: pl.DataFrame, taken: Taken, notes: list[str]) -> pl.Series:
    """The cluster of each row; a column that was only guessed and gives a task two clusters is left."""
    column = trials["cluster"]
    if taken.get("cluster") is None:
        return column
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
