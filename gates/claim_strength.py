"""Does the claim say something an informed reader could deny?"""

import re

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.gate import GateKind
from loadbearing.memory.item import TheoryItem
from loadbearing.memory.words import content_words

SIDE = re.compile(
    r"\b(?:do|avoid|never|always|not|instead|rather|before|first|only)\b|n['’]t\b"
    r"|(?<!\bthe )(?<!\bof )\buse\b(?! of\b)",
    re.IGNORECASE,
)
SITUATION = re.compile(
    r"\b(?:if|when|whenever|once|while|until|unless)\b"
    r"|^\W*(?:in|on|at|with|without|for|from|after|during|given|facing)\b[^,]*,",
    re.IGNORECASE,
)
LEAST_CONTENT = 3


def weakness(item: TheoryItem, trajectory: Trajectory, view: View = "full") -> str:  # noqa: ARG001
    """What is wrong with the claim, seen by a program.

    Only what is sure: a topic label, or words too few for a state and an action. Whether anybody would advise
    the opposite is the judge's question.
    """
    if not item.claim:
        return "there is no Claim"
    if len(content_words(item.claim)) < LEAST_CONTENT:
        return "the Claim names no state and action: it has fewer than three words that carry meaning"
    if not SIDE.search(item.claim) and not SITUATION.search(item.claim):
        return (
            "the Claim names no situation and takes no side: it says neither to do something nor to avoid it"
        )
    return ""


CLAIM_STRENGTH = GateKind("claim-strength", weakness)
