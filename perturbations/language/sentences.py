"""Sentences of a body, their words and their clauses, with all that is verbatim out of reach."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from loadbearing.perturbations.language.lexicon import FINITE, LEADING, SUBORDINATORS, THIRD_PERSON

QUOTE_MASK = "\ue000"  # stands for each character of a verbatim span; no word, no blank

_VERBATIM = re.compile(
    r"""
      ^[ \t]*(?P<fence>```|~~~).*?^[ \t]*(?P=fence)[^\n]*$     # closed code fences
    | `[^`\n]+`
    | (?<![^\W_])"[^"\n]{1,200}"
    | “[^”\n]{1,200}” | «[^»\n]{1,200}» | 「[^」\n]{1,200}」 | ‘[^’\n]{1,80}’(?!\w)
    | (?<!\w)'(?=\S)[^'\n]{1,80}(?<=\S)'(?!\w)
    | https?://\S*[^\s.,;:!?)] | www\.\S*[^\s.,;:!?)]
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_LIST_MARK = re.compile(r"\s*(?:(?:[-*+•>–—]+|\(?\d{1,3}[.)]|\([a-z]\)|\#+)\s+)*")
_END = re.compile(
    r"(?<![.!?])[.!?]++[\"')\]*_\u201d\ue000]*+(?=\s|$) | [。！？]+ | ; | \n+ | \| | \s[—–]\s "
    r"| (?:,|(?<!\s))\s++(?=(?:but|instead|otherwise)\b(?!\s+of\b),?\s)",
    re.VERBOSE | re.IGNORECASE,
)
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|eq|dr|mr|mrs|ms|st|[a-z])\.$|(?:^|[\n.!?:;])\s{0,7}\d{1,3}\.$",
    re.IGNORECASE,
)
"""Of a full stop and the eight characters before it."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FINITE = FINITE | THIRD_PERSON
_TO_QUOTE = re.compile(rf"[ *_(:]*+{QUOTE_MASK}")


class Word(NamedTuple):
    """One word outside quotes: lower-cased, straight apostrophe, with its place in the sentence."""

    text: str
    start: int
    end: int


def mask_quotes(text: str) -> str:
    """The text with quotes, code and addresses covered, of the same length."""
    return _VERBATIM.sub(lambda span: re.sub(r"[^\n]", QUOTE_MASK, span[0]), text)


def n_quotes_lost(before: str, after: str) -> int:
    """Number of verbatim spans, repeats counted, that stand in `before` and no longer in `after`."""
    there, here = (Counter(span[0] for span in _VERBATIM.finditer(text)) for text in (before, after))
    return (there - here).total()


def quotes(text: str) -> tuple[str, ...]:
    """The verbatim spans of a text, in order, with their marks."""
    return tuple(span[0] for span in _VERBATIM.finditer(text))


@lru_cache(maxsize=2048)
def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where the sentences stand: cut at full stops, semicolons, line ends, bars, dashes and before a contrast
    ("…, but never …"), for each side of a contrast gives its own advice. List marks are left out."""
    covered = mask_quotes(text)
    ends = [0]
    for match in _END.finditer(covered):
        if not (
            match[0].startswith(".")
            and _ABBREVIATED.search(covered[max(0, match.start() - 8) : match.start() + 1])
        ):
            ends.append(match.end())
    found = []
    for start, end in zip(ends, [*ends[1:], len(text)], strict=True):
        mark = _LIST_MARK.match(covered, start, end)
        low = mark.end() if mark else start
        if covered[low:end].strip():
            found.append((low, end))
    return tuple(found)


def cut(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in spans(text)]


@dataclass(frozen=True)
class Sentence:
    """One sentence as written, and covered (see `mask_quotes`)."""

    raw: str
    covered: str

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words outside quotes."""
        return tuple(
            Word(match[0].lower().replace("’", "'"), match.start(), match.end())
            for match in _WORD.finditer(self.covered)
        )

    @cached_property
    def n_words(self) -> int:
        """Words between blanks, quotes included."""
        return len(self.raw.split())

    def word(self, at: int) -> str:
        """The word at this index; empty beyond the end."""
        return self.words[at].text if 0 <= at < len(self.words) else ""

    def quote_after(self, at: int) -> bool:
        """Whether a quoted span follows this word at once."""
        return _TO_QUOTE.match(self.covered, self.words[at].end) is not None

    @cached_property
    def tail(self) -> int:
        """Where the stops and blanks at its end begin."""
        return len(self.covered.rstrip().rstrip(".!?"))

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Indices at which a main clause may begin: the start, or behind a comma of a leading condition, a
        colon or an arrow."""
        if not self.words:
            return ()
        starts = [] if self.words[0].text in LEADING else [0]
        for at, (word, following) in enumerate(zip(self.words, self.words[1:], strict=False)):
            between = self.covered[word.end : following.start]
            after_condition = "," in between and self.words[0].text in LEADING
            if after_condition or re.search(r":[\s*_]|→|->|=>", between):
                starts.append(at + 1)
        if self.words[0].text not in LEADING and self.covered.startswith(QUOTE_MASK):
            starts = starts[1:]  # a quote is the subject
        return tuple(starts)

    def clause(self, start: int) -> range:
        """Indices of the main clause that begins here: up to the word that opens a subordinate one."""
        behind = bisect_right(self._openers, start)
        stop = self._openers[behind] if behind < len(self._openers) else len(self.words)
        return range(start, stop)

    def finite_in(self, clause: range) -> bool:
        """Whether a finite verb stands there."""
        first = bisect_left(self._finite, clause.start)
        return first < len(self._finite) and self._finite[first] < clause.stop

    @cached_property
    def _openers(self) -> tuple[int, ...]:
        """Indices of the words that open a subordinate clause."""
        return tuple(at for at, word in enumerate(self.words) if word.text in SUBORDINATORS)

    @cached_property
    def _finite(self) -> tuple[int, ...]:
        """Indices of finite verbs."""
        return tuple(at for at, word in enumerate(self.words) if word.text in _FINITE)
