"""The rule that gives the word, before any guard has looked at a row; and the sentence, written last."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.hypothesis_families import HYPOTHESES
from memtrial.analysis.inference.interval import all_zero_interval
from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.estimand_words import WORDS, kind_of
from memtrial.analysis.verdicts.facts import Facts
from memtrial.outcomes.count_words import how_many


def rule_row(row: Estimate, plan: AnalysisPlan) -> Estimate:
    """The row with the word that its own numbers give: effect first, then equivalence, else inconclusive.

    Both are shown by p-values that are adjusted for the row's family: an absence is a claim like any other.

    Source: STATISTICS 2 and 0d.3.
    """
    if row.p is None:
        return row.given("inconclusive", Reason.NO_INFERENCE)
    words, effect = WORDS[kind_of(row)], row.effect(plan.rules.alpha)
    within = words.within is not None and row.within(plan.rules.alpha)
    if effect > 0:
        return row.given(words.above[0], Reason.ABOVE)
    if effect < 0 and (words.small_below or not within):
        return row.given(words.below[0], Reason.BELOW)
    if words.within is not None and within:
        return row.given(words.within[0], Reason.WITHIN)
    return row.given("inconclusive", Reason.UNDECIDED)


_EXPLORATORY_BELOW = 10  # units
_SMALLEST_INFORMATIVE = 6  # 2^(1-5) = .0625: five differing units can never reach .05

Told = tuple[Caveat, dict[str, float | str]]
"""A caveat, and the values for the fields in its sentence."""


def word_rows(rows: Sequence[Estimate], facts: Facts) -> tuple[Estimate, ...]:
    """The rows after all guards, with caveats and sentences added; no verdict changes here."""
    tests = Counter(row.family for row in rows if row.p is not None)
    return tuple(_word_row(row, facts, tests[row.family]) for row in rows)


def _word_row(row: Estimate, facts: Facts, tests: int) -> Estimate:
    assert row.code is not None
    caveats = tuple(_caveats(row, facts, tests))
    parts = [
        row.code.sentence.format(row=row, **row.because) or _claim(row, facts),
        *(caveat.sentence.format(row=row, **about) for caveat, about in caveats),
    ]
    if caveats and caveats[0][0] is Caveat.CONTENT_UNKNOWN:
        parts[:2] = reversed(parts[:2])
    return replace(row, caveats=tuple(caveat for caveat, _ in caveats), reason="; ".join(parts))


def _claim(row: Estimate, facts: Facts) -> str:
    assert row.code is not None
    kind = kind_of(row)
    words = WORDS["comparison" if facts.run.reference and kind == "utility" else kind]
    odd, rewording = "the same damage around the intact advice", "a rewording that keeps the meaning"
    return words.claim(row.code).format(
        row=row,
        reference=facts.run.reference,
        margin=facts.plan.rules.margin,
        small=" (below the margin)" if row.within(facts.plan.rules.alpha) else "",
        span=_span(row, facts.plan.rules.alpha),
        tasks=how_many(row.tasks_to_settle or 0, "task"),
        held_against=odd if row.estimand == "content" else rewording,
        part="the intact score" if row.condition == "intact" else f"the drop under {row.condition}",
    )


def _span(row: Estimate, alpha: float) -> str:
    """The interval that the test of equivalence implies; the wider usual one may leave the margin."""
    if row.low_equivalence is None or row.high_equivalence is None:
        return ""
    return f" ({1 - 2 * alpha:.0%} interval {row.low_equivalence:+.3f} to {row.high_equivalence:+.3f})"


def _caveats(row: Estimate, facts: Facts, tests: int) -> Iterator[Told]:
    alpha, n, looks = facts.plan.rules.alpha, row.n_clusters, facts.run.looks
    if row.code is None or row.code.bare or row.p is None or row.p_adjusted is None:
        return
    of_content = row.estimand in ("drop", "contrast") and row.verdict == "load-bearing"
    if of_content and facts.run.of_table:
        yield Caveat.CONTENT_UNKNOWN, {}
    if row.estimand == "drop" and of_content and _is_unturned(row, facts):
        yield Caveat.POLARITY_UNKNOWN, {}
    if row.same_text == 1.0:
        yield Caveat.SAME_TEXT, {}
    if facts.of(row).all_zero:
        low, high = all_zero_interval(n, facts.of(row).bounds, alpha)
        share = 1 - alpha ** (1 / n)  # Clopper & Pearson's bound at zero
        yield Caveat.NO_DIFFERENCE, {"level": 1 - alpha, "share": share, "low": low, "high": high}
    elif row.n_informative < _SMALLEST_INFORMATIVE:
        least = 2.0 ** (1 - max(row.n_informative, 1))
        yield Caveat.FEW_DIFFERENCES, {"units": how_many(row.n_informative, row.unit), "least": least}
    p = row.p
    if looks is not None and looks.in_force and row.family == HYPOTHESES:
        p = row.p_adjusted
        yield Caveat.LOOKS, {"last": looks.last, "planned": looks.n_looks}
    if p <= alpha < row.p_adjusted:
        yield Caveat.FAMILY_DECIDES, {"tests": tests}
    elif row.low is not None and row.high is not None and (p <= alpha) != (row.low > 0 or row.high < 0):
        yield Caveat.DISAGREE, {}
    absence = WORDS[kind_of(row)].within is not None and row.code is Reason.UNDECIDED
    if absence and row.p_equivalence is not None and row.p_equivalence <= alpha:
        yield Caveat.ABSENCE_IN_FAMILY, {"tests": tests}
    if n < _EXPLORATORY_BELOW:
        yield Caveat.FEW_UNITS, {}


def _is_unturned(row: Estimate, facts: Facts) -> bool:
    """Trials were played, and for half of the units or more nothing tells a rule from its mention."""
    if facts.run.has_trials:
        return facts.polarity(row) is None
    return facts.run.unseen and facts.turned(row) is None
