"""Hypothesis sentences: what one contrast of two drops shows, and what it does not."""

from __future__ import annotations

from reports.numerals import interval, is_known, share
from reports.reading import CONTENT_REMOVED, Reading, capital, evidence, margin_text
from reports.rows import Results, Row, drop_words, find, rows


def hypothesis_readings(results: Results) -> tuple[Reading, ...]:
    """One reading for each hypothesis, in the order of `hypotheses`."""
    return tuple(read_hypothesis(results, entry) for entry in rows(results, "hypotheses"))


def read_hypothesis(results: Results, entry: Row) -> Reading:
    """Say what one contrast of two drops shows; which arm is better is another question."""
    treatment, control = str(entry.get("treatment", "")), str(entry.get("control", ""))
    condition, backbone = str(entry.get("condition", "")), str(entry.get("backbone", ""))
    word, on = str(entry.get("verdict", "")), {"backbone": backbone}
    row = find(results, "contrast", backbone=backbone, arm=treatment, versus=control, condition=condition)
    headline, says = {
        "load-bearing": (
            f"{treatment} depends on its text more than {control}",
            f"Under {condition} the score of {treatment} falls further than that of {control}.",
        ),
        "inert": (
            f"{treatment} and {control} depend on their text alike",
            f"Under {condition} the two drops differ by less than {margin_text(results)} either way.",
        ),
        "reversed": (
            f"{treatment} depends on its text less than {control}",
            f"Under {condition} the score of {treatment} falls less than that of {control}.",
        ),
        "inconclusive": (
            "not settled",
            f"Under {condition} neither a difference of the two drops nor its absence is shown.",
        ),
    }.get(word, (word or "not judged", f"{capital(word)}: {row.get('reason') or 'no reason was recorded'}."))
    own = [
        f"drop of {arm}: {given}, {interval(find(results, 'drop', arm=arm, condition=condition, **on))}"
        for arm in (treatment, control)
        if (given := drop_words(results, backbone, arm).get(condition))
    ]
    return Reading(
        subject=(backbone, f"{treatment} against {control}", condition),
        headline=capital(headline),
        says=says,
        rests_on="; ".join([evidence("difference of drops", word, row), *own]) + ".",
        leaves_open=capital("; ".join(_contrast_leaves_open(results, word, condition, row))) + ".",
    )


def _contrast_leaves_open(results: Results, word: str, condition: str, row: Row) -> list[str]:
    said = ["which arm serves the agent better (see the utilities)"]
    same = row.get("same_text")
    if is_known(same) and same > 0:
        whole = "all" if same >= 1 else f"{share(same)} of the"
        said.append(
            f"on {whole} tasks both arms showed the same damaged text, "
            f"and there the contrast compares only how good the intact memories are"
        )
    if condition in (*CONTENT_REMOVED, "without"):
        said.append("this damage removes the content, so the contrast is mostly a difference of utilities")
    if word == "inert":
        said.append("whether either arm's content carries anything")
    if str(results.get("control") or "").startswith(("control: embedded", "control: unverified")):
        said.append("whether it holds against upstream's own condenser, whose text this run did not have")
    return said
