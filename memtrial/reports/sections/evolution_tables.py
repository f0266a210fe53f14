"""The tables of an evolution: its arms, its metrics, and what is compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from memtrial.analysis.result import Estimate
from memtrial.console.escape import one_line
from memtrial.reports.text.arm_readings import VerdictEntry, state_difference
from memtrial.reports.text.evolution_text import state_settling
from memtrial.reports.text.reading import capital
from memtrial.reports.text.text_table import Column, TextTable, tabulate
from memtrial.reports.text.verdict_glossary import printed_word
from memtrial.views.numbers import interval, is_known, plain, with_sign
from memtrial.views.rows.evolution_rows import (
    ArmMetrics,
    ArmsCompared,
    EvolutionResults,
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
