"""Verbs of advice: what an imperative may begin with, and what belongs to a verb. Data only."""

from loadbearing.memory.language.lexicon import VERBS
from loadbearing.memory.language.word_lists import words

ACTS = VERBS | words("verb_kinds.acts")
"""What an imperative may begin with."""

NOUNISH = words("verb_kinds.nounish")
"""Verbs that are nouns or adjectives as often."""
PLAIN = ACTS - NOUNISH
LOOSE = words("verb_kinds.loose")
"""Behind a verb they belong to it: another verb would not take what follows."""
WHOLE = {
    **dict.fromkeys(("wait", "wait1", "pause"), ("look around", "step back")),
    **dict.fromkeys(("inventory", "check inventory"), ("look around",)),
    "look around": ("inventory",),
    **dict.fromkeys(("go back", "return"), ("scroll down", "zoom out")),
    "scroll down": ("scroll up", "zoom out"),
    **dict.fromkeys(("refresh", "reload"), ("zoom out", "log out")),
}
"""Commands without an object, and what may be done instead."""
ALONE = frozenset(WHOLE) | {other for others in WHOLE.values() for other in others}
