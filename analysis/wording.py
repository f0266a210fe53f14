"""How a verdict is worded: a word, the sentence it rests on, and what a reader has to know of the row."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.analysis.inference.betting_interval import all_zero_interval, differing_share_bound
from loadbearing.analysis.inference.contrast_inference import Evidence, Inference
from loadbearing.analysis.plan import AnalysisPlan

EXPLORATORY_BELOW = 10
"""Units below which a verdict is printed as exploratory."""

DISAGREE = "interval and p disagree about zero, and p decides"

_SMALLEST_INFORMATIVE = 6  # 2^(1-5) = .0625: five differing units can never reach .05


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word and the sentence that says what it rests on and what it does not say.

    Args:
        word: for drops and contrasts load-bearing, inert, reversed, inconclusive, untestable or
            insensitive; for utilities helps, none, harms or inconclusive; other estimands name theirs.
        reason: one sentence.
    """

    word: str
    reason: str


def no_inference(e: Evidence) -> Verdict:
    """The word where fewer than two units can be compared."""
    unit = "cluster" if e.n_tasks > e.n_units else "task"
    claim = f"no inference: {_count(e.n_units, unit)} with a score in every cell, at least 2 are needed"
    return Verdict("inconclusive", claim)


def undecided(claim: str, e: Evidence, seen: Inference, plan: AnalysisPlan) -> Verdict:
    """`inconclusive`, and the number of tasks that would settle it."""
    more = f"about {seen.tasks_to_settle} tasks would settle an effect as large as the one seen (80 % power)"
    return sentence("inconclusive", f"{claim}; {more}", e, seen, plan)


def sentence(word: str, claim: str, e: Evidence, seen: Inference, plan: AnalysisPlan) -> Verdict:
    """The word with its claim and the caveats of the row."""
    return Verdict(word, "; ".join((claim, *_caveats(e, seen, plan))))


def _caveats(e: Evidence, seen: Inference, plan: AnalysisPlan) -> list[str]:
    """What a reader of this row has to know, whatever the word."""
    unit = "cluster" if e.n_tasks > e.n_units else "task"
    said = []
    if e.all_zero:
        share = differing_share_bound(e.n_units, plan.alpha)
        low, high = all_zero_interval(e.n_units, e.bounds, plan.alpha)
        said.append(
            f"no task differs, {1 - plan.alpha:.0%} bound on the share of differing {unit}s {share:.3f}, "
            f"betting interval {low:+.3f} to {high:+.3f}"
        )
    elif e.n_informative < _SMALLEST_INFORMATIVE:
        least = 2.0 ** (1 - max(e.n_informative, 1))
        said.append(
            f"only {_count(e.n_informative, unit)} with a difference: the smallest attainable p is {least:g}"
        )
    if seen.p <= plan.alpha < seen.p_adjusted:
        said.append(
            f"p is {seen.p:.3f} alone and {seen.p_adjusted:.3f} among {seen.family} tests, which decides"
        )
    elif (seen.p <= plan.alpha) != (seen.low > 0 or seen.high < 0):
        said.append(DISAGREE)
    if e.n_units < EXPLORATORY_BELOW:
        said.append(f"exploratory only: {_count(e.n_units, unit)}")
    return said


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
