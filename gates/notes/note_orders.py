"""Where a sentence orders or bans: its clauses, and what each begins with."""

import re
from collections.abc import Iterator

from memtrial.memory.language.lexicon import VERBS, words
from memtrial.memory.language.sentences import mask_quotes, spans

_ACTS = VERBS | words("verb_kinds.acts") | words("notes.acts")
_NOUNS = words("notes.nouns")
"""Verbs that a point of a list begins with mostly as nouns: "type suffix where applicable"."""
_CUT = re.compile(
    r"(?i)(?<![.;:()—–|])[.;:()—–|]++(?=\s|\Z)|[—–]|(?<!\s)\s++-\s|,\s++|\n++"
    r"|(?<!\s)\s++(?:and|or|but|instead\s++of|rather\s++than|instead|not)(?=\s)"
)
_BAN = re.compile(
    r"(?i)\W*+(?:(?:please|also|but|and|then)\W++)*+(?:never|do\s++not|don['’]t|dont|avoid|must\s++(?:not|never)"
    r"|should\s++not|shouldn['’]t|mustn['’]t|refrain\s++from|stop)\W++(?:ever\W++)?+(?P<rest>.+)",
    re.DOTALL,
)
_ORDER = re.compile(
    r"(?i)\W*+(?:(?:please|also|but|and|then|always|must|should|you\s++(?:must|should))\W++)*+"
    r"(?P<rest>(?P<verb>[a-z][a-z-]*+)(?!\w).*)",
    re.DOTALL,
)


def cut_clauses(covered: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where the clauses of a stretch of a sentence stand, without what is only set against the last one."""
    place = begin
    for cut in _CUT.finditer(covered, begin, stop):
        joint = " ".join(cut[0].lower().split())
        if joint == "not" and covered[max(begin, cut.start() - 2) : cut.start()].lower() == "do":
            continue
        yield place, cut.start()
        place = cut.end()
        if joint in ("instead of", "rather than", "not"):
            return
    yield place, stop


def read_order(text: str) -> tuple[bool, str] | None:
    """Whether the clause orders (else it bans), and what; None where it does neither."""
    if ban := _BAN.match(text):
        return False, ban["rest"]
    order = _ORDER.match(text)
    return (True, order["rest"]) if order and order["verb"].lower() in _ACTS else None


def is_ordered(text: str, place: int) -> bool:
    """Whether the sentence at this place of a text orders or bans something before it."""
    covered = mask_quotes(text)
    low = next((low for low, high in spans(text) if low <= place < high), place)
    clauses = (covered[slice(*span)] for span in cut_clauses(covered, low, place))
    orders = (order for clause in clauses if (order := read_order(clause)))
    return any(not do or _first(rest) not in _NOUNS for do, rest in orders)


def _first(text: str) -> str:
    return text.lower().split(maxsplit=1)[0]
