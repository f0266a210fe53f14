"""The words of a slot: where they stand, which carry content, how many of them are still there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from loadbearing.episodes.slot import Slot
from loadbearing.memory.words import content_words, words
from loadbearing.perturbations.layout.structure import body, mask, parts

_SIGN = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


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


def located(text: str, frame: Iterable[tuple[int, int]] = ()) -> Iterator[Word]:
    """The words in order. `words` leaves out no letter, so that the next occurrence is the word itself."""
    framed = mask(len(text), frame)
    at = 0
    for word in words(text):
        start = text.index(word, at)
        at = start + len(word)
        yield Word(word, start, at, bool(framed[start]))


def reworded(item: str, change: Callable[[Word], str]) -> str:
    """The item with every word of its bodies put through `change`; all that is no word stays."""
    out: list[str] = []
    for part in parts(item):
        out.append(part.head)
        at = 0
        for word in located(part.body, part.frame()):
            out += [part.body[at : word.start], change(word)]
            at = word.end
        out.append(part.body[at:])
    return "".join(out)


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
    by_token = (before & after).total() / before.total()
    return max(by_type, by_token)


@lru_cache(maxsize=1024)
def framed_share(slot: Slot) -> float:
    """Share of the content words that stand in frames only: what is left when nothing else is."""
    framed: Counter[str] = Counter()
    for item in slot.items:
        for part in parts(item):
            framed.update(word.stem for word in located(part.body, part.frame()) if word.framed and word.stem)
    return left(content(slot.items), framed)


def nothing_to_damage(slot: Slot) -> str:
    """Why no content can be taken from this slot; empty when some can."""
    if slot.empty:
        return "the slot holds no item"
    return "" if content(slot.items) else "no item holds a content word"
