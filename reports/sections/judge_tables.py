"""Tables on a judge of success."""

from collections.abc import Iterator

from loadbearing.reports.base import numbers
from loadbearing.reports.model.judged import JudgeAudit, MovedRow
from loadbearing.reports.text.table import Column, Table, fields, tabulate

Interval = tuple[float, float, float]


def judge_lines(found: JudgeAudit) -> Iterator[str]:
    """The audit in sentences."""
    yield found.line
    rates = found.against_world
    if rates is not None:
        yield (
            f"Against the world's own outcome of {rates.solved + rates.failed} trials: sensitivity"
            f" {_ends(rates.sensitivity)}, specificity {_ends(rates.specificity)}, Cohen's kappa"
            f" {_ends(rates.agreement)}; it lets {numbers.share(rates.kept)} of an effect on success through."
        )
        told = ", ".join(f"{name} {numbers.share(one)}" for name, one in found.by_condition.items())
        yield f"Judge and world agree, by condition: {told}. A judge that is blind errs alike in all of them."
    for one in found.again:
        if one.cases:
            kappa = None if one.kappa is None else (one.kappa, one.low or 0.0, one.high or 0.0)
            yield f"Judged again, {one.what}: {one.differing} of {one.cases} differ, kappa {_ends(kappa)}."
    if found.unreadable:
        yield f"Readings of the sample that are errors, and no failures: {found.unreadable}."


def moved_table(found: JudgeAudit) -> Table:
    """The main verdicts as they are, and if the judge is wrong at the measured rates."""

    def of(row: MovedRow) -> str:
        return f"{row.arm} \u2212 {row.versus}" if row.estimand == "contrast" else row.arm

    return tabulate(
        "Corrected: in points of true success, by the measured rates (Rogan-Gladen). Then: the verdict at"
        " these rates. At worst: at the lower limit of the rates; empty where that is no better than chance.",
        found.moved,
        *fields("backbone", "estimand"),
        Column("of", "name", of),
        *fields("condition", "estimate", "verdict"),
        Column("corrected", "number", lambda row: numbers.signed(row.corrected)),
        Column("interval", "number", lambda row: numbers.ends(row.low, row.high)),
        Column("then", "verdict", lambda row: row.verdict_then),
        Column("at worst", "text", lambda row: row.verdict_worst),
    )


def _ends(one: Interval | None) -> str:
    if one is None:
        return numbers.MISSING
    return f"{numbers.plain(one[0])} [{numbers.plain(one[1])}, {numbers.plain(one[2])}]"
