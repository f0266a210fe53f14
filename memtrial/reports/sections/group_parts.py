"""The part of a report on effects by family of tasks and by item."""

from collections.abc import Callable, Iterator
from functools import partial

from memtrial.reports.figures.group_forest import groups_svg
from memtrial.reports.sections.report_part import Fold, ReportPart
from memtrial.reports.text.group_lines import group_lines, rows_of
from memtrial.reports.text.text_table import Listing, TextTable, fields, tabulate
from memtrial.views.lookup import by_backbone
from memtrial.views.rows.results import Results

_NUMBERS = (
    *fields("n_tasks: tasks", "estimate", "low..high: interval of all at once"),
    *fields("shrunk: drawn to the mean", "low_shrunk..high_shrunk: its interval", "p", "p_adjusted"),
)
_HOW = (
    "The first intervals hold for all groups of one row of the results at once (Bonferroni). An estimate is"
    " drawn to the mean of all groups, the more the fewer its tasks and the more alike the groups (empirical"
    " Bayes); its interval holds for this group alone, whatever the others show. p is adjusted among the"
    " groups (Holm). Exploratory: no word rests on it."
)
TASK_FAMILIES = Listing(
    "task_families",
    f"{_HOW} What lives in some families only, or is opposite in two, shows here and not in the mean.",
    fields("backbone", "arm", "estimand", "condition", "group: family of tasks") + _NUMBERS,
)
ITEMS = Listing(
    "items",
    f"{_HOW} The effect is that of the slots that held the item: what else stood in them counts too, and only"
    " fresh trials in which this item alone is damaged confirm it. Items that were always shown together are"
    " one row. At most 24, in 4 tasks or more each.",
    fields("backbone", "arm", "estimand", "condition", "group: item", "heading") + _NUMBERS,
)
_HOW_COMPARED = (
    "SD: of the true effects of the groups, after Paule and Mandel. p: the larger of two, by relabelled units"
    " and by random signs inside groups; adjusted over all utilities and drops asked by the same kind of"
    " group (Holm)."
)


def group_parts(results: Results) -> Iterator[ReportPart]:
    """Effects by group, and whether they differ; nothing where there are no groups."""
    yield ReportPart.of(
        "groups",
        "Families of tasks: in which an effect lives",
        Fold("Effects by family of tasks", TASK_FAMILIES(results), _draw(results, "families")),
        Fold("Do the families differ?", _compare(results, "families")),
        lines=tuple(group_lines(results, "families")),
    )
    yield ReportPart.of(
        "items",
        "Items: in which an effect lives",
        Fold("Effects by item", ITEMS(results), _draw(results, "items")),
        Fold("Do the items differ?", _compare(results, "items")),
        lines=tuple(group_lines(results, "items")),
    )


def _compare(results: Results, of: str) -> TextTable:
    return tabulate(
        _HOW_COMPARED,
        by_backbone(results, (row for row in results.heterogeneity if row.of == of)),
        *fields("backbone", "arm", "estimand", "condition", "groups", "tau: SD", "p", "p_adjusted"),
    )


def _draw(results: Results, of: str) -> Callable[[], str] | None:
    """The figure; None where no group has two units, so that there is no interval."""
    rows = tuple(row for row in rows_of(results, of) if row.shrunk is not None)
    return partial(groups_svg, rows, results.margin) if rows else None
