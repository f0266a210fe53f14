"""General platitudes in the frame of this memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.memory.words import content_words
from loadbearing.perturbations.language.words import content, nothing_to_refill, refilled
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

MOST_LEFT = 0.30


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(one.split()) for one in text.split(";"))


# Subjects, verbs, objects and endings of sentences that are true everywhere and help nowhere. Ours,
# and frozen. No part advises, negates or names anything that an agent could do.
PARTS = (
    _listed(
        """steady practice; calm reflection; honest curiosity; modest ambition; genuine patience;
        quiet confidence; thoughtful preparation; shared wisdom; gentle humour; sincere gratitude;
        lifelong education; mutual respect; healthy scepticism; creative imagination; humble perseverance;
        heartfelt hospitality; sound judgement; cheerful optimism; moral courage; daily discipline;
        tolerant dialogue; balanced ambition; gracious humility; collective experience; youthful enthusiasm"""
    ),
    _listed(
        """nourishes; enriches; inspires; shapes; strengthens; rewards; sustains; reflects; deepens; embodies;
        fosters; celebrates; dignifies"""
    ),
    _listed(
        """a meaningful life; lasting friendship; human dignity; inner harmony; personal fulfilment;
        cultural tradition; a thriving community; noble character; civic virtue; emotional maturity;
        intellectual freedom; artistic excellence; a hopeful spirit; family happiness; social trust;
        spiritual serenity; professional pride; generous leadership; timeless beauty; collective prosperity;
        everyday joy; a peaceful conscience; democratic culture"""
    ),
    _listed(
        """across generations; throughout history; in modern society; through changing seasons;
        in every culture; amid life's uncertainties; beyond mere fashion; with growing years;
        among thoughtful adults; in countless small moments"""
    ),
)


@dataclass(frozen=True, slots=True)
class IrrelevantGeneric:
    """Keep cue, headings, layout and the number of words; say what is true of everything.

    Source: the generic kind of Irrelevant in arXiv 2601.22436, Table 3.
    """

    name: str = "irrelevant_generic"
    effect: Effect = "other"
    raw: Raw = "no"
    aim: Aim = Aim(content_left=(0.0, MOST_LEFT))

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        if reason := nothing_to_refill(slot):
            return reason
        return "" if all(_sayable(content(slot.items))) else "the items are made of general sentences already"

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        kinds = _sayable(content(slot.items))
        return refilled(slot, _speaker(kinds, rng)) if all(kinds) else slot


def _sayable(there: Counter[str]) -> list[list[str]]:
    """The parts without a content word that is in `there`."""
    return [[one for one in kind if not there.keys() & set(content_words(one))] for kind in PARTS]


def _platitudes(kinds: list[list[str]], rng: Generator) -> Iterator[list[str]]:
    """Sentences as their words, in an order drawn once; none comes twice before all pairs were there."""
    drawn = [[kind[int(i)] for i in rng.permutation(len(kind))] for kind in kinds]
    for number in count():
        turn = number // len(drawn[0])  # another object for the same subject
        lap = turn // len(drawn[2])
        places = (number, number + turn + lap, number + turn, number + 2 * turn + lap)
        said = " ".join(kind[at % len(kind)] for kind, at in zip(drawn, places, strict=True))
        yield f"{said[0].upper()}{said[1:]}.".split()


def _speaker(kinds: list[list[str]], rng: Generator) -> Callable[[str, int], list[str]]:
    """A call for the next n words: whole sentences, each begun afresh, the last one cut."""
    sentences = _platitudes(kinds, rng)

    def say(label: str, n: int) -> list[str]:  # noqa: ARG001
        said: list[str] = []
        while len(said) < n:
            said += next(sentences)
        cut = said[:n]
        if n > 2:
            cut[-1] = cut[-1].rstrip(".") + "."
        return cut

    return say
