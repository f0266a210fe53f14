"""The tables of an evolution, and the parts of its report below the first screen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from memtrial.analysis.result import Estimate
from memtrial.console.escape import one_line
from memtrial.outcomes.count_words import how_many
from memtrial.reports.figures.forest import forest_svg
from memtrial.reports.figures.stream_course import course_arms, course_svg, reference_of_parts
from memtrial.reports.sections.report_part import Fold, ReportPart
from memtrial.reports.text.arm_readings import VerdictEntry, state_difference
from memtrial.reports.text.evolution_text import LEARNS, state_settling, tries_words
from memtrial.reports.text.reading import capital
from memtrial.reports.text.text_table import Column, TextTable, tabulate
from memtrial.reports.text.verdict_glossary import printed_word
from memtrial.views.numbers import count, dollars, ends, interval, is_known, plain, share, with_sign
from memtrial.views.rows.evolution_rows import (
    ArmMetrics,
    ArmsCompared,
    EvolutionResults,
    JudgeErrors,
    StreamPart,
)


@dataclass(frozen=True, slots=True)
class ArmLine:
    """One arm on the first screen.

    Args:
        gain: against the first comparison's reference, which is no memory.
        by_memory: against as many tries that learn nothing.
    """

    arm: str
    success: str
    gain: VerdictEntry
    by_memory: VerdictEntry


def arm_lines(results: EvolutionResults) -> dict[str, tuple[ArmLine, ...]]:
    """The arms of each backbone that has some, in the order of the spec."""
    learning = {arm.name for arm in results.arms if arm.learns}
    first = results.comparisons[:1]
    twins = tuple(one for one in results.comparisons[1:] if one.reference not in learning)
    return {
        backbone: tuple(
            ArmLine(row.arm, span_of(row), _entry(first, row), _entry(twins, row))
            for row in results.metrics
            if row.backbone == backbone
        )
        for backbone in results.backbones
    }


def _entry(comparisons: Sequence[ArmsCompared], row: ArmMetrics) -> VerdictEntry:
    for compared in comparisons:
        for one in compared.estimates:
            if (one.backbone, one.arm) == (row.backbone, row.arm):
                return VerdictEntry(one.verdict, with_sign(one.estimate) if is_known(one.estimate) else "")
    return VerdictEntry("", "")


def arm_caption(results: EvolutionResults) -> str:
    """How the lines are to be read."""
    success = "Success: the share of tasks that were solved, with its 95 % interval over streams."
    beside = " Beside each word the difference, in points of score." if results.comparisons else ""
    return success + beside


def arm_heads(results: EvolutionResults) -> tuple[str, ...]:
    """The heads of the lines."""
    reference = results.comparisons[0].reference if results.comparisons else "none"
    return "arm", "success", f"against {reference}", "memory at equal compute"


def arm_table(results: EvolutionResults, lines: Sequence[ArmLine]) -> TextTable:
    """The lines of one backbone as a table."""
    arm, success, gain, by_memory = arm_heads(results)
    return tabulate(
        arm_caption(results),
        lines,
        Column(arm, "name", lambda line: line.arm),
        Column(success, "number", lambda line: line.success),
        Column(gain, "text", lambda line: line.gain.printed),
        Column(by_memory, "text", lambda line: line.by_memory.printed),
    )


def span_of(row: ArmMetrics) -> str:
    """The success of an arm with its interval, where more than one stream tells it."""
    if not is_known(row.success_low):
        return plain(row.success)
    return f"{plain(row.success)} [{plain(row.success_low)}, {plain(row.success_high)}]"


def metric_table(rows: Sequence[ArmMetrics], several: bool) -> TextTable:
    """Document 003's metrics, an arm a row."""

    def tenth(value: float | None) -> str:
        return "" if value is None else f"{value:.1f}"

    def of_bank(value: float | None, digits: int) -> str:
        return f"{value:.{digits}f}" if value else ""

    return tabulate(
        "",
        rows,
        Column("backbone", "name", lambda row: row.backbone if several else ""),
        Column("arm", "name", lambda row: row.arm),
        Column("success", "number", span_of),
        Column("1st half", "number", lambda row: plain(row.first_half)),
        Column("2nd half", "number", lambda row: plain(row.second_half)),
        Column("calls/task", "number", lambda row: tenth(row.calls_a_task)),
        Column("steps/success", "number", lambda row: tenth(row.steps_a_success)),
        Column(
            "$/success", "number", lambda row: "" if not row.usd_a_success else f"{row.usd_a_success:.4f}"
        ),
        Column("items/100", "number", lambda row: of_bank(row.new_items_a_100, 0)),
        Column("shown", "number", lambda row: of_bank(row.used_items_a_task, 1)),
        Column("cited", "number", lambda row: of_bank(row.cited_a_task, 2)),
        Column("streams", "number", lambda row: str(row.streams)),
        Column("errors", "number", lambda row: str(row.errors or "")),
    )


def compared_table(results: EvolutionResults, compared: ArmsCompared) -> TextTable:
    """One comparison: difference and verdict of each arm, with what stands behind it."""
    calls = {(row.backbone, row.arm): row.calls_a_task for row in results.metrics}

    def compute(row: Estimate) -> str:
        own, other = calls.get((row.backbone, row.arm)), calls.get((row.backbone, compared.reference))
        return f"{own:.1f} | {other:.1f}" if own is not None and other is not None else ""

    def behind(row: Estimate) -> str:
        told = (row.reason, state_settling(results, row), state_difference(row, f"{results.margin:.2f}"))
        return ". ".join(capital(text) for text in told if text)

    return tabulate(
        f"Score of each arm less that of {compared.reference}; calls of the agent a task: arm | reference.",
        compared.estimates,
        Column("backbone", "name", lambda row: row.backbone if len(results.backbones) > 1 else ""),
        Column("arm", "name", lambda row: row.arm),
        Column("difference", "number", interval),
        Column("verdict", "verdict", lambda row: row.verdict),
        Column("calls", "number", compute),
        Column("behind it", "remark", behind),
    )


def verdict_table(compared: ArmsCompared) -> TextTable:
    """One comparison in a terminal: difference and verdict of each arm."""
    return tabulate(
        "",
        compared.estimates,
        Column("backbone", "name", lambda row: one_line(row.backbone)),
        Column("arm", "name", lambda row: one_line(row.arm)),
        Column(
            "difference", "number", lambda row: with_sign(row.estimate) if row.estimate is not None else ""
        ),
        Column("verdict", "text", lambda row: printed_word(row.verdict)),
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
