"""Arms held against a reference arm, in a table that says nothing of memory or damage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from loadbearing.analysis.wording import DISAGREE
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.lookup import Results, Row, find, rows, utility_word
from loadbearing.reports.base.numbers import interval, is_known, probability, signed
from loadbearing.reports.text import verdict_glossary
from loadbearing.reports.text.reading import Reading, capital, margin_text, sample
from loadbearing.reports.text.verdict_entry import VerdictWord

_EXPLORATORY_BELOW, _FEW_INFORMATIVE = 10, 6
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
    table = results.get("table") or {}
    return "" if table.get("conditioned") else str(table.get("reference") or "")


def glossary(results: Results) -> tuple[VerdictWord, ...]:
    """The words that can occur in these results, in terms of what was compared; of a table, those that do."""
    if results.get("table") and not reference_of(results):
        judged = {row.get("verdict") for key in ("estimates", "hypotheses") for row in rows(results, key)}
        notes = " ".join(map(str, rows(results, "notes")))
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


def against_reference(rows: Sequence[Row]) -> str:
    """What an axis of differences from a reference measures; empty where the rows are something else."""
    versus = {str(row.get("versus")) for row in rows if row.get("estimand") == "utility"}
    told = versus - {"None", "none"}
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
        "none": "Whether gains and losses cancel between tasks.",
        "inconclusive": "Whether there is a difference; not significant is not the same as none.",
    }.get(word, "Which of the things in which the two arms differ does it.")
    said = str(row.get("reason") or "nothing was recorded")
    # the name of an arm keeps its letters
    said = said if said.startswith(arm) else capital(said)
    return Reading((backbone, arm), headline, f"{said}.", _rests_on(row, margin_text(results)), leaves)


def comparison_reason(row: Row, reference: str, margin: float, alpha: float, family: int) -> str:
    """The sentence behind the word of one row: the claim, then what a reader has to know of the row.

    Args:
        row: an estimate with its verdict.
        family: rows that were tested together with it, itself included.

    Source: STATISTICS 1, what to print in boundary cases.
    """
    arm, word = row["arm"], row["verdict"]
    unit = "cluster" if row["n_tasks"] > row["n_clusters"] else "task"
    if not is_known(row["p"]):
        units = how_many(row["n_clusters"], unit)
        return f"no inference: {units} with a score in both arms, at least 2 are needed"
    small = ", by less than the margin" if row["p_equivalence"] <= alpha else ""
    said = [
        {
            "helps": f"{arm} scores higher than {reference} on the same tasks{small}",
            "harms": f"{arm} scores lower than {reference} on the same tasks{small}",
            "none": f"{arm} and {reference} are shown to differ by less than {margin:.2f} either way",
        }.get(
            word,
            f"neither a difference between {arm} and {reference} nor its absence is shown; "
            f"about {how_many(row['tasks_to_settle'], 'task')} would settle a difference as large as the one "
            f"seen (80 % power)",
        )
    ]
    informative = row["n_informative"]
    if informative == 0:
        bound = 1 - alpha ** (1 / row["n_clusters"])
        said.append(
            f"no {unit} differs; {1 - alpha:.0%} bound on the share of differing {unit}s: {bound:.3f}"
        )
    elif informative < _FEW_INFORMATIVE:
        least = 2.0 ** (1 - informative)
        said.append(
            f"only {how_many(informative, unit)} with a difference: the smallest attainable p is {least:g}"
        )
    if row["p"] <= alpha < row["p_adjusted"]:
        said.append(
            f"p is {row['p']:.3f} alone and {row['p_adjusted']:.3f} among {family} comparisons, which decides"
        )
    elif (row["p"] <= alpha) != (row["low"] > 0 or row["high"] < 0):
        said.append(DISAGREE)
    if row["n_clusters"] < _EXPLORATORY_BELOW:
        said.append(f"exploratory only: {how_many(row['n_clusters'], unit)}")
    return "; ".join(said)


def _rests_on(row: Row, margin: str) -> str:
    if not row:
        return "Nothing was measured."
    parts = [f"Difference {interval(row)}"]
    if is_known(row.get("p")):
        parts.append(
            f"p {probability(row['p'])}, adjusted {probability(row['p_adjusted'])}; p of equivalence "
            f"within ±{margin} (two one-sided tests) {probability(row['p_equivalence'])}"
        )
    parts.append(sample([row]))
    if row.get("n_missing"):
        parts.append(f"{how_many(row['n_missing'], 'task')} without a score in both arms left out")
    if row.get("n_errors"):
        worst = f"{signed(row.get('worst_low'))} to {signed(row.get('worst_high'))}"
        parts.append(
            f"{how_many(row['n_errors'], 'error')} of the infrastructure, with which it is {worst} at the "
            f"worst"
        )
    return "; ".join(filter(None, parts)) + "."
