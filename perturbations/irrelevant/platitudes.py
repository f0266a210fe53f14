"""General sentences and phrases: what is true everywhere and helps nowhere, in as many words as asked.

No part advises, negates or names anything that an agent could do. Ours, and frozen.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container
from itertools import product

from numpy.random import Generator

from loadbearing.memory.language.lexicon import sections
from loadbearing.memory.words import content_words


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(one.split()) for one in text.split(";"))


KINDS = tuple(_listed(text) for text in sections("platitudes").values())
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
    found: list[dict[int, list[str]]] = []
    for kind in KINDS:
        by_length: defaultdict[int, list[str]] = defaultdict(list)
        for one in kind:
            if not any(word in taken for word in content_words(one)):
                by_length[len(one.split())].append(one)
        found.append(dict(by_length))
    subjects, verbs, objects, _ = found
    return tuple(found) if 1 in subjects and verbs and 1 in objects and 2 in objects else None


class Speaker:
    """Says sentences and phrases; none comes twice, and parts return as late as can be."""

    def __init__(self, there: Parts, rng: Generator) -> None:
        self._there = there
        nouns = {n: [*there[0].get(n, ()), *there[2].get(n, ())] for n in range(1, 5)}
        self._nouns = {n: found for n, found in nouns.items() if found}
        self._rng = rng
        self._said: Counter[str] = Counter()
        self._lately: deque[str] = deque(maxlen=_JUST)
        self._owed = 0
        self._plans: dict[int, list[tuple[int, int, int, int]]] = {}

    def sentences(self, n: int, size: int) -> str:
        """Whole sentences of n words and about so many characters together."""
        size += self._owed
        out: list[str] = []
        left = n
        while left:
            long = left
            if left > _LONGEST:
                long = min(left - 5, _TYPICAL + int(self._rng.integers(-2, 3)))
            wanted = round((size - sum(map(len, out))) * long / left)
            out.append(self._best(wanted, lambda long=long: self._sentence(long)))  # type: ignore[misc]
            left -= long
        said = " ".join(out)
        self._owed = size - len(said)
        return said

    def phrase(self, n: int, size: int) -> str:
        """Nouns joined by commas and a last `and`."""
        said = self._best(size + self._owed, lambda: self._phrase(n))
        self._owed += size - len(said)
        return said

    def _best(self, size: int, draw: Callable[[], list[str]]) -> str:
        """Of some draws the one nearest in length whose parts were said least."""
        drawn = [draw() for _ in range(_TRIES)]
        heard = [("".join(parts), parts) for parts in drawn]

        def cost(pair: tuple[str, list[str]]) -> float:
            whole, parts = pair
            again = sum(self._lately.count(part.casefold()) for part in parts if len(part) > 2)
            return max(0, abs(len(whole) - size) - _NEAR) + _WEARY * again + 1000 * self._said[whole]

        said, parts = min(heard, key=cost)
        self._lately.extend(part.casefold() for part in parts if len(part) > 2)
        self._said[said] += 1
        return said

    def _any(self, pool: list[str]) -> str:
        return pool[int(self._rng.integers(len(pool)))]

    def _sentence(self, n: int) -> list[str]:
        if n < _SHORTEST:
            phrase = self._phrase(n)
            return [phrase[0][0].upper() + phrase[0][1:], *phrase[1:], "."]
        if n not in self._plans:
            subjects, verbs, objects, endings = self._there
            fit = [plan for plan in product(subjects, verbs, objects, (0, *endings)) if sum(plan) == n]
            self._plans[n] = fit or [(1, 1, 1, 0)]
        plans = self._plans[n]
        plan = plans[int(self._rng.integers(len(plans)))]
        parts = [self._any(kind[long]) for kind, long in zip(self._there, plan, strict=True) if long]
        if plan[0] == plan[2] and parts[0] == parts[2]:
            parts[2] = self._any(self._there[2][plan[2]])
        spaced = [piece for part in parts for piece in (" ", part)][1:]
        return [spaced[0][0].upper() + spaced[0][1:], *spaced[1:], "."]

    def _phrase(self, n: int, before: tuple[str, ...] = ()) -> list[str]:
        fits = [size for size in self._nouns if size == n or n - size > 1]
        size = n if n in fits else fits[int(self._rng.integers(len(fits)))]
        fresh = [noun for noun in self._nouns[size] if noun not in before]
        noun = self._any(fresh or self._nouns[size])
        if size == n:
            return [noun]
        if n - size - 1 in self._nouns:
            return [noun, " and ", *self._phrase(n - size - 1, (*before, noun))]
        return [noun, ", ", *self._phrase(n - size, (*before, noun))]


def titled(phrase: str) -> str:
    """Written as a title: all words large but the small ones within."""
    title = " ".join(word if word in _SMALL else word[:1].upper() + word[1:] for word in phrase.split())
    return title[:1].upper() + title[1:]
