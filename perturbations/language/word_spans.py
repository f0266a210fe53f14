"""The words of a slot: where they stand, which carry content, how many are left; others in their place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.memory.language.sentences import Edit, apply
from memtrial.memory.language.structure import HeadedPart, body, mask, parts, place_parts
from memtrial.memory.words import content_words, words

if TYPE_CHECKING:
    from numpy.random import Generator

_SIGN = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class TextWord:
    """One word of a text and its place; `framed` when it only shapes the text (see `HeadedPart.frame`)."""

    text: str
    start: int
    end: int
    framed: bool = False

    @property
    def stem(self) -> str:
        """The content it carries; empty for a function word."""
        return _stem_of(self.text)

    @property
    def is_sign(self) -> bool:
        """A sign of a script that is written without spaces."""
        return bool(_SIGN.fullmatch(self.text))


@lru_cache(maxsize=65536)
def _stem_of(word: str) -> str:
    return "".join(content_words(word))


def n_words(text: str) -> int:
    """Number of words as a reader counts them: between blanks."""
    return len(text.split())


@lru_cache(maxsize=4096)  # the intact part is held against each way to damage it
def locate_words(part: HeadedPart) -> tuple[TextWord, ...]:
    """The words of a part's body, in order."""
    located: list[TextWord] = []
    framed = mask(len(part.body), part.frame())
    offset = 0
    for word in words(part.body):
        start = part.body.index(word, offset)  # `words` leaves out no letter: the next occurrence is the word
        offset = start + len(word)
        located.append(TextWord(word, start, offset, bool(framed[start])))
    return tuple(located)


def reword(item: str, change: Callable[[TextWord], str]) -> str:
    """The item with every word of its bodies put through `change`; all that is no word stays."""
    located_words = ((offset, word) for part, offset in place_parts(item) for word in locate_words(part))
    return apply(
        item, [Edit(offset + word.start, offset + word.end, change(word)) for offset, word in located_words]
    )


def of_same_length(pool: Iterable[str], rng: Generator) -> Callable[[str], str]:
    """A function from a word to one of the pool about as long; what it lacks, the next ones make up."""
    by_length = {size: [*alike] for size, alike in groupby(sorted(pool, key=len), key=len)}
    owed, last = 0, ""

    def take(word: str) -> str:
        nonlocal owed, last
        wanted = len(word) + owed
        length = min(by_length, key=lambda n: abs(n - wanted))
        owed = wanted - length
        fresh = [other for other in by_length[length] if other != last] or by_length[length]
        last = fresh[int(rng.integers(len(fresh)))]
        return last

    return take


def count_content(items: Iterable[str]) -> Counter[str]:
    """How often each content word stands in the bodies."""
    return Counter(chain.from_iterable(map(_content_of, items)))


@lru_cache(maxsize=2048)
def _content_of(item: str) -> tuple[str, ...]:
    return tuple(content_words(body(item)))


def share_left(before: Counter[str], after: Counter[str]) -> float:
    """Share of the words in `before` that still stand in `after`, by type or by token, whichever is more.

    1.0 where there was none: nothing was lost.
    """
    if not before:
        return 1.0
    still = [min(before[word], after[word]) for word in before.keys() & after.keys()]
    return max(len(still) / len(before), sum(still) / before.total())


@lru_cache(maxsize=1024)
def framed_share(slot: Slot) -> float:
    """Share of the content words that stand in frames only: what is left when nothing else is."""
    located_words = (word for item in slot.items for part in parts(item) for word in locate_words(part))
    return share_left(
        count_content(slot.items), Counter(word.stem for word in located_words if word.framed and word.stem)
    )


def nothing_to_damage(slot: Slot) -> str:
    """Why no content can be taken from this slot; empty when some can."""
    if slot.empty:
        return "the slot holds no item"
    return "" if count_content(slot.items) else "no item holds a content word"
