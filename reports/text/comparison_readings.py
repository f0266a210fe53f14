"""Arms held against a reference arm, in a table that says nothing of memory or damage."""

from __future__ import annotations

from loadbearing.analysis.reasons import Caveat, Reason
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.lookup import find, reference_of
from loadbearing.reports.base.numbers import interval, is_known, probability, signed
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import Reading, capital, margin_text, sample


def read_comparison(results: Results, backbone: str, arm: str) -> Reading:
    """Say what one arm's paired difference from the reference shows, and what it does not."""
    reference, word = reference_of(results), results.utility.get(backbone, {}).get(arm, "")
    row = find(results, "utility", backbone=backbone, arm=arm)
    headline = {
        "helps": f"better than {reference}",
        "harms": f"worse than {reference}",
        "none": f"as good as {reference}, within {margin_text(results)}",
    }.get(word, "not settled")
    leaves = {
        "none": "whether gains and losses cancel between tasks",
        "inconclusive": "whether there is a difference; not significant is not the same as none",
    }.get(word, "which of the things in which the two arms differ does it")
    said = (row and row.reason) or "nothing was recorded"
    # these begin with the name of the arm, which keeps its letters
    said = said if row and row.code in (Reason.ABOVE, Reason.BELOW, Reason.WITHIN) else capital(said)
    return Reading(arm, headline, f"{said}.", _rests_on(row, margin_text(results)), (leaves,))


def _rests_on(row: Estimate | None, margin: str) -> str:
    if row is None:
        return "Nothing was measured."
    parts = [f"Difference {interval(row)}"]
    if is_known(row.p):
        # where the family decides, the reason has named both
        if Caveat.FAMILY_DECIDES not in row.caveats:
            parts.append(f"p {probability(row.p)}, adjusted {probability(row.p_adjusted)}")
        equivalence = probability(row.p_equivalence)
        parts.append(f"p of equivalence within ±{margin} (two one-sided tests) {equivalence}")
    parts.append(sample([row]))
    if row.n_missing:
        parts.append(f"{how_many(row.n_missing, 'task')} without a score in both arms left out")
    if row.n_errors:
        worst = f"{signed(row.worst_low)} to {signed(row.worst_high)}"
        parts.append(
            f"{how_many(row.n_errors, 'error')} of the infrastructure, with which it is {worst} at the worst"
        )
    return "; ".join(filter(None, parts)) + "."
