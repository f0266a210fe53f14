"""Is each condition of the claim one that its reasoning uses?

A program does the deletion test for two kinds: a word of looks or time that neither the reason nor the
question, a thought or an action uses, and a whole condition none of whose words returns anywhere in the
item or in what the run shows. A
qualifier in other words, and a condition that is missing, are the judge's.
"""

import re
from collections.abc import Iterator

from memtrial.gates.gate import GateCase, GateKind, Ruling, run_words
from memtrial.memory.language.roles import clauses
from memtrial.memory.language.sentences import QUOTE_MASK, Sentence, cut_sentences, mask_quotes
from memtrial.memory.words import content_words

_COLOUR = r"red|blue|green|yellow|orange|purple|violet|pink|brown|gr[ea]y|black|white|turquoise|beige|teal"
LOOKS = re.compile(
    rf"(?i)\b(?:(?:\w+[- ])?(?:themed|colou?red|styled|looking|tinted|branded|flavou?red|decorated)"
    rf"|(?:{_COLOUR})(?:ish)?(?=[\s-]+\w)"
    r"|(?:modern|shiny|pretty|elegant|old-fashioned|stylish|sleek|beautiful|ugly|colou?rful|rounded|fancy|rustic)"
    r"|(?:on\s+(?:a\s+)?)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|in\s+the\s+(?:morning|afternoon|evening))\b"
)
_PIECE = re.compile(r"(?i),|\band\b|\bbut\b")
LEAST = 2
"""Content words of a condition that is put to the deletion test as a whole."""
USED = 0.34
"""Share of them that must return; one word in common is no use of the condition."""


def decoration(case: GateCase) -> Iterator[Ruling]:
    """Each qualifier that no premise uses."""
    roles, run = case.roles, case.trajectory
    texts = [roles.why, run.query, *(text for step in run.steps for text in (step.thought, step.action))]
    used = {word for text in texts for word in content_words(text)}
    for text in (roles.what, roles.where or ""):
        covered = mask_quotes(text)
        for qualifier in LOOKS.finditer(covered):
            if not used & set(content_words(qualifier[0].replace("-", " "))):
                yield Ruling("no premise of the item or its run uses this qualifier", qualifier[0])
    used |= set(content_words(f"{roles.when or ''} {roles.where or ''}")) | run_words(run, case.view)
    for raw in cut_sentences(roles.what):
        sentence = Sentence(raw, mask_quotes(raw))
        read = clauses(sentence)
        used_here = used | set(content_words(raw[read.begin :]))
        for low, high in read.when:
            for piece in _PIECE.split(raw[low:high]):
                words = set(content_words(piece))
                if len(words) >= LEAST and len(words & used_here) < USED * len(words) and not _quotes(piece):
                    account = "no premise of the item or its run uses this condition"
                    yield Ruling(account, piece.strip())


def _quotes(piece: str) -> bool:
    return QUOTE_MASK in mask_quotes(piece) or any(mark in piece for mark in "\"'`“”‘’«»")


LOAD_BEARING_QUALIFIERS = GateKind(
    "load-bearing-qualifiers",
    "An incidental detail narrows the claim, or a condition that it needs is missing.",
    ("what",),
    decoration,
)
