"""Sentences of a body, their words, clauses and edits, with all that is verbatim out of reach."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memtrial.memory.language.lexicon import FINITE, LEADING, SUBORDINATORS, THIRD_PERSON
from memtrial.memory.language.structure import HeadedPart, body, parts, place_parts

QUOTE_MASK = "\ue000"  # stands for each character of a verbatim span; no word, no blank

_VERBATIM = re.compile(
    r"""
      ^[ \t]*(?P<fence>```|~~~)(?![^\n]*+\s*+(?:\#++|\*\*)\ *+memory\ item)
        .*?^[ \t]*(?P=fence)[^\n]*$     # closed code fences; one around an item is no code
    | `[^`\n]+`
    | (?<![^\W_])"[^"\n]{1,200}"
    | “[^”\n]{1,200}” | «[^»\n]{1,200}» | 「[^」\n]{1,200}」 | ‘[^’\n]{1,80}’(?!\w)
    | (?<!\w)'(?=\S)[^'\n]{1,80}(?<=\S)'(?!\w)
    | https?://\S*[^\s.,;:!?)] | www\.\S*[^\s.,;:!?)]
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_LIST_MARK = re.compile(r"\s*(?:(?:[-*+•>–—]+|\(?\d{1,3}[.)]|\([a-z]\)|\#+)\s+)*")
_END = re.compile(
    r"(?<![.!?])[.!?]++[\"')\]*_\u201d\ue000]*+(?=\s|$) | [。！？]+ | ; | \n+ | \| | \s[—–]\s "
    r"| (?:,|(?<!\s))\s++(?=(?:but|instead|otherwise)\b(?!\s+of\b),?\s)",
    re.VERBOSE | re.IGNORECASE,
)
_ABBREVIATED = re.compile(
    r"(?i)(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|eq|dr|mr|mrs|ms|st|[a-z])\.$"
    r"|(?:^|\n|[.!?:;]\s)\s{0,7}\d{1,3}\.$"
)  # of a full stop and the eight characters before it; "14.99." is no list mark
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FINITE = FINITE | THIRD_PERSON
_TO_QUOTE = re.compile(rf"[ *_(:]*+{QUOTE_MASK}")


class Edit(NamedTuple):
    """Replace `[start, end)` of a text."""

    start: int
    end: int
    text: str


Edits = tuple[Edit, ...]


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits, which must not overlap."""
    out, place = [], 0
    for edit in sorted(edits):
        out += [text[place : edit.start], edit.text]
        place = edit.end
    return "".join([*out, text[place:]])


class SentenceWord(NamedTuple):
    """One word outside quotes: lower-cased, straight apostrophe, with its place in the sentence."""

    text: str
    start: int
    end: int


def masked_body(item: str) -> str:
    """The item without its headings, its quotes masked; a code fence that holds a heading is no quote."""
    return "\n".join(mask_quotes(part.body) for part in parts(item))


@lru_cache(maxsize=512)
def mask_quotes(text: str) -> str:
    """The text with quotes, code and addresses covered, of the same length."""
    return _VERBATIM.sub(lambda span: "\n".join(QUOTE_MASK * len(line) for line in span[0].split("\n")), text)


def quotes(text: str) -> tuple[str, ...]:
    """The verbatim spans of a text, in order, with their marks."""
    return tuple(span[0] for span in _VERBATIM.finditer(text))


def n_quotes_lost(before: str, after: str) -> int:
    """Number of verbatim spans of the bodies, repeats counted, that stand no longer in those of `after`."""
    old, new = (Counter(quotes(body(item))) for item in (before, after))
    return (old - new).total()


@lru_cache(maxsize=1024)
def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where the sentences stand: cut at full stops, semicolons, line ends, bars, dashes and before a contrast
    ("…, but never …"), for each side of a contrast gives its own advice. List marks are left out."""
    covered = mask_quotes(text)
    ends = [0]
    for match in _END.finditer(covered):
        stop = match.start() + 1
        if not (match[0].startswith(".") and _ABBREVIATED.search(covered[max(0, stop - 9) : stop])):
            ends.append(match.end())
    spans = []
    for start, end in zip(ends, [*ends[1:], len(text)], strict=True):
        mark = _LIST_MARK.match(covered, start, end)
        low = mark.end() if mark else start
        if covered[low:end].strip():
            spans.append((low, end))
    return tuple(spans)


def cut_sentences(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in spans(text)]


@dataclass(frozen=True)
class Sentence:
    """One sentence as written, and covered (see `mask_quotes`).

    Args:
        last: no other sentence follows it.
    """

    raw: str
    covered: str
    last: bool = True

    @cached_property
    def words(self) -> tuple[SentenceWord, ...]:
        """The words outside quotes."""
        matches = _WORD.finditer(self.covered)
        return tuple(
            SentenceWord(match[0].lower().replace("’", "'"), match.start(), match.end()) for match in matches
        )

    @cached_property
    def tail(self) -> int:
        """Where the stops and blanks at its end begin."""
        return len(self.covered.rstrip().rstrip(".!?"))

    @property
    def is_closed(self) -> bool:
        """It ends with a stop, a line or the text, so that nothing behind it hangs on its end."""
        return self.last or any(mark in self.covered[self.tail :] for mark in ".!?\n")

    def word(self, number: int) -> str:
        """The word at this index; empty beyond the end."""
        return self.words[number].text if 0 <= number < len(self.words) else ""

    def quote_after(self, number: int) -> bool:
        """Whether a quoted span follows this word at once."""
        return _TO_QUOTE.match(self.covered, self.words[number].end) is not None

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Indices at which a main clause may begin: the start, or behind a comma of a leading condition, a
        colon or an arrow."""
        if not self.words:
            return ()
        conditional = self.words[0].text in LEADING
        starts = [] if conditional or self.covered.startswith(QUOTE_MASK) else [0]  # a quote is the subject
        for number, (word, following) in enumerate(pairwise(self.words), 1):
            between = self.covered[word.end : following.start]
            if (conditional and "," in between) or re.search(r":[\s*_]|→|->|=>", between):
                starts.append(number)
        return tuple(starts)

    def clause(self, start: int) -> range:
        """Indices of the main clause that begins here: up to the word that opens a subordinate one."""
        behind = bisect_right(self._openers, start)
        return range(start, self._openers[behind] if behind < len(self._openers) else len(self.words))

    def finite_in(self, clause: range) -> bool:
        """Whether a finite verb stands there."""
        first = bisect_left(self._finite, clause.start)
        return first < len(self._finite) and self._finite[first] < clause.stop

    @cached_property
    def _openers(self) -> list[int]:
        return [number for number, word in enumerate(self.words) if word.text in SUBORDINATORS]

    @cached_property
    def _finite(self) -> list[int]:
        return [number for number, word in enumerate(self.words) if word.text in _FINITE]


def sentences_of(item: str) -> Iterator[tuple[HeadedPart, int, Sentence]]:
    """The sentences of an item, with the part that each stands in and its place in the item."""
    for part, start in place_parts(item):
        covered = mask_quotes(part.body)
        for low, high in spans(part.body):
            sentence = Sentence(part.body[low:high], covered[low:high], last=high == len(part.body))
            yield part, start + low, sentence
