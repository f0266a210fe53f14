"""General platitudes in the frame of this memory: what is true everywhere and helps nowhere.

No part advises, negates or names anything that an agent could do. The sentences are ours, and frozen.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.memory.heading import NAMES
from memtrial.memory.language.lexicon import sections
from memtrial.memory.language.structure import HeadedPart, parts
from memtrial.memory.words import content_words, words
from memtrial.perturbations.aim import FEW_CHARACTERS, Aim
from memtrial.perturbations.damage_contract import (
    NO_CONTEXT,
    DamageContext,
    Damaged,
    NotApplicable,
    PieceDamage,
)
from memtrial.perturbations.language.word_spans import count_content, framed_share, n_words, nothing_to_damage

if TYPE_CHECKING:
    from numpy.random import Generator

KINDS = tuple(
    tuple(" ".join(platitude.split()) for platitude in text.split(";"))
    for text in sections("platitudes").values()
)
"""Subjects, verbs, objects and endings."""
_LONGEST, _TYPICAL, _SHORTEST = 14, 9, 3
_TRIES = 32
_WEARY = 4  # characters that a part just said is behind others
_JUST = 48
_NEAR = 5  # characters that the next sentence can make up for
_SMALL = ("a", "an", "the", "of", "in", "on", "and", "to", "at", "for", "with", "from")

Parts = tuple[dict[int, list[str]], ...]
"""Subjects, verbs, objects and endings, by their number of words."""


def sayable(taken: Container[str]) -> Parts | None:
    """The parts without a content word that is taken; None where too few are left for a sentence."""
    pools: list[dict[int, list[str]]] = []
    for kind in KINDS:
        by_length: defaultdict[int, list[str]] = defaultdict(list)
        for platitude in kind:
            if not any(word in taken for word in _content_of(platitude)):
                by_length[len(platitude.split())].append(platitude)
        pools.append(dict(by_length))
    subjects, verbs, objects, _ = pools
    return tuple(pools) if 1 in subjects and verbs and 1 in objects and 2 in objects else None


@cache
def _content_of(platitude: str) -> tuple[str, ...]:
    return tuple(content_words(platitude))


class Speaker:
    """Says sentences and phrases; none comes twice, and parts return as late as can be."""

    def __init__(self, there: Parts, rng: Generator) -> None:
        self._there = there
        nouns = {n: [*there[0].get(n, ()), *there[2].get(n, ())] for n in range(1, 5)}
        self._nouns = {n: pool for n, pool in nouns.items() if pool}
        self._draw = rng.integers
        self._times_said: Counter[str] = Counter()
        self._lately: deque[str] = deque(maxlen=_JUST)
        self._owed = 0
        self._plans: dict[int, list[list[list[str]]]] = {}

    def sentences(self, n: int, size: int) -> str:
        """Whole sentences of n words and about so many characters together."""
        size += self._owed
        out: list[str] = []
        left = n
        while left:
            long = left
            if left > _LONGEST:
                long = min(left - 5, _TYPICAL + int(self._draw(-2, 3)))
            wanted = round((size - sum(map(len, out))) * long / left)
            out.append(self._best(wanted, lambda long=long: self._sentence(long)))  # type: ignore[misc]
            left -= long
        spoken = " ".join(out)
        self._owed = size - len(spoken)
        return spoken

    def phrase(self, n: int, size: int) -> str:
        """Nouns joined by commas and a last `and`."""
        spoken = self._best(size + self._owed, lambda: self._phrase(n))
        self._owed += size - len(spoken)
        return spoken

    def _best(self, size: int, draw: Callable[[], list[str]]) -> str:
        """Of some draws the one nearest in length whose parts were said least."""
        heard = [("".join(parts), parts) for parts in (draw() for _ in range(_TRIES))]
        lately = Counter(self._lately)

        def cost(pair: tuple[str, list[str]]) -> float:
            whole, parts = pair
            again = sum([lately.get(part.casefold(), 0) for part in parts if len(part) > 2]) if lately else 0
            said = self._times_said.get(whole, 0)
            return max(0, abs(len(whole) - size) - _NEAR) + _WEARY * again + 1000 * said

        spoken, parts = min(heard, key=cost)
        self._lately.extend(part.casefold() for part in parts if len(part) > 2)
        self._times_said[spoken] += 1
        return spoken

    def _any(self, pool: list[str]) -> str:
        return pool[self._draw(len(pool))]

    def _sentence(self, n: int) -> list[str]:
        if n < _SHORTEST:
            phrase = self._phrase(n)
            return [phrase[0][0].upper() + phrase[0][1:], *phrase[1:], "."]
        if n not in self._plans:
            subjects, verbs, objects, endings = self._there
            fit = [plan for plan in product(subjects, verbs, objects, (0, *endings)) if sum(plan) == n]
            self._plans[n] = [
                [kind[long] for kind, long in zip(self._there, plan, strict=True) if long]
                for plan in fit or [(1, 1, 1, 0)]
            ]
        plan = self._plans[n][self._draw(len(self._plans[n]))]
        parts = [pool[self._draw(len(pool))] for pool in plan]
        if parts[0] == parts[2]:
            parts[2] = self._any(plan[2])
        first, *others = parts
        return [first[0].upper() + first[1:], *(piece for part in others for piece in (" ", part)), "."]

    def _phrase(self, n: int, before: tuple[str, ...] = ()) -> list[str]:
        fits = [size for size in self._nouns if size == n or n - size > 1]
        size = n if n in fits else fits[self._draw(len(fits))]
        fresh = [noun for noun in self._nouns[size] if noun not in before]
        noun = self._any(fresh or self._nouns[size])
        if size == n:
            return [noun]
        if n - size - 1 in self._nouns:
            return [noun, " and ", *self._phrase(n - size - 1, (*before, noun))]
        return [noun, ", ", *self._phrase(n - size, (*before, noun))]


def as_title(phrase: str) -> str:
    """Written as a title: all words large but the small ones within."""
    title = " ".join(word if word in _SMALL else word[:1].upper() + word[1:] for word in phrase.split())
    return title[:1].upper() + title[1:]


MOST_LEFT = 0.30
_MOST_FRAMED = 0.20
"""Up to this share of the content words, cue names and the like stay when all other words are replaced."""
_LONGEST_WORDS = 9.5
_SHORTEST_WORDS = 4.5
"""Characters a word, on average and with the blank, between which general sentences are as long."""
_LEAST = 4  # content words
_PHRASED = ("memory item", "title", "trigger", "form", "action", "step", "outcome")
_SENTENCE = 8  # words of a line that is one without a full stop
# an item of a list, a cell of a table or a cue, and the marks in front of it
_PIECE = re.compile(
    r"(?P<mark>(?:[ \t]*+(?:[-*+•>]|\(?\d{1,3}[.)]|\([a-z]\)|\#+)[ \t]++)*+[ \t]*+)(?P<text>[^\n|]*+)"
)
# a word that would be read as a heading's label when it comes first behind the marks
_LABEL_LIKE = re.compile(rf"(?i)\W*(?:memory|item|{'|'.join(NAMES)}|[ivx]+|n|\d+)\W*")
_FENCE = re.compile(r"(?:`{3,}|~{3,})")
_STOP = re.compile(r"[.!?:][\"')\]*_”]*\Z")


@dataclass(frozen=True, slots=True)
class IrrelevantGeneric:
    """Keep cue, headings, layout and the number of words; say what is true of everything.

    Whole sentences, line by line; a phrase where there was one.

    Source: the generic kind of Irrelevant in arXiv 2601.22436, Table 3.
    """

    name: str = "irrelevant_generic"
    aim: Aim = Aim(content_left=(0.0, MOST_LEFT))

    @property
    def pieces(self) -> PieceDamage:
        return PieceDamage(write_sentence=say_generally)

    def apply(
        self,
        slot: Slot,
        rng: Generator,
        context: DamageContext,  # noqa: ARG002
    ) -> Damaged | NotApplicable:
        if reason := _refusal(slot):
            return NotApplicable(reason)
        there = sayable(count_content(slot.items))
        if there is None:
            return NotApplicable("the items are made of general sentences already")
        speaker = Speaker(there, rng)
        keep_frame = framed_share(slot) <= _MOST_FRAMED
        items = (
            "".join(_speak_part(part, speaker, keep_frame) for part in parts(item)) for item in slot.items
        )
        return Damaged(Slot(slot.cue, tuple(items)))


def say_generally(text: str, rng: Generator) -> str:
    """Another text in the place of this one; the same text where it cannot be replaced."""
    done = IrrelevantGeneric().apply(Slot("", (text,)), rng, NO_CONTEXT)
    return done.slot.items[0] if isinstance(done, Damaged) else text


def _refusal(slot: Slot) -> str:
    """Why the slot cannot be replaced by general sentences; empty where it can."""
    if reason := nothing_to_damage(slot):
        return reason
    if len(words(" ".join(slot.items))) > 4 * n_words(" ".join(slot.items)):
        return "the items are written in a script without spaces, whose length cannot be matched"
    if count_content(slot.items).total() < _LEAST:
        return "the slot says too little: its frame would be most of what is left"
    if sayable(count_content(slot.items)) is None:
        return "the items are made of general sentences already"
    for item in slot.items:
        if any(line.count('"') % 2 for line in item.splitlines()):
            return "a quote in it runs over the end of a line"
        n = n_words(item)
        least, most = _SHORTEST_WORDS * n - FEW_CHARACTERS / 2, _LONGEST_WORDS * n + FEW_CHARACTERS
        if not least < len(item) <= most:
            return "its words are too long, or too short, for general sentences of the same length"
    return ""


def _speak_part(part: HeadedPart, speaker: Speaker, keep_frame: bool) -> str:
    out = [part.head]
    done = 0
    frames = [
        *(part.frame() if keep_frame and part.label in ("trigger", "form") else ()),
        (len(part.body),) * 2,
    ]
    for low, high in frames:
        out += [*_pieces(part.body[done:low], part, speaker, first=done == 0), part.body[low:high]]
        done = high
    return "".join(out)


def _pieces(text: str, part: HeadedPart, speaker: Speaker, first: bool) -> Iterator[str]:
    done = 0
    for match in _PIECE.finditer(text):
        own = match["text"].strip()
        if not words(own) or _FENCE.match(own):
            continue
        start = match.start("text") + match["text"].index(own)
        spoken = _speak_instead(own, part.label, speaker)
        if first and done == 0 and part.head and _LABEL_LIKE.fullmatch(spoken.split()[0]):
            spoken = f"So {spoken}"
        yield text[done:start] + spoken
        done = start + len(own)
    yield text[done:]


def _speak_instead(own: str, label: str, speaker: Speaker) -> str:
    n = n_words(own)
    if label not in _PHRASED and (n >= _SENTENCE or (n > 2 and _STOP.search(own))):
        return speaker.sentences(n, len(own))
    phrase = speaker.phrase(n, len(own))
    large = [word[0].isupper() for word in own.split() if word[0].isalpha() and len(word) > 3]
    if large and all(large) and label in ("title", "memory item", ""):
        return as_title(phrase)
    return phrase[0].upper() + phrase[1:] if own[0].isupper() else phrase
