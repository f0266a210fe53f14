"""The rule that gives the word, before any guard has looked at a row; and the sentence, written last."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.contrast import CARRIES, Estimand, oddity_of
from memtrial.analysis.hypothesis_families import HYPOTHESES
from memtrial.analysis.inference.interval import all_zero_interval
from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import Facts
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.outcomes import WITHOUT

Kind = (
    Estimand
    | Literal["comparison", "above half", "below quarter", "follow, of two arms", "content, of two arms"]
)
Said = tuple[str, str]
"""A word and what it says."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one kind of estimand: of an effect above zero, below it, or within the margin.

    `within` is None where that is not asked; with `small_below` even an effect within the margin is `below`.
    `may_cancel`: effects of single tasks that cancel refute `within`, and are tested for.
    """

    above: Said
    below: Said
    within: Said | None
    undecided: str
    small_below: bool = True
    may_cancel: bool = False

    def claim(self, code: Reason) -> str:
        """What is said behind one of the rule's own reasons."""
        if code == Reason.ABOVE:
            return self.above[1]
        if code == Reason.BELOW:
            return self.below[1]
        return self.within[1] if self.within and code == Reason.WITHIN else self.undecided + _SETTLE


_SETTLE = "; about {tasks} would settle an effect as large as the one seen (80 % power)"
_LITTLE = "by less than {margin:.2f} either way{span}"
_NOT_CONTENT = "of its content this says nothing"
_ALIKE = "under the same kind of damage; this does not say which arm serves the agent better"
_THAN_ANOTHER = "when it is advised than when another one is; this does not say whether it helps"

_BESIDE = Words(
    ("load-bearing", "the damage costs more than {held_against}; this does not say that the advice is right"),
    ("reversed", "the damage costs less than {held_against}"),
    ("inert", "the damage and {held_against} differ " + _LITTLE),
    "that the damage costs more than {held_against}, or as much, is not shown",
    small_below=False,
    may_cancel=True,
)

WORDS: Mapping[Kind, Words] = MappingProxyType(
    {
        "utility": Words(
            ("helps", "the score is higher with this memory than without{small}; " + _NOT_CONTENT),
            ("harms", "the score is lower with this memory than without{small}; " + _NOT_CONTENT),
            ("none", f"memory moves the score {_LITTLE}; gains and losses may still cancel between tasks"),
            "neither an effect of this memory nor its absence is shown",
        ),
        "comparison": Words(
            ("helps", "{row.arm} scores higher than {reference} on the same tasks{small}"),
            ("harms", "{row.arm} scores lower than {reference} on the same tasks{small}"),
            ("none", f"{{row.arm}} and {{reference}} are shown to differ {_LITTLE}"),
            "neither a difference between {row.arm} and {reference} nor its absence is shown",
        ),
        "drop": Words(
            (
                "load-bearing",
                "the score falls when this text is damaged{small}, so the outcome depends on it; this does "
                "not say that the advice is right, or that the damage's oddity plays no part",
            ),
            (
                "reversed",
                "the score rises when this text is damaged; this does not say what in the text does harm",
            ),
            (
                "inert",
                f"this memory helps, yet damage moves the score {_LITTLE}, and effects that cancel between "
                "tasks are not above chance; this does not say that nobody reads it",
            ),
            "neither a drop nor its absence is shown",
            small_below=False,
            may_cancel=True,
        ),
        "contrast": Words(
            ("load-bearing", f"the treatment loses more than the control{{small}}, {_ALIKE}"),
            ("reversed", f"the treatment loses less than the control, {_ALIKE}"),
            (
                "inert",
                f"the two drops differ {_LITTLE}; this does not say that the content of either arm carries",
            ),
            "neither a difference of the drops nor its absence is shown",
            small_below=False,
            may_cancel=True,
        ),
        "content": _BESIDE,
        "beyond placebo": _BESIDE,
        "above half": Words(
            ("carries", "the damage takes more than 50% of what this memory adds: the content carries"),
            ("below", "the damage takes less than 50% of what this memory adds"),
            None,
            "that the damage takes more than 50% of the utility is not shown",
        ),
        "below quarter": Words(
            ("above", "the damage takes more than 25% of what this memory adds"),
            (
                "placebo",
                "the damage takes less than 25% of what this memory adds: the block helps, its content does "
                "not",
            ),
            None,
            "that the damage takes less than 25% of the utility is not shown",
        ),
        "dose": Words(
            ("rises", "the score rises with each true item among distractors"),
            ("falls", "the score falls with each true item among distractors"),
            ("flat", f"one true item more moves the score {_LITTLE}"),
            "that true items among distractors matter here, or do not, is not shown",
        ),
        "factorial": Words(
            ("raises", "it raises {part}, averaged over the other factors"),
            ("lowers", "it lowers {part}, averaged over the other factors"),
            ("none", f"it moves {{part}} {_LITTLE}"),
            "that it moves {part}, or does not, is not shown",
        ),
        "follow": Words(
            ("follows", f"the advised action is done more often {_THAN_ANOTHER}"),
            ("defies", f"the advised action is done less often {_THAN_ANOTHER}"),
            ("ignores", f"what is advised moves what is done there {_LITTLE}"),
            "neither that the advice is followed nor that it is ignored is shown",
        ),
        "follow other": Words(
            ("follows", "what `counter` advises is done more often where it is advised"),
            ("defies", "what `counter` advises is done less often where it is advised"),
            ("ignores", f"what `counter` advises moves how often it is done {_LITTLE}"),
            "neither that what `counter` advises is followed nor that it is ignored is shown",
        ),
        "polarity": Words(
            ("obeys", "the action is done more often when it is to be done than when it is to be avoided"),
            ("defies", "the action is done less often when it is to be done than when it is to be avoided"),
            ("ignores", f"whether it is to be done or avoided moves how often it is done {_LITTLE}"),
            "neither that what is said of the action counts nor that it does not is shown",
        ),
        "mention": Words(
            (
                "naming",
                "other advice costs more than the same advice turned round: that the action is named "
                "is worth something, whatever is said of it",
            ),
            (
                "meaning",
                "the advice turned round costs more than other advice: what is said of the action counts",
            ),
            ("alike", f"other advice and the same advice turned round differ in what they cost {_LITTLE}"),
            "neither that naming the action is worth something nor that it is not is shown",
        ),
        "content, of two arms": Words(
            ("load-bearing", f"less its oddity placebo the treatment's damage costs more, {_ALIKE}"),
            ("reversed", f"less its oddity placebo the treatment's damage costs less, {_ALIKE}"),
            ("inert", f"the two content effects differ {_LITTLE}"),
            "neither a difference of the content effects nor its absence is shown",
            small_below=False,
            may_cancel=True,
        ),
        "follow, of two arms": Words(
            ("more", "the treatment's items are followed more than the control's"),
            ("less", "the treatment's items are followed less than the control's"),
            ("alike", f"the treatment's items and the control's are followed alike: they differ {_LITTLE}"),
            "neither a difference in following nor its absence is shown",
        ),
    }
)
"""What the names in the sentences stand for: see `_claim`."""


def kind_of(row: Estimate) -> Kind:
    """Which words a row takes. Under the instruction, utilities and drops take the words of their own."""
    match row.estimand:
        case "content":
            return "content" if row.versus == oddity_of(row.condition) else "content, of two arms"
        case "instructed":
            return "utility" if row.versus == WITHOUT[0] else "drop"
        case "retention":
            return "above half" if row.share == CARRIES else "below quarter"
        case "follow":
            return "follow" if row.versus == "intact" else "follow, of two arms"
        case other:
            return other


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
        yield Caveat.LOOKS, {"last": looks.last, "planned": looks.planned}
    if p <= alpha < row.p_adjusted:
        yield Caveat.FAMILY_DECIDES, {"tests": tests}
    elif row.low is not None and row.high is not None and (p <= alpha) != (row.low > 0 or row.high < 0):
        yield Caveat.DISAGREE, {}
    absence = WORDS[kind_of(row)].within is not None and row.code is Reason.UNDECIDED
    if absence and row.p_equivalence is not None and row.p_equivalence <= alpha:
        yield Caveat.ABSENCE_IN_FAMILY, {"tests": tests}
    if n < _EXPLORATORY_BELOW:
        yield Caveat.FEW_UNITS, {}
