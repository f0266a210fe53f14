"""The tables of a paper: verdicts, estimates, ablation, failure modes; fewer columns than a report's."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from memtrial.outcomes.reserved_names import ALL
from memtrial.reports.sections.ablation_tables import effects_table, interactions_table, modes_table
from memtrial.reports.sections.computed_tables import confidence
from memtrial.reports.sections.figure_files import FORESTS
from memtrial.reports.text.arm_readings import verdict_matrix
from memtrial.reports.text.failure_text import flow_table, mode_table
from memtrial.reports.text.published_text import published_table, rows_beside
from memtrial.reports.text.reading import SIMULATED, column_name, margin_text, phrases_of
from memtrial.reports.text.text_table import Column, TextTable, fields, tabulate
from memtrial.reports.text.verdict_glossary import printed_word
from memtrial.views.lookup import of_estimand, subject
from memtrial.views.rows.results import Results

MOST_ROWS = 45
"""Rows that a page has room for; a longer table comes in parts."""


class PaperTable(NamedTuple):
    """A table under the name of its file and its label."""

    name: str
    table: TextTable


class _Line(NamedTuple):
    backbone: str
    arm: str
    cells: tuple[str, ...]


def paper_tables(results: Results) -> tuple[PaperTable, ...]:
    """Those of which there are rows; of simulated participants each caption says so."""
    return tuple(
        PaperTable(f"{name}-{number}" if len(parts) > 1 else name, part)
        for name, table in _all(results)
        if table.rows
        for parts in [list(_split(_label(table, results.simulated)))]
        for number, part in enumerate(parts, 1)
    )


def _all(results: Results) -> Iterator[tuple[str, TextTable]]:
    several = len(results.backbones) > 1
    yield "verdicts", verdicts_table(results)
    for estimand in FORESTS:
        yield estimand.replace(" ", "-"), estimates_table(results, estimand)
    if results.ablation is not None:
        yield "ablation", effects_table(results.ablation, several)
        yield "ablation-pairs", interactions_table(results.ablation, several)
        yield "ablation-modes", modes_table(results.ablation, several)
    if results.failure_modes is not None:
        yield "failures", mode_table(results.failure_modes)
        if rows_beside(results.failure_modes):
            yield "published", published_table(results.failure_modes)
        yield "harm", flow_table(results.failure_modes)


def verdicts_table(results: Results) -> TextTable:
    """A row an arm, a column a kind of damage: the word, and the estimate in points of score."""
    matrix = verdict_matrix(results)
    lines = [
        _Line(backbone, arm, tuple(f"{printed_word(word)} {value}".strip() for word, value in entries))
        for backbone, arms in matrix.groups.items()
        for arm, entries in arms.items()
    ]
    heads = [column_name(results, name) for name in matrix.columns]
    columns = (
        Column(head, "text", lambda line, number=number: line.cells[number])  # type: ignore[misc]
        for number, head in enumerate(heads)
    )
    says = f"Verdicts. {phrases_of(results).matrix} Margin {margin_text(results)}, alpha {results.alpha:g}."
    return tabulate(says, lines, *_backbone(results), *fields("arm"), *columns)


def estimates_table(results: Results, estimand: str) -> TextTable:
    """Estimate, interval, adjusted p and verdict of every row of one estimand."""
    rows = of_estimand(results, estimand)
    kind = phrases_of(results).by_arm or estimand[:1].upper() + estimand[1:]
    return tabulate(
        f"{kind}, in points of score. Interval: {confidence(results)}, for that row alone; p is adjusted"
        " within its family of tests.",
        rows,
        *_backbone(results),
        Column("arm", "name", subject),
        *(fields("condition") if estimand not in ("utility", "dose") else ()),
        *(fields("share") if estimand == "retention" else ()),
        *fields("n_tasks: tasks", "estimate", "low..high: interval", "p_adjusted: p"),
        Column("verdict", "text", lambda row: printed_word(row.verdict)),
    )


def _backbone(results: Results) -> tuple[Column, ...]:
    """The column that says which model played, where there are several."""
    if len(results.backbones) < 2:
        return ()
    return (Column("backbone", "name", lambda row: "all" if row.backbone == ALL else row.backbone),)


def _label(table: TextTable, simulated: bool) -> TextTable:
    return replace(table, caption=f"{table.caption} {SIMULATED}") if simulated else table


def _split(table: TextTable) -> Iterator[TextTable]:
    starts = range(0, len(table.rows), MOST_ROWS)
    for number, start in enumerate(starts, 1):
        part = f" (Part {number} of {len(starts)}.)" if len(starts) > 1 else ""
        yield replace(table, caption=table.caption + part, rows=table.rows[start : start + MOST_ROWS])
