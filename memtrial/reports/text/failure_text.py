"""Failure modes, and the audit of a judge of success: lines for a terminal and tables for a report."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal

from memtrial.analysis.failures.agreement import Agreement
from memtrial.analysis.failures.shares import OTHER
from memtrial.analysis.failures.solved_without import Estimated
from memtrial.outcomes.count_words import how_many
from memtrial.reports.text.reading import capital
from memtrial.reports.text.text_table import Column, TextTable, fields, tabulate
from memtrial.views.numbers import MISSING, ends, equation, is_known, share, span, with_sign
from memtrial.views.results.judge_audit import judge_sentence
from memtrial.views.rows.evidence_rows import JudgeAudit
from memtrial.views.rows.failure_rows import FailureModes, FailureRow, FailureTest, WorkedCase

PARTING, ENDED = "▶ ", "it had ended"
HARM = (
    "Trials that were shown items, in blocks that were solved without memory: a ridge logistic model predicts"
    " tasks that it has not seen. By chance: outcomes permuted inside tasks."
)
FEWEST = 5
"""Failures of a row, or tasks of one of flows, from which on its shares are shown."""
_KEYS = ("backbone", "domain", "arm", "condition")


def with_percent(part: float | None, n: float) -> str:
    """A share with one decimal, halves upwards, as tables are printed: 5 of 16 are 31.3."""
    if not n or part is None:
        return MISSING
    exact = Decimal(repr(part)) * 100 / Decimal(repr(n))
    return str(exact.quantize(Decimal("0.1"), ROUND_HALF_UP))


def first_lines(modes: FailureModes) -> Iterator[str]:
    """How much was coded, and where no row can be read, why there is no table."""
    yield f"{coded_line(modes)}."
    if not shown_rows(modes) and modes.rows:
        yield left_out_line(modes)


def coded_line(modes: FailureModes) -> str:
    """How many failures were coded, of how many, by whom, and where the others are counted."""
    line = f"{modes.coded:,} of {how_many(modes.cases, 'failure')} coded, by {modes.coder}"
    errors = sum(row.errors for row in modes.rows)
    undecided = modes.cases - modes.coded - errors
    if undecided > 0:
        line += f"; {undecided:,} undecided, which count as {OTHER}"
    if errors:
        line += f"; {how_many(errors, 'error')} of the coder, in no share"
    if modes.unlabelled:
        line += f"; {how_many(modes.unlabelled, 'case')} without a label yet"
    return line


def shown_rows(modes: FailureModes) -> tuple[FailureRow, ...]:
    """The rows with failures enough to be read; all of them stay in JSON."""
    return tuple(row for row in modes.rows if row.n >= FEWEST)


def left_out_line(modes: FailureModes) -> str:
    """How many rows the table of modes leaves out, and why; empty where it has all."""
    left = len(modes.rows) - len(shown_rows(modes))
    if not left:
        return ""
    return (
        f"{how_many(left, 'row')} with fewer than {FEWEST} failures {'is' if left == 1 else 'are'} left out:"
        " shares of so few say next to nothing (the JSON has them)."
    )


def mode_table(modes: FailureModes) -> TextTable:
    """Percentages, counts and intervals: a row a cell with failures enough to be read."""
    rows = shown_rows(modes)

    def of(mode: str) -> Column:
        return Column(mode, "number", lambda row: _cell(row, mode))

    columns = map(of, dict.fromkeys(mode for row in rows for mode in row.counts))
    caption = (
        "Per cent of the failures on tasks that are solved without memory, by mode, with simultaneous 95 %"
        " intervals (Goodman); n: failures, each task with the weight of the base set."
    )
    caption = " ".join(filter(None, (caption, left_out_line(modes))))
    return tabulate(caption, rows, *fields(*_used_raters(rows)), Column("n", "number", _n), *columns)


def flow_table(modes: FailureModes) -> TextTable:
    """What memory breaks and mends, beside chance; of few failures, too, as few may be the finding."""
    rows = [row for row in modes.rows if row.flow is not None and row.n_tasks >= FEWEST]
    flow = [
        Column("harm", "number", lambda row: share(row.flow.harm)),
        Column("chance", "number", lambda row: share(row.flow.chance)),
        Column("excess harm", "number", lambda row: estimate_text(row.flow.excess_harm)),
        Column("gain", "number", lambda row: share(row.flow.gain)),
        Column("excess gain", "number", lambda row: estimate_text(row.flow.excess_gain)),
    ]
    caption = (
        "Share of all tasks solved without memory and failed with it (harm), and the reverse (gain); chance:"
        " the same between two repeats without memory; excess: less chance, with its interval."
    )
    return tabulate(caption, rows, *fields(*_used_raters(rows)), *flow)


def lines_of_tests(modes: FailureModes) -> Iterator[str]:
    """Each test of whole rows in a line; of single modes those that differ."""
    for test in modes.tests:
        what = ", ".join(filter(None, (getattr(test, key) for key in _KEYS)))
        if test.difference is not None:
            p = test.difference.p_adjusted
            if p is not None and p <= 0.05:
                name = f"{what} less {test.versus}: {test.mode}"
                yield f"{name} {estimate_text(test.difference)} of the base set, {equation(p)}"
            continue
        yield _whole(test, what)


def harm_lines(modes: FailureModes) -> Iterator[str]:
    """What precedes the failures of each backbone, a line each."""
    for row in modes.predictors:
        yield f"What precedes harm, {row.backbone} ({how_many(row.cases, 'exposed trial')}): {row.says}."


def worked_table(case: WorkedCase) -> TextTable:
    """A worked case and the item that did it: a row a turn; the first in which the runs part is marked."""
    who = ", ".join(filter(None, (case.backbone, case.arm, case.condition)))
    caption = (
        f"{case.mode}, task {case.task} ({who}): the runs part at turn {case.parting}; solved in"
        f" {how_many(case.turns_solved, 'turn')}, failed in {case.turns_failed}."
        f" {_end_sentence(case.reason)} "
        + (f"The item: {case.item}" if case.item else "No item names what was done there.")
    )
    mark = Column("turn", "name", lambda row: f"{PARTING if row.turn == case.parting else ''}{row.turn}")
    solved = Column("solved without memory", "text", lambda row: row.solved or ENDED)
    failed = Column("failed with it", "text", lambda row: row.failed or ENDED)
    return tabulate(" ".join(caption.split()), case.steps, mark, solved, failed)


def notes_of(modes: FailureModes) -> Iterator[str]:
    """Agreement, corrected shares, errors and what else a reader has to know."""
    yield from agreement_lines(modes.agreement)
    for mode in modes.corrected:
        yield (
            f"{mode.mode}: {share(mode.coded)} as coded, {share(mode.estimate)} [{share(mode.low)},"
            f" {share(mode.high)}] corrected by {mode.human} labels of people; by the matrix of errors"
            f" {share(mode.matrix)}."
        )
    yield from modes.notes


def agreement_lines(agreements: Iterable[Agreement]) -> Iterator[str]:
    """How far raters agree, two lines a comparison."""
    for agreement in agreements:
        pair = f"{agreement.raters[0]} and {agreement.raters[1]}"
        yield (
            f"Agreement on {how_many(agreement.cases, 'case')}: Cohen's kappa of {pair}"
            f" {span(agreement.kappa)}, Krippendorff's alpha {span(agreement.alpha)}: {agreement.word}."
        )
        confused = ", ".join(f"{left}/{right} {n}" for left, right, n in agreement.confusion)
        yield f"Codes of {pair.replace(' and ', '/')}: {confused}."


def estimate_text(estimate: Estimated | None) -> str:
    """An estimate and its interval."""
    known = estimate is not None and is_known(estimate.estimate)
    return (
        f"{with_sign(estimate.estimate)} {ends(estimate.low, estimate.high)}"
        if estimate and known
        else MISSING
    )


def _whole(test: FailureTest, what: str) -> str:
    what_was_tested = f"{test.test}, {what + ': ' if what else ''}"
    if test.table is None:
        return f"{what_was_tested}{test.versus}: no test, too few differ"
    square = f"chi-square {test.table.statistic:.2f}, {test.table.freedom} df"
    if test.table.exact_p is None:
        return f"{what_was_tested}against {test.versus}, {equation(test.table.p)} ({square})"
    exact = f"over {test.versus}, {equation(test.table.exact_p, test.table.draws)}"
    return f"{what_was_tested}{exact} ({square}, p = {test.table.p:.1e})"


def _end_sentence(text: str) -> str:
    return f"{capital(text)}." if text and not text.endswith((".", "!", "?")) else capital(text)


def _cell(row: FailureRow, mode: str) -> str:
    low, high = row.low.get(mode), row.high.get(mode)
    if not is_known(low) or not is_known(high):
        return MISSING
    return f"{with_percent(row.counts[mode], row.n)} [{100 * low:.1f}, {100 * high:.1f}]"


def _n(row: FailureRow) -> str:
    return f"{row.n:g}" if row.n == int(row.n) else f"{row.n:.1f}"


def _used_raters(rows: Sequence[FailureRow]) -> list[str]:
    return [key for key in _KEYS if any(getattr(row, key) for row in rows)]


def judge_lines(audit: JudgeAudit) -> Iterator[str]:
    """The audit in sentences."""
    yield judge_sentence(audit)
    rates = audit.against_world
    if rates is not None:
        by_condition = ", ".join(f"{name} {share(rate)}" for name, rate in audit.by_condition.items())
        yield (
            f"Sensitivity {span(rates.sensitivity)}, specificity {span(rates.specificity)}:"
            f" it lets {share(rates.kept)} of an effect on success through. It agrees with the world,"
            f" by condition: {by_condition}; a judge that is blind errs alike in all."
        )
    yield from agreement_lines(audit.agreement)
    if audit.unreadable:
        yield f"Readings of the sample that are errors, and no failures: {audit.unreadable}."


def moved_table(audit: JudgeAudit) -> TextTable:
    """The main verdicts as they are, and if the judge is wrong at the measured rates."""
    return tabulate(
        "Corrected: in points of true success, by the measured rates (Rogan-Gladen). Then: the verdict at"
        " these rates. At worst: at the lower limit of the rates; empty where that is no better than chance.",
        audit.moved,
        *fields("backbone", "estimand", "arm", "versus", "condition", "estimate", "verdict"),
        Column("corrected", "number", lambda row: with_sign(row.corrected)),
        Column("interval", "number", lambda row: ends(row.low, row.high)),
        Column("then", "verdict", lambda row: row.verdict_then),
        Column("at worst", "text", lambda row: row.verdict_worst),
    )
