"""Does the claim say something an informed reader could deny?"""

import re

from loadbearing.gates.gate import Case, GateKind, Ruling
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


def weakness(case: Case) -> Ruling | None:
    """What is wrong with the claim, seen by a program.

    Only what is sure: a topic label, or words too few for a state and an action. Whether anybody would advise
    the opposite is the judge's question.
    """
    claim = case.roles.what
    if len(content_words(claim)) < LEAST_CONTENT:
        return Ruling("the Claim names no state and action: it has fewer than three words that carry meaning")
    if not SIDE.search(claim) and not SITUATION.search(claim):
        return Ruling(
            "the Claim names no situation and takes no side: it says neither to do something nor to avoid it"
        )
    return None


CLAIM_STRENGTH = GateKind(
    "claim-strength", "The claim is a truism: nobody would advise the contrary.", ("what",), weakness
)
