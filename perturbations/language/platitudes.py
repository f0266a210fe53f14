"""General sentences that are true everywhere and help nowhere, put together from parts. Ours, and frozen.

No part advises, negates or names anything that an agent could do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from numpy.random import Generator

from loadbearing.memory.words import content_words

_SUBJECTS = """
    steady practice; calm reflection; honest curiosity; modest ambition; genuine patience; quiet confidence
    thoughtful preparation; shared wisdom; gentle humour; sincere gratitude; lifelong education
    mutual respect; healthy scepticism; creative imagination; humble perseverance; heartfelt hospitality
    sound judgement; cheerful optimism; moral courage; daily discipline; tolerant dialogue
    balanced ambition; gracious humility; collective experience; youthful enthusiasm
""".replace("\n", ";")
_VERBS = """
    nourishes; enriches; inspires; shapes; strengthens; rewards; sustains; reflects; deepens; embodies
    fosters; celebrates; dignifies
""".replace("\n", ";")
_OBJECTS = """
    a meaningful life; lasting friendship; human dignity; inner harmony; personal fulfilment
    cultural tradition; a thriving community; noble character; civic virtue; emotional maturity
    intellectual freedom; artistic excellence; a hopeful spirit; family happiness; social trust
    spiritual serenity; professional pride; generous leadership; timeless beauty; collective prosperity
    everyday joy; a peaceful conscience; democratic culture
""".replace("\n", ";")
_ENDINGS = """
    across generations; throughout history; in modern society; through changing seasons; in every culture
    amid life's uncertainties; beyond mere fashion; with growing years; among thoughtful adults
    in countless small moments
""".replace("\n", ";")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.split(";") if one.strip())


PARTS = tuple(map(_listed, (_SUBJECTS, _VERBS, _OBJECTS, _ENDINGS)))


def sayable(there: Counter[str]) -> tuple[tuple[str, ...], ...]:
    """Subjects, verbs, objects and endings without a content word that is in `there`."""
    return tuple(
        tuple(one for one in kind if not any(word in there for word in content_words(one))) for kind in PARTS
    )


def platitudes(kinds: tuple[tuple[str, ...], ...], rng: Generator) -> Iterator[tuple[str, ...]]:
    """Sentences as their words, in an order drawn once; none comes twice before all pairs were there."""
    subjects, verbs, objects, endings = (_drawn(kind, rng) for kind in kinds)
    number = 0
    while True:
        turn = number // len(subjects)  # another object for the same subject
        lap = turn // len(objects)
        chosen = (
            _at(subjects, number),
            _at(verbs, number + turn + lap),
            _at(objects, number + turn),
            _at(endings, number + 2 * turn + lap),
        )
        said = " ".join(chosen)
        yield tuple(f"{said[0].upper()}{said[1:]}.".split())
        number += 1


def speaker(kinds: tuple[tuple[str, ...], ...], rng: Generator) -> Callable[[int], list[str]]:
    """A call for the next n words: whole sentences, each begun afresh, the last one cut."""
    sentences = platitudes(kinds, rng)

    def say(n: int) -> list[str]:
        said: list[str] = []
        while len(said) < n:
            said += next(sentences)
        cut = said[:n]
        if n > 2:
            cut[-1] = cut[-1].rstrip(".") + "."
        return cut

    return say


def _drawn(kind: tuple[str, ...], rng: Generator) -> list[str]:
    return [kind[int(i)] for i in rng.permutation(len(kind))]


def _at(kind: list[str], number: int) -> str:
    return kind[number % len(kind)]
