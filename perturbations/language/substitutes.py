"""Where in a sentence a phrase may be said otherwise: the table of phrases.txt, read word by word."""

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from memtrial.memory.language.lexicon import NEGATORS, THIRD_PERSON, VERBS, sections, word_set
from memtrial.memory.language.sentences import QUOTE_MASK, Edit, Sentence
from memtrial.perturbations.language.grammar import article, with_capital

Ways = tuple[Edit, ...]
"""Edits of one place that stand for each other."""

_ENTRY = re.compile(
    r"(?:\{(?P<before>[^}]+)\} )?(?P<phrase>[^{}=]+?)(?: \{(?P<after>[^}]+)\})? = (?P<new>.+)"
)
_PHRASES = sections("phrases")
_SETS = {"VERB": VERBS, "V3": THIRD_PERSON}
_SETS |= {
    name: frozenset(rest.split())
    for name, rest in (line.split(" = ") for line in _PHRASES["sets"].replace("\n  ", " ").split("\n"))
}
_NO_PLURAL = _SETS["SAY"] | word_set("has does always perhaps unless across towards besides")
_SINGULAR = ("ss", "us", "is")  # endings
_WINDOW = 8  # characters looked at beside a phrase
_SMALL = ("of", "to", "the", "a", "in", "for", "by", "on")  # no capital in a title
_EACH_TIME = ("whenever", "in cases where")
_CONDITION = ("when", "whenever", "if")
_BLANKS = re.compile(r"\s+")


class Neighbours(NamedTuple):
    """Words beside a phrase; a test of one word."""

    words: frozenset[str]
    turned: bool

    def allow(self, word: str) -> bool:
        """Whether this word, or this sign of what else stands there, is allowed."""
        ending = ("ING" in self.words and word.endswith("ing")) or (
            "S" in self.words and word.endswith("s") and word not in _NO_PLURAL and word[-2:] not in _SINGULAR
        )
        alike = word in self.words or ending or (word in ("Q", ",", ".") and "^" in self.words)
        return alike is not self.turned


class Substitute(NamedTuple):
    """A phrase, what may stand beside it, and its stand-ins; see phrases.txt."""

    words: tuple[str, ...]
    before: Neighbours
    after: Neighbours
    new: tuple[str, ...]


def stand_ins(sentence: Sentence, titled: bool = False) -> list[Ways]:
    """The places of a sentence where another phrase may stand, the longest phrase at each, left to right.

    Args:
        titled: it is a heading's text, in which any word may begin with a capital.
    """
    words, places = sentence.words, []
    # what stands before each word, and behind the last: a word, a quote or nothing
    joined = [
        bool(_BLANKS.fullmatch(sentence.covered, before.end, behind.start))
        for before, behind in pairwise(words)
    ]
    negated = (
        position for position, word in enumerate(words) if word.text in NEGATORS or word.text.endswith("n't")
    )
    turned, position = next(negated, len(words)), 0
    while position < len(words):
        for entry in table().get(words[position].text, ()):
            stop = position + len(entry.words)
            if (
                tuple(word.text for word in words[position:stop]) == entry.words
                and all(joined[position : stop - 1])
                and entry.before.allow(_word_ahead(sentence, position, joined))
                and entry.after.allow(_word_behind(sentence, stop, joined))
                and not (titled and entry.words[0] in _CONDITION)
                and (ways := _ways(sentence, position, entry, titled, turned < position))
            ):
                places.append(ways)
                position = stop - 1
                break
        position += 1
    return places


def _word_ahead(sentence: Sentence, position: int, joined: list[bool]) -> str:
    if position and joined[position - 1]:
        return sentence.words[position - 1].text
    rest = _near(sentence.covered, sentence.words[position].start)
    return "," if rest.endswith(",") else "^" if rest else "."


def _near(covered: str, start: int) -> str:
    return covered[max(0, start - _WINDOW) : start].strip(" *_(")


def _word_behind(sentence: Sentence, stop: int, joined: list[bool]) -> str:
    if stop < len(sentence.words) and joined[stop - 1]:
        return sentence.words[stop].text
    end = sentence.words[stop - 1].end
    rest = sentence.covered[end : end + _WINDOW].lstrip(" *_(")
    return "Q" if rest.startswith(QUOTE_MASK) else "^"


def _ways(sentence: Sentence, position: int, entry: Substitute, titled: bool, negated: bool) -> Ways:
    """The edits, with capitals, articles and blanks as they must be; none where the phrase may be a name."""
    start, end = sentence.words[position].start, sentence.words[position + len(entry.words) - 1].end
    raw = sentence.raw
    old = raw[start:end]
    capitals = old[1:] != old[1:].lower() if not titled else old.isupper() and len(old) > 1
    if capitals or raw[start - 1 : start] in ("-", "/") or raw[end : end + 1] in ("-", "/", "’", "'"):
        return ()
    begins = not _near(sentence.covered, start)
    if old[0].isupper() and old.split()[0] not in ("It", "There") and not (begins or titled):
        return ()
    before = (
        sentence.words[position - 1]
        if position and sentence.words[position - 1].text in ("a", "an")
        else None
    )
    edits = []
    for new in entry.new:
        if negated and start and new in _EACH_TIME:
            continue  # "does not apply whenever" says another thing
        if new == "-":
            edits.append(Edit(start, end + 1, ""))
            continue
        low, text = start, _with_capitals(old, new, titled)
        if before and article(new) != before.text:
            low = before.start
            text = raw[low] + ("n" if before.text == "a" else "") + raw[before.end : start] + text
        edits.append(Edit(low, end, text))
    return tuple(edits)


def _with_capitals(old: str, new: str, titled: bool) -> str:
    if titled and all(word[0].isupper() for word in old.split()):
        new = " ".join(word if word in _SMALL else word[:1].upper() + word[1:] for word in new.split())
    return with_capital(old, new)


@lru_cache(maxsize=1)
def table() -> dict[str, tuple[Substitute, ...]]:
    """The entries by their phrases' first words, longer phrases first."""
    by_first: dict[str, list[Substitute]] = {}
    for text in filter(None, map(str.strip, _PHRASES["entries"].replace("\n", " ").split(";"))):
        read = _ENTRY.fullmatch(text)
        if read is None:
            raise ValueError(f"an entry must read '{{before}} phrase {{after}} = stand-ins', got {text!r}")
        words = tuple(read["phrase"].split())
        entry = Substitute(
            words, _read_set(read["before"]), _read_set(read["after"]), tuple(read["new"].split(" / "))
        )
        by_first.setdefault(words[0], []).append(entry)
    return {
        first: tuple(sorted(some, key=lambda substitute: -len(substitute.words)))
        for first, some in by_first.items()
    }


def _read_set(text: str | None) -> Neighbours:
    setting = text or "!"  # no word is forbidden
    words = frozenset[str]().union(*(_SETS.get(name, {name}) for name in setting.removeprefix("!").split()))
    return Neighbours(words, setting.startswith("!"))
