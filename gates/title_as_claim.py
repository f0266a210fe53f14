"""Does the line that names the lesson claim something, or only name a topic?

A program sees a label: no side, no situation, no verb; or a label that is said twice. Whether what is left
can be true or false, the judge says.
"""

import re
from collections.abc import Iterator

from memtrial.gates.claim_strength import SIDE, SITUATION
from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.language.lexicon import FINITE, NOUNISH, THIRD_PERSON, VERBS
from memtrial.memory.words import content_words, folded_words

LABEL = re.compile(
    r"(?i)\b(?:handling|management|strateg(?:y|ies)|approach(?:es)?|techniques?|tips?|guide(?:lines?)?|overview"
    r"|navigation|considerations?|basics|principles?|best\s+practices?|workflow|usage|awareness|insights?"
    r"|notes?|lessons?|versus|vs|optimi[sz]ation|troubleshooting)\b"
)
NOUN_PHRASE = re.compile(r"(?i)\W*\w+(?:-\w|\s+\w+\s+of\b)")
"""A first word that would be a verb by itself: "Sort order of grids", "Test-driven work"."""
TEASER = re.compile(
    r"(?i)\W*(?:(?:how|what|why|which|where|who|whether)\b[^,?!:;]*\Z|(?:(?:some|the)\s+)?(?:key|main|important|useful|essential"
    r"|common|general|basic)\s+(?:points?|facts?|lessons?|takeaways?|steps?|things?|rules?|ideas?|aspects?)\b)"
)
"""It promises an explanation or a list, and gives none."""
_IDLE = frozenset(
    content_words("do use apply perform practise practice handle make follow carefully properly well")
)


def label(case: GateCase) -> Iterator[Ruling]:
    """What is wrong with the title, seen by a program."""
    title = case.roles.title or ""
    head, _, rest = title.partition(":")
    again = rest.strip() and set(content_words(rest)) - _IDLE <= set(content_words(head))
    if again and (LABEL.search(head) or not (SIDE.search(head) or SITUATION.search(head))):
        yield Ruling("the label is said twice and claims nothing", _line(title))
    if TEASER.match(title):
        yield Ruling("the title promises an explanation and claims nothing", _line(title))
    if SIDE.search(title) or SITUATION.search(title):
        return
    title_words = folded_words(title.casefold())
    verbs = [word for word in title_words if word in FINITE or word in THIRD_PERSON]
    if not LABEL.search(title) and (verbs or _orders(title) or _orders(rest)):
        return
    yield Ruling("the title names a topic and claims nothing that could be true or false", _line(title))


def _orders(text: str) -> bool:
    """It begins with a verb that is no noun there."""
    title_words = folded_words(text.casefold())[:1]
    return (
        bool(title_words)
        and title_words[0] in VERBS
        and title_words[0] not in NOUNISH
        and not NOUN_PHRASE.match(text)
    )


def _line(text: str) -> str:
    """A field's line as it stands in the markdown; empty where it may be guarded there."""
    line = text.split("\n")[0].strip()
    return "" if line.startswith(("#", "*", "_", ":", "\\", "-", "=")) else line


TITLE_AS_CLAIM = GateKind(
    "title-as-claim", "The line that names the lesson is a topic label.", ("title",), label
)
