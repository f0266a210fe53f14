"""Does the line that names the lesson claim something, or only name a topic?

A program sees a label: no side, no situation, no verb; or a label that is said twice. Whether what is left
can be true or false, the judge says.
"""

import re

from loadbearing.gates.claim_strength import SIDE, SITUATION
from loadbearing.gates.gate import Case, GateKind, Ruling
from loadbearing.memory.language.lexicon import FINITE, NOUNISH, THIRD_PERSON, VERBS
from loadbearing.memory.words import content_words, folded_words

LABEL = re.compile(
    r"\b(?:handling|management|strateg(?:y|ies)|approach(?:es)?|techniques?|tips?|guide(?:lines?)?|overview"
    r"|navigation|considerations?|basics|principles?|best\s+practices?|workflow|usage|awareness|insights?"
    r"|notes?|lessons?|optimi[sz]ation|troubleshooting)\b",
    re.IGNORECASE,
)
NOUN_PHRASE = re.compile(r"\W*\w+(?:-\w|\s+\w+\s+of\b)", re.IGNORECASE)
"""A first word that would be a verb by itself: "Sort order of grids", "Test-driven work"."""
_IDLE = frozenset(
    content_words("do use apply perform practise practice handle make follow carefully properly well")
)


def label(case: Case) -> Ruling | None:
    """What is wrong with the title, seen by a program."""
    title = case.roles.title or ""
    head, _, rest = title.partition(":")
    told = set(content_words(rest)) - _IDLE
    named = set(content_words(head))
    if (
        rest.strip()
        and told <= named
        and (LABEL.search(head) or not (SIDE.search(head) or SITUATION.search(head)))
    ):
        return Ruling("the label is said twice and claims nothing", _line(title))
    if SIDE.search(title) or SITUATION.search(title):
        return None
    found = folded_words(title.casefold())
    verbs = [word for word in found if word in FINITE or word in THIRD_PERSON]
    verbal = bool(found) and found[0] in VERBS and found[0] not in NOUNISH and not NOUN_PHRASE.match(title)
    begins = verbal and not LABEL.search(title)
    if begins or (verbs and not LABEL.search(title)):
        return None
    return Ruling("the title names a topic and claims nothing that could be true or false", _line(title))


def _line(text: str) -> str:
    """A field's line as it stands in the markdown; empty where it may be guarded there."""
    line = text.split("\n")[0].strip()
    return "" if line.startswith(("#", "*", "_", ":", "\\", "-", "=")) else line


TITLE_AS_CLAIM = GateKind(
    "title-as-claim", "The line that names the lesson is a topic label.", ("title",), label
)
