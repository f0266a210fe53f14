"""The words of a slot: where they stand, which carry content, how many are left; others in their place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from loadbearing.episodes.slot import Slot
from loadbearing.memory.item import field_names
from loadbearing.memory.words import content_words, words
from loadbearing.perturbations.language.structure import Part, body, mask, parts

MOST_FRAMED = 0.20
"""Up to this share of the content words, cue names and the like stay when all other words are replaced."""
FENCE = re.compile(r"(?:`{3,}|~{3,})")
_SIGN = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
# a word that would be read as a heading's label when it comes first behind the marks
_LABEL_LIKE = re.compile(
    rf"\W*(?:memory|item|{'|'.join((*field_names('native'), *field_names('theory')))}|[ivx]+|n|\d+)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text and its place; `framed` when it only shapes the text (see `Part.frame`)."""

    text: str
    start: int
    end: int
    framed: bool = False

    @property
    def stem(self) -> str:
        """The content it carries; empty for a function word."""
        return "".join(content_words(self.text))

    @property
    def is_sign(self) -> bool:
        """A sign of a script that is written without spaces."""
        return bool(_SIGN.fullmatch(self.text))


def n_words(text: str) -> int:
    """Number of words as a reader counts them: between blanks."""
    return len(text.split())


def located(part: Part) -> Iterator[Word]:
    """The words of a part's body, in order."""
    framed = mask(len(part.body), part.frame())
    at = 0
    for word in words(part.body):
        start = part.body.index(word, at)  # `words` leaves out no letter: the next occurrence is the word
        at = start + len(word)
        yield Word(word, start, at, bool(framed[start]))


def reworded(item: str, change: Callable[[Word], str]) -> str:
    """The item with every word of its bodies put through `change`; all that is no word stays."""
    out: list[str] = []
    for part in parts(item):
        out.append(part.head)
        at = 0
        for word in located(part):
            out += [part.body[at : word.start], change(word)]
            at = word.end
        out.append(part.body[at:])
    return "".join(out)


def refilled(slot: Slot, say: Callable[[str, int], list[str]]) -> Slot:
    """The slot with a new word for each of its words; marks that stand alone and fences stay.

    Args:
        say: the next n words for a field of this label.
    """
    keep_frame = framed_share(slot) <= MOST_FRAMED
    items = ("".join(_refilled(part, say, keep_frame) for part in parts(item)) for item in slot.items)
    return Slot(slot.cue, tuple(items))


def _refilled(part: Part, say: Callable[[str, int], list[str]], keep_frame: bool) -> str:
    framed = mask(len(part.body), part.frame() if keep_frame else ())
    found = re.finditer(r"\S+", part.body)
    spots = [spot for spot in found if words(spot[0]) and not framed[spot.end() - 1]]
    fresh = say(part.label, len(spots)) if spots else []
    if fresh and part.head and _LABEL_LIKE.fullmatch(fresh[0]):
        fresh[0] = "So"
    out: list[str] = []
    at = 0
    for spot, word in zip(spots, fresh, strict=True):
        fence = FENCE.match(spot[0])
        out += [part.body[at : spot.start()], fence[0] + "".join(words(word)) if fence else word]
        at = spot.end()
    return part.head + "".join(out) + part.body[at:]


def content(items: Iterable[str]) -> Counter[str]:
    """How often each content word stands in the bodies."""
    return Counter(chain.from_iterable(map(_content_of, items)))


@lru_cache(maxsize=2048)
def _content_of(item: str) -> tuple[str, ...]:
    return tuple(content_words(body(item)))


def left(before: Counter[str], after: Counter[str]) -> float:
    """Share of the words in `before` that still stand in `after`, by type or by token, whichever is more.

    1.0 where there was none: nothing was lost.
    """
    if not before:
        return 1.0
    by_type = sum(word in after for word in before) / len(before)
    return max(by_type, (before & after).total() / before.total())


@lru_cache(maxsize=1024)
def framed_share(slot: Slot) -> float:
    """Share of the content words that stand in frames only: what is left when nothing else is."""
    found = (word for item in slot.items for part in parts(item) for word in located(part))
    return left(content(slot.items), Counter(word.stem for word in found if word.framed and word.stem))


def nothing_to_damage(slot: Slot) -> str:
    """Why no content can be taken from this slot; empty when some can."""
    if slot.empty:
        return "the slot holds no item"
    return "" if content(slot.items) else "no item holds a content word"


def nothing_to_refill(slot: Slot) -> str:
    """Why no other words can be put in the place of the slot's; empty when they can."""
    if reason := nothing_to_damage(slot):
        return reason
    text = " ".join(slot.items)
    if len(words(text)) > 4 * n_words(text):
        return "the items are written in a script without spaces, whose length cannot be matched"
    return ""
