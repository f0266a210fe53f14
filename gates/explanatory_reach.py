"""Does the item say why, in a way that could turn out wrong?"""

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.gate import GateKind
from loadbearing.memory.item import TheoryItem
from loadbearing.memory.words import content_words

OUTCOME = frozenset(
    content_words(
        "work success successful successfully succeed fail failure better best good well great fine right"
        " correct correctly effective effectively efficient efficiently helpful help useful reliable proven"
        " prove improve optimal fast faster easy easier way approach method strategy action step agent run"
        " attempt task goal problem solve solution complete completion achieve reach obtain get give lead"
        " led result outcome answer reward score otherwise overall finally"
    )
)
"""Words that report how something went. A reason needs at least one other word: a thing, or what it does."""


def shortfall(item: TheoryItem, trajectory: Trajectory, view: View = "full") -> str:  # noqa: ARG001
    """What is wrong with the Mechanism, seen by a program."""
    if not item.mechanism:
        return "there is no Mechanism"
    told = set(content_words(item.mechanism)) - OUTCOME
    if not told:
        return "the Mechanism states an outcome and no reason"
    if told <= set(content_words(item.claim)):
        return "the Mechanism only says the Claim again"
    return ""


EXPLANATORY_REACH = GateKind("explanatory-reach", shortfall)
