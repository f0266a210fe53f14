"""What the words of a single item show: work left to the reader, words without a measure, words on itself.

Each is a question of a gate of the suite that a program can answer without a run, or of the form that an item
must have. Whether an item advises at all is read by its verbs.
"""

import re
from collections.abc import Iterator

from memtrial.gates.notes.note_degrees import find_degree
from memtrial.gates.notes.note_orders import is_ordered
from memtrial.gates.notes.note_report import NoteFinding, place_finding
from memtrial.gates.refuter import VALUE
from memtrial.memory.language.claim_text import read_claim
from memtrial.memory.language.lexicon import word_set
from memtrial.memory.language.sentences import mask_quotes
from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem
from memtrial.memory.words import folded_words

_ABOUT_ITSELF = re.compile(
    r"(?i)\W*(?:this|the\s+following)\s+(?:file|document|page|section|guide|readme|skill|(?:claude|agents|skill)\.md)\s+"
    r"(?:provides?|contains?|describes?|explains?|outlines?|covers?|defines?|documents?|lists?|gives?|serves?"
    r"|details?|summari[sz]es|helps?|(?:is|will\s+be)\s+(?:loaded|read|included)|is\s+(?:intended|meant|designed|about|for))\b"
)
_LEFT_OPEN = re.compile(
    r"(?i)\b(?:use|choose|pick|select|apply|take|call|run|follow|perform)\s+(?:the\s+)?(?:right|correct|proper"
    r"|appropriate|suitable|relevant|necessary)\s+(?:tool|command|approach|method|option|action|steps?|procedure"
    r"|way|process|technique|strategy|solution|pattern)s?\b"
    r"|\b(?:act|proceed|respond|behave|react|adapt|adjust|continue|handle\s+\w+)\s+(?:accordingly"
    r"|as\s+(?:needed|appropriate|necessary))\b|\b(?:do|use|choose|try)\s+what(?:ever)?\s+(?:works"
    r"|is\s+(?:best|needed|necessary|appropriate)|seems\s+\w+)\b"
)
_EXPLAINED = re.compile(
    r"(?i)\s*(?::|\(|—|–|based\s+on|depending|according|from|in\s+the\s+(?:table|list)|that|which|to\s)"
)
"""Behind an open choice: how it is made."""
_PERSON = re.compile(r"(?i)\W*(?:you\s+are|act\s+as|(?:expert|senior)\b)")
_BAN_OR_RULE = re.compile(
    r"(?i)\A\W*(?:no|only|all|every|each|any)\s|\b(?:must|should|shall|never|always|not|avoid|required?|requires|recommend(?:ed)?|prefer(?:red)?|needs?\s+to"
    r"|have\s+to|has\s+to|instead|forbidden|allowed|prohibited|ask|use)\b|n['’]t\b|\A\W*\[[ x]\]"
)
_UNMEASURED = re.compile(
    r"(?i)\b(?:as|if|when|where|wherever|whenever)\s+(?:appropriate|needed|necessary|applicable|required|possible"
    r"|relevant|suitable)\b|\b(?:appropriate(?:ly)?(?!\s+(?:for|to)\b)|properly|adequate(?:ly)?|sufficient(?:ly)?|reasonabl[ey]"
    r"|(?:follow\w*|apply\w*|us(?:e|ing)|to|against|on|with|maintain)\s+(?:[\w'’-]{1,24}\s){0,3}best\s+practices?"
    r"|high[- ]quality|well[- ](?:structured|written|organi[sz]ed|documented)"
    r"|maintainable|user[- ]friendly|meaningful|clean\s+code)\b"
)
_SHOWN = re.compile(r"(?i)\b(?:e\.g|i\.e|for\s+example|for\s+instance|such\s+as|like)\b|[(:]|\d|[—–]|->|→")
"""It goes on to say what is meant."""
_SMALL = word_set(
    "the an to of in is are for with when not use it this that and be before after if you from by no"
)
LEAST_SPOKEN = 30
LEAST_SMALL = 0.06
"""Share of English small words; other languages have at most half of it, lists of names a little more."""
NEAR = 60
"""Characters before a condition that may name the choice it is about: "X or Y as appropriate"."""


def is_english_note(text: str) -> bool:
    """Whether its small words are those of English; one of a few words may be anything."""
    spoken = folded_words(text.casefold())
    return len(spoken) < LEAST_SPOKEN or sum(word in _SMALL for word in spoken) >= LEAST_SMALL * len(spoken)


def advises(text: str) -> bool:
    """Whether it tells somebody to do or to avoid something, a rule without a verb ("No `any`") included."""
    return _BAN_OR_RULE.search(text) is not None or bool(read_claim(text).action)


def find_wording(file: NoteFile, item: NoteItem) -> Iterator[NoteFinding]:
    """All that the item's words show, in the order of the questions."""
    text, covered = item.text, mask_quotes(item.text)
    choice = next((match for match in _LEFT_OPEN.finditer(covered) if _is_open(covered, match)), None)
    if choice and not item.leads:
        reason = "leaves the work to its reader: say what is to be done"
        yield place_finding("left-open", file, item, text[slice(*choice.span())], reason, "INFO")
    if about := _ABOUT_ITSELF.match(covered):
        reason = "speaks of the file, and not to an agent at work"
        yield place_finding("meta-prose", file, item, about[0].strip(), reason)
    if item.leads or choice or _PERSON.match(text):
        return
    value = next((match for match in VALUE.finditer(covered) if _is_open(covered, match)), None)
    vague = next((match for match in _UNMEASURED.finditer(covered) if _is_open(covered, match)), None)
    if value and is_ordered(text, value.start()):
        reason = "the condition is that the advice is good: say what one sees then"
        yield place_finding("refuter", file, item, text[slice(*value.span())].strip(), reason)
    elif not _is_shown(item, covered):
        whole = find_degree(item)
        words = text[slice(*vague.span())] if vague and is_ordered(text, vague.end()) else whole
        if words:
            reason = "nothing tells when this is met: give a measure, a command or an example"
            yield place_finding("no-measure", file, item, words, reason)


def _is_shown(item: NoteItem, covered: str) -> bool:
    """Whether code, a quotation, a number or an example says what is meant."""
    return covered != item.text or bool(item.roles.form) or _SHOWN.search(item.text) is not None


def _is_open(covered: str, match: re.Match[str]) -> bool:
    """Neither what is chosen from nor what decides it stands beside the words."""
    named = " or " in covered[max(0, match.start() - NEAR) : match.start()]
    return not named and not _EXPLAINED.match(covered, match.end())
