"""The rule that gives the word: what a row's own numbers show, before any guard has looked at it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from loadbearing.analysis.estimands.contrast import Estimand
from loadbearing.analysis.estimands.secondary import CARRIES, oddity_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.outcomes import WITHOUT

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
    """

    above: Said
    below: Said
    within: Said | None
    undecided: str
    small_below: bool = True

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
            ("raises", "this factor raises {part}, averaged over the others"),
            ("lowers", "this factor lowers {part}, averaged over the others"),
            ("none", f"this factor moves {{part}} {_LITTLE}"),
            "that this factor moves {part}, or does not, is not shown",
        ),
        "follow": Words(
            ("follows", f"the advised action is done more often {_THAN_ANOTHER}"),
            ("defies", f"the advised action is done less often {_THAN_ANOTHER}"),
            ("ignores", f"what is advised moves what is done there {_LITTLE}"),
            "neither that the advice is followed nor that it is ignored is shown",
        ),
        "content, of two arms": Words(
            ("load-bearing", f"less its oddity placebo the treatment's damage costs more, {_ALIKE}"),
            ("reversed", f"less its oddity placebo the treatment's damage costs less, {_ALIKE}"),
            ("inert", f"the two content effects differ {_LITTLE}"),
            "neither a difference of the content effects nor its absence is shown",
            small_below=False,
        ),
        "follow, of two arms": Words(
            ("more", "the treatment's items are followed more than the control's"),
            ("less", "the treatment's items are followed less than the control's"),
            ("alike", f"the treatment's items and the control's are followed alike: they differ {_LITTLE}"),
            "neither a difference in following nor its absence is shown",
        ),
    }
)
"""What the names in the sentences stand for: see `_names` in analysis/verdicts/sentences.py."""


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


def ruled(row: Estimate, plan: AnalysisPlan) -> Estimate:
    """The row with the word that its own numbers give: effect first, then equivalence, else inconclusive.

    Both are shown by p-values that are adjusted for the row's family: an absence is a claim like any other.

    Source: STATISTICS 2 and 0d.3.
    """
    if row.p is None:
        return row.given("inconclusive", Reason.NO_INFERENCE)
    words, effect = WORDS[kind_of(row)], row.effect(plan.alpha)
    within = words.within is not None and row.within(plan.alpha)
    if effect > 0:
        return row.given(words.above[0], Reason.ABOVE)
    if effect < 0 and (words.small_below or not within):
        return row.given(words.below[0], Reason.BELOW)
    if words.within is not None and within:
        return row.given(words.within[0], Reason.WITHIN)
    return row.given("inconclusive", Reason.UNDECIDED)
