"""The parts of the report of an evolution below its first screen."""

from collections.abc import Iterator, Sequence
from functools import partial

from memtrial.outcomes.count_words import how_many
from memtrial.reports.figures.forest import forest_svg
from memtrial.reports.figures.lift_by_tries import lifts_by_tries, tries_svg
from memtrial.reports.figures.stream_course import course_arms, course_svg, reference_of_parts
from memtrial.reports.sections.evolution_tables import compared_table, metric_table
from memtrial.reports.sections.report_part import Fold, ReportPart
from memtrial.reports.text.evolution_text import LEARNS, tries_words
from memtrial.reports.text.text_table import Column, TextTable, tabulate
from memtrial.views.numbers import count, dollars, ends, is_known, plain, share, with_sign
from memtrial.views.rows.evolution_rows import (
    EvolutionResults,
    JudgeErrors,
    StreamPart,
)


def evolution_parts(results: EvolutionResults) -> tuple[ReportPart, ...]:
    """What the answer rests on."""
    return tuple(filter(None, _parts(results)))


def _parts(results: EvolutionResults) -> Iterator[ReportPart]:
    several = len(results.backbones) > 1
    yield ReportPart("arms", "What each arm does", tables=(_plan_table(results),))
    yield ReportPart.of(
        "course",
        "The lift along the stream",
        *_course_folds(results),
        says=(
            "The lift of a part is the success of the arm less that of the arm without memory on the same"
            " tasks of the same stream. Where memory helps as it grows, the lift grows.",
        ),
    )
    for number, compared in enumerate(results.comparisons, 1):
        yield ReportPart.of(
            f"compared-{number}",
            f"Against {compared.reference}: {compared.about}",
            Fold(
                "Differences with their intervals",
                compared_table(results, compared),
                partial(forest_svg, compared.estimates, results.margin),
            ),
        )
    if any(lifts_by_tries(results, backbone) for backbone in results.backbones):
        yield ReportPart(
            "tries",
            "What more tries are worth",
            (
                "Score less that of each task done once without memory, by the number of tries: `k` side by"
                " side, or one and `r` passes that correct it; and by what the arm learns. Where a line with"
                " memory lies above `none`, at as many tries, memory adds to them.",
            ),
            figure=partial(tries_svg, results),
        )
    yield ReportPart(
        "metrics",
        "What it takes",
        ("Halves are of the stream; items a hundred tasks; items a task that were shown, and cited.",),
        tables=(metric_table(results.metrics, several), _cost_table(results, several)),
    )
    yield ReportPart("growth", "What the banks learnt", tables=(_growth_table(results, several),))
    yield ReportPart(
        "judged", "How often the judge was wrong", tables=(_judge_table(results.judged, several),)
    )


def _plan_table(results: EvolutionResults) -> TextTable:
    return tabulate(
        "All arms of a stream do the same tasks in the same order.",
        results.arms,
        Column("arm", "name", lambda arm: arm.name),
        Column("does a task", "text", tries_words),
        Column("keeps", "text", lambda arm: LEARNS.get(arm.learn, arm.learn)),
    )


def _course_folds(results: EvolutionResults) -> Iterator[Fold]:
    for backbone in results.backbones:
        if course_arms(results, backbone, "lift"):
            yield Fold(f"The lift on {backbone}", None, partial(course_svg, results, backbone, "lift"))
    yield Fold("Success, lift and items in numbers", _course_table(results, len(results.backbones) > 1))


def _course_table(results: EvolutionResults, several: bool) -> TextTable:
    reference = reference_of_parts(results)

    def success(row: StreamPart) -> str:
        low, high = row.success_low, row.success_high
        return f"{plain(row.success)} [{plain(low)}, {plain(high)}]" if is_known(low) else plain(row.success)

    return tabulate(
        (f"Lift: success less that of {reference}. " if reference else "")
        + "Items: learnt up to the end of the part, the mean of streams.",
        results.parts,
        Column("backbone", "name", lambda row: row.backbone if several else ""),
        Column("arm", "name", lambda row: row.arm),
        Column("tasks", "text", lambda row: f"{row.first}–{row.last}"),
        Column("success", "number", success),
        Column("lift", "number", lambda row: _lift(row)),
        Column("items", "number", lambda row: "" if row.items is None else f"{row.items:.1f}"),
    )


def _lift(row: StreamPart) -> str:
    if not is_known(row.lift):
        return ""
    return (
        f"{with_sign(row.lift)} {ends(row.lift_low, row.lift_high)}"
        if is_known(row.lift_low)
        else with_sign(row.lift)
    )


def _cost_table(results: EvolutionResults, several: bool) -> TextTable:
    return tabulate(
        "Requests a task and what they cost. A try went right: in these tasks a perfect judge would hand in"
        " a solution.",
        results.metrics,
        Column("backbone", "name", lambda row: row.backbone if several else ""),
        Column("arm", "name", lambda row: row.arm),
        Column("agent's calls", "number", lambda row: plain(row.calls_a_task)),
        Column("writer's calls", "number", lambda row: plain(row.writer_calls_a_task)),
        Column("cost", "number", lambda row: dollars(row.usd)),
        Column(
            "replies cut or not read",
            "number",
            lambda row: count(row.lost_replies) if row.lost_replies else "",
        ),
        Column("a try went right", "number", lambda row: share(row.any_try)),
    )


def _growth_table(results: EvolutionResults, several: bool) -> TextTable:
    def counted(value: int) -> str:
        return count(value) if value else ""

    told = (
        "never consolidated"
        if results.consolidate is None
        else (f"consolidated after every {how_many(results.consolidate, 'new item')}")
    )
    return tabulate(
        f"Sums over all streams; banks are {told}. Cited: of the tasks that were shown an item, those in"
        " which the agent did what it says, or named it.",
        results.growth,
        Column("backbone", "name", lambda row: row.backbone if several else ""),
        Column("arm", "name", lambda row: row.arm),
        Column("learnt", "number", lambda row: count(row.made)),
        Column("active at the end", "number", lambda row: count(row.active)),
        Column("tasks shown an item", "number", lambda row: share(row.shown_tasks)),
        Column("cited", "number", lambda row: share(row.cited_tasks)),
        Column("consolidations", "number", lambda row: counted(row.consolidations)),
        Column("links", "number", lambda row: counted(row.links)),
        Column("quarantined", "number", lambda row: counted(row.quarantined)),
        Column("duplicates", "number", lambda row: counted(row.duplicates)),
        Column("promoted", "number", lambda row: counted(row.promoted)),
        Column("archived", "number", lambda row: counted(row.archived)),
    )


def _judge_table(rows: Sequence[JudgeErrors], several: bool) -> TextTable:
    def part(some: int, every: int) -> str:
        return f"{some:,} of {every:,} ({share(some / every)})" if every else ""

    return tabulate(
        "Verdicts on what was handed in, held against the world's own word. What is judged a success and is"
        " none teaches a strategy that does not work.",
        rows,
        Column("backbone", "name", lambda row: row.backbone if several else ""),
        Column("arm", "name", lambda row: row.arm),
        Column("failures called success", "number", lambda row: part(row.false_success, row.failures)),
        Column("successes called failure", "number", lambda row: part(row.false_failure, row.successes)),
        Column("not readable", "number", lambda row: part(row.unread, row.tasks)),
    )
