"""The audit of a judge of success in words."""

from collections.abc import Iterator

from loadbearing.reports.base import numbers
from loadbearing.reports.model.judge_rows import JudgeAudit
from loadbearing.reports.text.failure_text import agreement_lines
from loadbearing.reports.text.table import Column, Table, fields, tabulate


def judge_sentence(found: JudgeAudit) -> str:
    """Who judged, how well, and what follows."""
    rates = found.against_world
    if rates is None or rates.sensitivity is None or rates.specificity is None:
        return f"Success was judged by {found.grader}; no world's outcome to hold it against."
    solved, failed = (f"{100 * one[0]:.0f} %" for one in (rates.sensitivity, rates.specificity))
    changed = sum(one.verdict != one.verdict_then for one in found.moved)
    moved = f"{changed} of {len(found.moved)} main verdicts change"
    return (
        f"Success was judged by {found.grader}, blind to the arm: it sees {solved} of the solved and"
        f" {failed} of the failed trials; at these rates {moved}."
    )


def judge_lines(found: JudgeAudit) -> Iterator[str]:
    """The audit in sentences."""
    yield judge_sentence(found)
    rates = found.against_world
    if rates is not None:
        told = ", ".join(f"{name} {numbers.share(one)}" for name, one in found.by_condition.items())
        yield (
            f"Sensitivity {numbers.span(rates.sensitivity)}, specificity {numbers.span(rates.specificity)}:"
            f" it lets {numbers.share(rates.kept)} of an effect on success through. It agrees with the world,"
            f" by condition: {told}; a judge that is blind errs alike in all."
        )
    yield from agreement_lines(found.agreement)
    if found.unreadable:
        yield f"Readings of the sample that are errors, and no failures: {found.unreadable}."


def moved_table(found: JudgeAudit) -> Table:
    """The main verdicts as they are, and if the judge is wrong at the measured rates."""
    return tabulate(
        "Corrected: in points of true success, by the measured rates (Rogan-Gladen). Then: the verdict at"
        " these rates. At worst: at the lower limit of the rates; empty where that is no better than chance.",
        found.moved,
        *fields("backbone", "estimand", "arm", "versus", "condition", "estimate", "verdict"),
        Column("corrected", "number", lambda row: numbers.signed(row.corrected)),
        Column("interval", "number", lambda row: numbers.ends(row.low, row.high)),
        Column("then", "verdict", lambda row: row.verdict_then),
        Column("at worst", "text", lambda row: row.verdict_worst),
    )
