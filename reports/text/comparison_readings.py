"""Arms held against a reference arm, in a table that says nothing of memory or damage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from loadbearing.analysis.reasons import Caveat, Reason
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import NONE
from loadbearing.reports.base.lookup import OfArms, find, utility_word
from loadbearing.reports.base.numbers import interval, is_known, probability, signed
from loadbearing.reports.model.results import Results
from loadbearing.reports.text import verdict_glossary
from loadbearing.reports.text.reading import Reading, capital, margin_text, sample
from loadbearing.reports.text.verdict_entry import VerdictWord

_WORDS: Mapping[str, tuple[str, str]] = {
    "helps": (
        "The score is higher with this arm than with the reference, on the same tasks. The adjusted p-value "
        "is at or below alpha.",
        "Why: the arms may differ in more than one thing.",
    ),
    "none": (
        "An equivalence test puts the difference from the reference inside the margin.",
        "That the arms do the same: gains and losses may cancel between tasks.",
    ),
    "harms": (
        "The score is lower with this arm than with the reference, on the same tasks. The adjusted p-value "
        "is at or below alpha.",
        "Why: the arms may differ in more than one thing.",
    ),
    "inconclusive": (
        "The data show neither a difference from the reference nor its absence.",
        "Anything about the difference. It is no sign of there being none; more tasks may settle it.",
    ),
}


def reference_of(results: Results) -> str:
    """The arm that the others are held against; empty where arms are judged by damage to their memory."""
    table = results.table
    return "" if table is None or table.conditioned else table.reference or ""


def glossary(results: Results) -> tuple[VerdictWord, ...]:
    """The words that can occur in these results, in terms of what was compared; of a table, those that do."""
    if results.table and not reference_of(results):
        judged = {row.verdict for row in results.estimates} | {row.verdict for row in results.hypotheses}
        notes = " ".join(results.notes)
        return tuple(
            entry for entry in verdict_glossary.ALL if entry.word in judged or f"`{entry.word}`" in notes
        )
    if not reference_of(results):
        return verdict_glossary.ALL
    return tuple(
        replace(entry, about="differences", means=_WORDS[entry.word][0], silent=_WORDS[entry.word][1])
        for entry in verdict_glossary.ALL
        if entry.word in _WORDS
    )


def against_reference(rows: Sequence[OfArms]) -> str:
    """What an axis of differences from a reference measures; empty where the rows are something else."""
    versus = {row.versus for row in rows if row.estimand == "utility"}
    told = versus - {NONE}
    return f"score of the arm − score of {told.pop()}" if len(told) == len(versus) == 1 else ""


def read_comparison(results: Results, backbone: str, arm: str) -> Reading:
    """Say what one arm's paired difference from the reference shows, and what it does not."""
    reference, word = reference_of(results), utility_word(results, backbone, arm)
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
    return Reading((backbone, arm), headline, f"{said}.", _rests_on(row, margin_text(results)), (leaves,))


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
