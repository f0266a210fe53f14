"""Which lines of an item are its frame: they tell nobody to do anything, and stand in every kind of damage.

Frame is, outside of code:

- a heading, or a line in bold, that names a topic of the closed lists (`note_topics.names_topic`);
- the title of the file: its first heading, of the first level, where it says what kind of text this is and
  names the project, by words that stand nowhere else in the file, and are no common verbs and judge nothing;
- a label before a sentence that names such a topic: "- **Testing:** run the tests" begins behind it;
- a line that only leads in, or says for whom the file is (`note_topics.leads_in`);
- a rule line, a line of badges, a comment that is a mark of a tool, a front matter that says where it counts.

All else may tell something. In doubt a line is no frame; where rules cannot turn it the item is declined.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from memtrial.memory.language.lexicon import forms_of, words
from memtrial.memory.language.roles import Span
from memtrial.memory.language.sentences import Sentence
from memtrial.memory.language.structure import place_parts
from memtrial.memory.notes.note_blocks import NoteBlock, cut_blocks
from memtrial.memory.notes.note_topics import bare_topic, leads_in, names_topic
from memtrial.memory.words import POLARITY, content_words
from memtrial.perturbations.advice.imperatives import ACTS
from memtrial.perturbations.advice.verbs import BASES

_DOCUMENTS = words("topics.documents")
_JUDGING = words("notes.degrees") | words("notes.loose_degrees") | words("notes.manners")
_HEDGING = words("shapes.hedging") | words("shapes.arguing") | POLARITY
_ACTING = frozenset(form for verb in ACTS | BASES for form in (verb, *forms_of(verb)))
_MOST_NAMES = 4
_BETWEEN = re.compile(r" [-–—|] |: ")
_NAME = re.compile(r"[A-Z][A-Za-z0-9.]*+|[a-z]+(?:[-_][a-z]+)++")
_BOLD = re.compile(r"\s*(?P<marks>\*\*|__)(?P<text>[^*_\n]{1,80})(?P=marks):?\s*")
_MARKED = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?")
_LABEL = re.compile(
    r"(?:(?P<marks>\*\*|__)(?P<bold>[^*_\n:]{1,60})(?::(?P=marks)|(?P=marks):)"
    r"|(?P<plain>[A-Za-z][A-Za-z ]{1,40}):)\s+(?=\S)"
)
_BADGES = re.compile(r"\s*(?:\[?!\[(?P<alt>[^\]\n]{0,40})\]\([^()\s]{1,300}\)(?:\]\([^()\s]{1,300}\))?\s*)")
_TOOL_MARK = re.compile(
    r"(?i)\s*<!--\s*(?:(?:[\w.-]{1,40}:)?(?:BEGIN|END|START|STOP)\b[\w:.-]{0,60}|markdownlint-[\w\- ]{1,60}"
    r"|prettier-ignore[\w-]{0,20}|toc)\s*-->\s*"
)
_COUNTS = re.compile(r"(?:globs|alwaysApply|applyTo|paths|version)\s*:[^\n]*|-\s*[\w\"'./*{},\-]+|---|")


@lru_cache(maxsize=4096)
def frame_spans(item: str) -> tuple[Span, ...]:
    """Where the frame stands, in order; a label's span ends where what it labels begins."""
    return tuple(_find_frame(item))


def still_framing(before: str, after: str) -> tuple[str, ...]:
    """The texts of the frame that hold a word and stand in `after` as frame, without their marks."""
    there = set(_frame_texts(after))
    return tuple(text for text in _frame_texts(before) if text in there)


def _frame_texts(item: str) -> Iterator[str]:
    for low, high in frame_spans(item):
        text = item[low:high].strip(" \t\r\n#*-_+•:")
        if any(map(str.isalnum, text)):
            yield text


def frame_end(item: str, place: int) -> int:
    """Where the frame that holds this place ends; the place itself where none does.

    Of a sentence that begins at the place all is frame that lies before: a line, or the label that opens it.
    """
    return _end_at(frame_spans(item), place)


def _end_at(spans: tuple[Span, ...], place: int) -> int:
    """Where the span that holds this place ends; the place itself where none does."""
    number = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return max(place, spans[number][1]) if number >= 0 else place


def without_frame(item: str, place: int, sentence: Sentence) -> tuple[int, Sentence] | None:
    """What of the sentence at this place is told, and where it begins; None where all of it is frame."""
    begin = frame_end(item, place)
    cut = begin - place
    if cut >= len(sentence.raw.rstrip()):
        return None
    return begin, (Sentence(sentence.raw[cut:], sentence.covered[cut:], sentence.last) if cut else sentence)


def telling_headings(before: str, after: str) -> Iterator[str]:
    """The headings of a hand-written text that stand as they did and are no frame: they may tell."""
    there = {after[low:high].strip() for low, high in _headings(after)}
    for low, high in _headings(before):
        text = before[low:high].strip()
        if text in there and any(map(str.isalnum, text)) and frame_end(before, low) < low + len(text):
            yield text


def is_heading(item: str, place: int) -> bool:
    """Whether a heading of a hand-written text holds this place of the item."""
    return _end_at(_headings(item), place) > place


@lru_cache(maxsize=4096)
def _headings(item: str) -> tuple[Span, ...]:
    """Its headings and lines in bold, in order; none of what stands below the field of an item."""
    fields = [(0, 0)]
    for part, place in place_parts(item):
        if part.label or part.step or part.layout:
            fields.append((place - len(part.head), place + len(part.body)))
    found: list[Span] = []
    place = 0
    for block in cut_blocks(item):
        lines = block.text.splitlines(keepends=True) if block.kind in ("paragraph", "item") else [block.text]
        for line in lines:
            holder = fields[bisect_right(fields, (place, len(item))) - 1]
            named = block.kind == "heading" or _BOLD.fullmatch(line)
            if named and place >= holder[1]:
                found.append((place, place + len(line)))
            place += len(line)
    return tuple(found)


def _find_frame(item: str) -> Iterator[Span]:
    place, first = 0, True
    for block in cut_blocks(item):
        if block.kind == "heading":
            bare = block.text.split("\n", 1)[0]
            title = first and block.level == 1 and _is_title(bare, item[place + len(block.text) :])
            if title or names_topic(bare):
                yield place, place + len(block.text)
        elif _is_mark(block):
            yield place, place + len(block.text)
        elif block.kind in ("paragraph", "item"):
            yield from _lines_of(block.text, place)
        first = first and block.kind != "heading"
        place += len(block.text)


def _is_mark(block: NoteBlock) -> bool:
    """A rule, a comment of a tool, or a front matter that says only where the file counts."""
    if block.kind == "front matter":
        return all(_COUNTS.fullmatch(line.strip()) for line in block.text.splitlines())
    return block.kind == "rule" or (block.kind == "comment" and _TOOL_MARK.fullmatch(block.text) is not None)


def _lines_of(text: str, place: int) -> Iterator[Span]:
    for line in text.splitlines(keepends=True):
        bold = _BOLD.fullmatch(line)
        if (bold and names_topic(bold["text"])) or leads_in(_without_mark(line)) or _holds_badges(line):
            yield place, place + len(line)
        elif end := _label_of(line):
            yield place, place + end
        place += len(line)


def _without_mark(line: str) -> str:
    mark = _MARKED.match(line)
    return line[mark.end() :] if mark else line


def _label_of(line: str) -> int:
    """Where the label of a line ends; 0 where none names a topic."""
    mark = _MARKED.match(line)
    label = _LABEL.match(line, mark.end() if mark else 0)
    return label.end() if label and names_topic(label["bold"] or label["plain"]) else 0


def _holds_badges(line: str) -> bool:
    place = 0
    while badge := _BADGES.match(line, place):
        if badge["alt"] and not names_topic(badge["alt"]):
            return False
        place = badge.end()
    return place > 0 and not line[place:].strip()


def _is_title(line: str, rest: str) -> bool:
    """Whether the first heading says what kind of text it is, and of which project."""
    pieces = _BETWEEN.split(bare_topic(line))
    kinds = [piece for piece in pieces if names_topic(piece)]
    others = [piece.split() for piece in pieces if piece not in kinds]
    if len(pieces) > 2 or len(others) > 1:
        return False
    if not others:
        return True
    names = others[0]
    if not kinds:
        if not names or names[-1].lower() not in _DOCUMENTS:
            return False
        names = names[:-1]
    return 0 < len(names) <= _MOST_NAMES and all(map(_is_name, names)) and not _says_again(names, rest)


def _is_name(word: str) -> bool:
    low = word.lower()
    known = low in _ACTING | _JUDGING | _HEDGING or low.endswith(("ly", "ing", "ed"))
    return _NAME.fullmatch(word) is not None and not known


def _says_again(names: list[str], rest: str) -> bool:
    """Whether the file says one of these words again: it may be what is advised, and would stay."""
    return bool(set(content_words(" ".join(names))) & set(content_words(rest)))
