"""Hypothesis sentences: what one contrast of two drops shows, and what it does not."""

from __future__ import annotations

from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.reserved_names import REMOVAL, WITHOUT
from loadbearing.reports.base.lookup import by_backbone, drop_words, find
from loadbearing.reports.base.numbers import share
from loadbearing.reports.model.results import HypothesisRow, Results
from loadbearing.reports.text.reading import Reading, capital, effect_of, evidence, margin_text, sample


def hypothesis_readings(results: Results) -> tuple[Reading, ...]:
    """One reading for each hypothesis, by backbone and else in the order of `hypotheses`."""
    return tuple(read_hypothesis(results, entry) for entry in by_backbone(results, results.hypotheses))


def read_hypothesis(results: Results, entry: HypothesisRow) -> Reading:
    """Say what one contrast of two drops shows; `limits` says what none of them does."""
    treatment, control, backbone = entry.treatment, entry.control, entry.backbone
    condition, word = entry.condition, entry.verdict
    row = find(results, "contrast", backbone=backbone, arm=treatment, versus=control, condition=condition)
    headline, says = {
        "load-bearing": (
            f"{treatment} depends on its text more than {control}",
            f"Under {condition} the score of {treatment} falls further than that of {control}.",
        ),
        "inert": (
            f"the drops of {treatment} and {control} differ by less than the margin",
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
    }.get(word, (word, f"{capital(word)}: {(row and row.reason) or 'no reason was recorded'}."))
    own = [
        evidence(f"drop of {arm}:", given, find(results, "drop", backbone, arm, condition))
        for arm in (treatment, control)
        if (given := drop_words(results, backbone, arm).get(condition))
    ]
    return Reading(
        subject=(backbone, f"{treatment} against {control}", condition),
        headline=capital(headline),
        says=" ".join([says, *_caveats(results, condition, row)]),
        rests_on="; ".join(filter(None, [evidence("difference of drops", word, row), *own, sample([row])]))
        + ".",
        leaves=("whether either arm's content carries anything",) if word == "inert" else (),
    )


def _caveats(results: Results, condition: str, row: Estimate | None) -> list[str]:
    """Where the contrast is about how good the memories are, whatever its verdict."""
    said = []
    if row is not None and row.same_text:
        where = "all tasks" if row.same_text >= 1 else f"{share(row.same_text)} of the tasks"
        said.append(
            f"On {where} both arms showed the same damaged text; there the contrast compares only how good "
            f"the intact memories are."
        )
    if condition == WITHOUT or effect_of(results, condition) == REMOVAL:
        said.append(f"As {condition} removes the content, this is mostly a difference of utilities.")
    return said


def limits(results: Results) -> str:
    """What no contrast of this run says, whatever its verdict."""
    said = ["which arm serves the agent better (for that, see the utilities)"]
    if results.control.startswith(("control: embedded", "control: unverified")):
        said.append("what would come of upstream's own condenser, whose text this run did not have")
    return f"No contrast says {' or '.join(said)}."
