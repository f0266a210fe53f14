"""Whole sentences that are met by a degree alone: "keep it simple", "be careful", "write clean code".

A sentence counts only where it says nothing else, from its order to its stop: a measure, code, an example
or a second thing to do stand outside these forms.
"""

import re

from memtrial.gates.notes.note_orders import read_order
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.sentences import mask_quotes, spans
from memtrial.memory.notes.note_items import NoteItem


def _any_of(*names: str) -> str:
    listed = " ".join(read_section(name) for name in names).split()
    return "|".join(re.escape(word).replace("\\-", "[- ]") for word in sorted(listed, key=len, reverse=True))


_WORD = r"(?<![\w/-])[\w'’/-]{1,30}"
_OPEN = (
    r"(?i)\A\W*+(?:(?:please|always|just|also|and|generally|try\s+to|aim\s+to|strive\s+to|aim\s+for|strive\s+for"
    r"|you\s+should|you\s+must|make\s+sure\s+to)\W++)*+"
)
_ADVERB = r"(?:(?:very|as|reasonably|fairly|relatively|extra|nice\s+and)\s+)?"
_STRICT = rf"{_ADVERB}(?:{_any_of('notes.degrees')})"
_LOOSE = rf"{_ADVERB}(?:{_any_of('notes.degrees', 'notes.loose_degrees')}|up\s+to\s+date)"
_JOINT = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+but\s+|\s+or\s+)"
_END = r"(?:\s+(?:as\s+possible|at\s+all\s+times|throughout|everywhere))?\W*\Z"
_TAIL = rf"(?:\s+(?:for|in|of|to|across|throughout|at)\s+{_WORD}(?:\s+{_WORD}){{0,2}})?{_END}"
_TOPIC = rf"(?:\s+(?:when|while|with|about|of|around|in|before)\s+{_WORD}(?:\s+{_WORD}){{0,6}})?\W*\Z"


def _list_of(degree: str) -> str:
    return rf"{degree}(?:{_JOINT}{degree}){{0,3}}"


_CODE = r"(?:code|functions?|methods?|classes|components|tests?|names?|documentation|docs|comments|messages?)"
_FORMS = tuple(
    re.compile(_OPEN + form)
    for form in (
        rf"(?:write|produce|create|build|provide|give|make|add|prefer|deliver|maintain|return|use|choose|pick|ensure"
        rf"|implement|include)\s+(?:an?\s+|the\s+|all\s+|only\s+)?{_list_of(_STRICT)}\s+(?:{_WORD}\s+){{0,2}}{_WORD}{_TAIL}",
        rf"(?:write|produce|create|build|deliver|maintain|prefer|use)\s+{_list_of(_LOOSE)}\s+(?:{_WORD}\s+)?{_CODE}{_TAIL}",
        rf"(?:keep|make)\s+(?!sure\b)(?:{_WORD}\s+){{1,5}}?{_list_of(_LOOSE)}{_TAIL}",
        rf"(?:make\s+sure|ensure)\s+(?:that\s+)?(?:{_WORD}\s+){{1,5}}?(?:is|are|stays?|remains?)\s+{_list_of(_LOOSE)}{_TAIL}",
        rf"(?:{_WORD}\s+){{1,5}}?(?:should|must|needs?\s+to|has\s+to|have\s+to)\s+(?:always\s+)?(?:be|feel|look|stay"
        rf"|remain|be\s+kept)\s+{_list_of(_LOOSE)}{_TAIL}",
        rf"be\s+{_ADVERB}(?:{_any_of('notes.manners')}){_TOPIC}",
        rf"(?:exercise|use|apply)\s+(?:extra\s+|great\s+|your\s+|the\s+)?(?:best\s+|good\s+|sound\s+)?(?:caution|judge?ment"
        rf"|care|discretion|common\s+sense){_TOPIC}",
        rf"(?:take|use)\s+(?:great\s+|extra\s+|special\s+)?care\s+(?:when|with|in)\b(?:\s+{_WORD}){{1,6}}\W*\Z",
        rf"(?:choose|pick|use|find)\s+(?:{_WORD}\s+){{1,4}}?that\s+(?:looks?|feels?|reads?|works?)\s+(?:good|nice|right|well|best){_END}",
        rf"(?:avoid|don['’]t|do\s+not|never)\s+(?:over[- ]?engineer|over[- ]?complicat)(?:e|ing)?"
        rf"(?:\s+{_WORD}){{0,3}}\W*\Z",
        rf"avoid\s+(?:unnecessary|needless|excessive|clever|(?:over)?complicated|overly\s+{_WORD})\s+(?:{_WORD}\s+)?{_WORD}\W*\Z",
        rf"(?:communicate|write|document|code|test|work)\s+(?:better|well|smartly){_END}",
    )
)
_MANNER = re.compile(
    _OPEN + rf"(?!(?:re-?)?read\b)(?:{_WORD}\s+){{1,4}}?(?:properly|carefully|thoroughly|responsibly"
    rf"|appropriately|adequately|gracefully|wisely"
    rf"|sensibly|judiciously|professionally){_TOPIC}"
)
"""The adverb of a verb that orders."""


def find_degree(item: NoteItem) -> str | None:
    """The last sentence of an item where a degree alone would meet it; one behind it may say how."""
    covered = mask_quotes(item.text)
    last = covered[slice(*places[-1])] if (places := spans(item.text)) else ""
    return last.strip().strip("*_ ") if _is_degree(last) else None


def _is_degree(sentence: str) -> bool:
    if any(form.match(sentence) for form in _FORMS):
        return True
    return _MANNER.match(sentence) is not None and read_order(sentence) is not None
