"""Every figure of a report in the form of a paper: one column wide, with its data."""

from collections.abc import Iterator, Sequence

from memtrial.analysis.estimands.factor_effects import SCORE
from memtrial.analysis.result import Estimate
from memtrial.console.escape import harmless
from memtrial.outcomes.reserved_names import ALL
from memtrial.reports.figures.column.column_figure import ColumnFigure
from memtrial.reports.figures.column.column_forest import ForestRow, ForestText, forest_figures
from memtrial.reports.figures.column.column_plane import plane_figures
from memtrial.reports.figures.column.column_shares import funnel_figures, mode_figures
from memtrial.reports.figures.compared_arms import compared_estimates
from memtrial.reports.figures.forest import axis_label
from memtrial.reports.sections.figure_files import FORESTS
from memtrial.reports.text.failure_text import shown_rows
from memtrial.reports.text.published_text import rows_beside
from memtrial.reports.text.reading import condition_name
from memtrial.views.lookup import by_backbone, of_estimand, subject
from memtrial.views.rows.group_rows import GroupRow
from memtrial.views.rows.results import Results


def paper_figures(results: Results) -> tuple[ColumnFigure, ...]:
    """All that these results hold, each under its own name; of too many lines in several parts."""
    return tuple(_draw_all(harmless(results)))


def _draw_all(results: Results) -> Iterator[ColumnFigure]:
    compared = compared_estimates(results)
    if compared:
        yield from _estimates(results, "compared", compared)
    for estimand in FORESTS:
        if rows := of_estimand(results, estimand):
            yield from _estimates(results, estimand.replace(" ", "-"), rows)
    yield from plane_figures(results)
    if results.factors:
        yield from _factors(results)
    if results.task_families:
        yield from _groups(results, "task-families", by_backbone(results, results.task_families))
    yield from funnel_figures(results)
    if results.failure_modes is not None:
        yield from mode_figures("modes", shown_rows(results.failure_modes))
        yield from mode_figures("published", rows_beside(results.failure_modes))
    yield from _ablation(results)


def _estimates(results: Results, name: str, rows: Sequence[Estimate]) -> Iterator[ColumnFigure]:
    several = len({row.backbone for row in rows}) > 1
    alone = all(row.estimand in ("utility", "dose") for row in rows)

    def above(row: Estimate) -> tuple[str, ...]:
        backbone = "all backbones: their mean" if row.backbone == ALL else row.backbone
        return (*((backbone,) if several else ()), *(() if alone else (subject(row),)))

    lines = [
        ForestRow(above(row), _label(row, alone), row.estimate, row.low, row.high, row.verdict)
        for row in rows
    ]
    kinds = " and ".join(dict.fromkeys(row.estimand for row in rows))
    about = f"Estimates with intervals, {kinds}; hollow marks are open questions."
    yield from forest_figures(name, lines, results.margin, ForestText(axis_label(rows), about))


def _label(row: Estimate, alone: bool) -> str:
    if alone:
        return subject(row)
    part = f"{row.share:.0%} " if row.share is not None else ""
    return f"{part}{condition_name(row.condition)}"


def _factors(results: Results) -> Iterator[ColumnFigure]:
    several = len({row.backbone for row in results.factors}) > 1
    lines = []
    for row in by_backbone(results, results.factors):
        backbone = "all backbones" if row.backbone == ALL else row.backbone
        factor = f"{row.factor}: {row.level_pair}"
        above = (backbone, factor) if several else (factor,)
        outcome = "intact score" if row.outcome == SCORE else f"drop, {row.outcome}"
        lines.append(ForestRow(above, outcome, row.estimate, row.low, row.high, row.verdict))
    text = ForestText("main effect, in points of score", "Main effects of the factors of the arms.")
    yield from forest_figures("factors", lines, results.margin, text)


def _groups(results: Results, name: str, rows: Sequence[GroupRow]) -> Iterator[ColumnFigure]:
    lines = [
        ForestRow(
            (row.backbone, f"{row.arm}: {_estimand_words(row)}"),
            row.heading or row.group,
            *(row.shrunk, row.low_shrunk, row.high_shrunk),
            "",
        )
        for row in rows
    ]
    text = ForestText("drawn to the mean, in points of score", "Effects by family of tasks.")
    yield from forest_figures(name, lines, results.margin, text)


def _estimand_words(row: GroupRow) -> str:
    return "utility" if row.estimand == "utility" else f"drop, {condition_name(row.condition)}"


def _ablation(results: Results) -> Iterator[ColumnFigure]:
    """Main effects and interactions of gates; their intervals hold together."""
    if results.ablation is None:
        return
    effects = [effect for effect in results.ablation.effects if not effect.of_mode]
    several = len(results.backbones) > 1
    lines = [
        ForestRow(
            (*((effect.backbone,) if several else ()), effect.gate),
            effect.outcome if effect.outcome == "utility" else f"{effect.outcome}, {effect.condition}",
            *(effect.effect, effect.low, effect.high),
            "",
        )
        for effect in by_backbone(results, effects)
    ]
    if lines:
        text = ForestText("effect of the gate, intervals hold together", "Effects of gates.")
        yield from forest_figures("ablation", lines, 0.0, text)
