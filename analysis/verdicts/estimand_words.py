"""The words of each kind of estimand, and what each of them says."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from memtrial.analysis.estimands.contrast import CARRIES, Estimand, oddity_of
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Estimate
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
        "named": Words(
            (
                "naming",
                "the action is done more often where it is named, though advised against, than where another "
                "one is: to be named counts, whatever is said of it",
            ),
            (
                "meaning",
                "the action is done less often where it is advised against than where it is not named: what "
                "is said of it counts",
            ),
            (
                "alike",
                f"that the action is named, though advised against, moves how often it is done {_LITTLE}",
            ),
            "neither that to be named moves what is done nor that it does not is shown",
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
