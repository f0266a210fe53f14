"""Two numbers for one measure: "line length is 88" and "max line length is 100", "below 50" and "at most 72".

A clause is read as a limit where it is no more than a thing, a word of limit or "is", and one number with its
unit. Two are rivals where thing, unit and kind of limit are the same, the numbers differ, and nothing
above them parts them. Versions, ranges and lists of values are not read.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal, NamedTuple

from memtrial.gates.notes.note_report import NoteFinding, place_finding
from memtrial.gates.notes.rule_scopes import is_turned, share_scope
from memtrial.memory.language.sentences import mask_quotes, spans
from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem
from memtrial.memory.words import content_words

GATE = "internal-consistency"
Kind = Literal["most", "least", "is"]
_CLAUSE = re.compile(r"[;.](?=\s|\Z)|,\s|\n|[()—–]|\s-\s|\b(?:and|but)\b")
_ASIDE = ("(", "—", "–", "-")
"""Behind it, and behind a colon, what is measured is not named again."""
_NUMBER = re.compile(
    r"(?<![\w.,:/+#*$€£-])(?P<number>\d{1,6}(?:[.,]\d{1,3})?)(?P<second>\s?[x×]\s?\d{1,6})?"
    r"(?:\s?(?P<sign>%|ms|s|min|h|kB|KB|MB|GB|TB|px|k)(?!\w)|[\s-](?P<unit>[a-z]{2,20}))?(?![\w:/+*×-])"
)
_MOST = re.compile(
    r"(?i)\b(?:at\s+most|max(?:imum)?(?:\s+of)?|no\s+more\s+than|not\s+more\s+than|under|below|less\s+than|fewer\s+than|within|limit(?:ed)?\s+(?:is|to|of)"
    r"|(?:not|never)\s+(?:exceed|longer\s+than|above|over)|shorter\s+than|exceeds?)\b"
)
_LEAST = re.compile(
    r"(?i)\b(?:at\s+least|min(?:imum)?(?:\s+of)?|no\s+less\s+than|more\s+than|above|over|exceeds?)\b"
)
_PLAIN = frozenset(
    content_words(
        "keep must should be is are use set stay stays limit limited max maximum min minimum most least"
        " under below above over within exceed long wide less fewer more longer shorter always every value"
    )
)
"""Words of limits and of orders, which name no thing that is measured."""
_MEASURES = frozenset(content_words("length width timeout size coverage indentation depth complexity"))
"""Things that are measures themselves, so that "line length 88" is a limit."""
_PARTED = re.compile(
    r"(?i)\b(?:when|if|while|unless|until|except|only|after|before|for|in|on|from|version|v|python|node|step|page|phase|level)\b"
)
"""Words of a case, a place or a version: the number is that one's."""
_RANGE = re.compile(r"\d\s?(?:-|–|to|\.\.)\s?\d|\bor\b|[<>=~^]")
MOST_OF_A_THING = 8
"""Limits of one thing that later ones are held against, the first ones."""
MOST_THING = 4
"""Content words of what is measured."""
_UNITS = {
    "char": "character",
    "chars": "character",
    "col": "column",
    "sec": "s",
    "second": "s",
    "minute": "min",
}


class ReadLimit(NamedTuple):
    """A thing, its number as written, and the unit; empty where none is named."""

    item: NoteItem
    quote: str
    kind: Kind
    thing: frozenset[str]
    number: str
    unit: str


def find_rival_limits(file: NoteFile) -> Iterator[NoteFinding]:
    """Each limit that has another number than an earlier one of the same thing, once."""
    earlier: dict[frozenset[str], list[ReadLimit]] = defaultdict(list)
    for item in file.read.items:
        if item.leads or is_turned(file, item):
            continue
        for limit in read_limits(item):
            known = earlier[limit.thing]
            other = next((each for each in known if _differ(file, limit, each)), None)
            if other is not None:
                reason = f"cannot be followed beside line {other.item.line}: {other.quote!r}"
                yield place_finding(GATE, file, item, limit.quote, reason)
            elif len(known) < MOST_OF_A_THING:
                known.append(limit)


def read_limits(item: NoteItem) -> Iterator[ReadLimit]:
    """The limits that an item's clauses set; of a clause with two numbers none."""
    covered = mask_quotes(item.text)
    colon = covered.find(":") % (len(covered) + 1)  # behind the text where there is none
    for low, high in spans(item.text):
        place, aside = low, colon < low
        for cut in (*_CLAUSE.finditer(covered, low, high), None):
            limit = None if aside else _read(item, covered[place : cut.start() if cut else high])
            if limit is not None:
                yield limit
            if cut is not None:
                place = cut.end()
                aside = cut[0].strip() in _ASIDE or colon < place


def _read(item: NoteItem, clause: str) -> ReadLimit | None:
    numbers = list(_NUMBER.finditer(clause))
    if len(numbers) != 1 or sum(map(str.isdigit, clause)) != sum(map(str.isdigit, numbers[0][0])):
        return None
    (number,) = numbers
    rest = f"{clause[: number.start()]} {clause[number.end() :]}"
    if _PARTED.search(clause) or _RANGE.search(clause) or "\ue000" in clause:
        return None
    thing = frozenset(content_words(rest)) - _PLAIN
    if len(thing) > MOST_THING or thing <= _MEASURES:
        return None
    unit = number["sign"] or " ".join(content_words(number["unit"] or ""))
    most, least = _MOST.search(clause), _LEAST.search(clause)
    kind: Kind = "most" if most else "least" if least else "is"
    counts = number["unit"] and re.search(r"\bof\s\Z", clause[: number.start()])
    if kind == "is" and not counts and not thing & _MEASURES:
        return None
    value = number["number"] + (number["second"] or "").replace(" ", "")
    return ReadLimit(item, clause.strip(), kind, thing, value, _UNITS.get(unit, unit))


def _differ(file: NoteFile, limit: ReadLimit, other: ReadLimit) -> bool:
    """Another number of the same kind; a measure without a word of limit is held against either."""
    measures = bool(limit.thing & _MEASURES)
    kinds = limit.kind == other.kind or (measures and "is" in (limit.kind, other.kind))
    units = limit.unit == other.unit or (measures and not (limit.unit and other.unit))
    apart = other.item is not limit.item and limit.number != other.number
    return kinds and units and apart and share_scope(file, limit.item, other.item)
