"""Does the claim say something an informed reader could deny?"""

import re
from collections.abc import Iterator

from memtrial.gates.explanatory_reach import OUTCOME
from memtrial.gates.gate import GateCase, GateKind, Ruling, run_words
from memtrial.memory.language.lexicon import NOUNISH, VERBS, read_section
from memtrial.memory.language.sentences import mask_quotes
from memtrial.memory.words import content_words, folded_words

SIDE = re.compile(
    r"(?i)\b(?:do|avoid|never|always|not|instead|rather|before|first|only)\b|n['’]t\b"
    r"|(?<!\bthe )(?<!\bof )\buse\b(?! of\b)"
)
SITUATION = re.compile(
    r"(?i)\b(?:if|when|whenever|once|while|until|unless)\b"
    r"|^\W*(?:in|on|at|with|without|for|from|after|during|given|facing)\b[^,]*,"
)
LEAST_CONTENT = 3
MOST_LOOSE = 3
"""Words besides praise up to which a claim that names nothing of its run would fit any."""
VIRTUE = OUTCOME | frozenset(content_words(read_section("gates.virtue")))
"""Words of praise and of any task: a claim that has no other says what everybody would advise."""


def weakness(case: GateCase) -> Iterator[Ruling]:
    """What is wrong with the claim, seen by a program.

    Only what is sure: a topic label, words too few for a state and an action, or nothing of the run. Whether
    anybody would advise the opposite of the rest is the judge's question.
    """
    claim = case.roles.what
    # a claim that quotes is about what it quotes
    claim_words = set(content_words(claim)) if mask_quotes(claim) == claim else set()
    spoken = folded_words(claim.casefold())
    roles = case.roles
    around = [text or "" for text in (roles.when, roles.where, "" if roles.why in claim else roles.why)]
    held = run_words(case.trajectory, case.view) | set(content_words(" ".join(around)))
    if claim_words and len(claim_words - VIRTUE) <= MOST_LOOSE and not (claim_words - VIRTUE) & held:
        yield Ruling("the Claim names nothing of the run or of its own reason: it would fit any run")
    if len(content_words(claim)) < LEAST_CONTENT:
        yield Ruling("the Claim names no state and action: it has fewer than three words that carry meaning")
    orders = bool(spoken) and spoken[0] in VERBS and spoken[0] not in NOUNISH
    if not orders and not SIDE.search(claim) and not SITUATION.search(claim):
        yield Ruling(
            "the Claim names no situation and takes no side: it says neither to do something nor to avoid it"
        )


CLAIM_STRENGTH = GateKind(
    "claim-strength", "The claim is a truism: nobody would advise the contrary.", ("what",), weakness
)
