"""The placebo: the same advice in other words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.clauses import reordered
from loadbearing.perturbations.language.connectives import is_plain, opened, please, spots
from loadbearing.perturbations.language.differences import n_flips
from loadbearing.perturbations.language.edits import Edit, apply
from loadbearing.perturbations.language.sentences import Sentence, cut, mask_quotes, n_quotes_lost, spans
from loadbearing.perturbations.language.words import content, n_words
from loadbearing.perturbations.layout.structure import Part, parts
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

LEAST_LEFT = 0.7
_LOST = 4  # at most one content word in so many goes: more is kept than must be
_GROWTH = 10  # one word more or less for so many
_SPARED = ("memory item", "title", "trigger", "form")  # names, and what is compiled


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """Say the same in other words: clauses change places, small words stand for each other.

    Quotes, code, negations, numbers, Trigger, Form and all that names an action stay. Of a raw trajectory
    only the thoughts are reworded, and nothing moves. A drop under it is no drop of content.
    """

    name: str = "paraphrase"
    effect: Effect = "wording"
    raw: Raw = "no"

    @property
    def aim(self) -> Aim:
        """Most words and every quoted span stay, and nothing that is advised is turned."""
        return Aim(content_left=(LEAST_LEFT, 1.0), most_flips=0, quotes=True)

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        """Something must be sayable in other words, in one item at least."""
        if slot.empty:
            return "the slot holds no item"
        if any(_choices(item) for item in slot.items):
            return ""
        return "no item holds an English sentence that could safely be said in other words"

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        """The same items, reworded."""
        return Slot(slot.cue, tuple(_reworded(item, rng) for item in slot.items))


@dataclass(frozen=True, slots=True)
class _Variant:
    """A sentence in other words: how many words it is longer, and how many content words it has lost."""

    text: str
    growth: int
    lost: int


@dataclass(frozen=True, slots=True)
class _Choice:
    """A sentence's place in the item, and the other ways to say it."""

    start: int
    end: int
    variants: tuple[_Variant, ...]


def _reworded(item: str, rng: Generator) -> str:
    """Every sentence that can be said otherwise, in an order drawn, as long as length and content allow."""
    choices = _choices(item)
    growth, lost = 0, 0
    room, losable = _bounds(item)
    edits: list[Edit] = []
    for place in rng.permutation(len(choices)):
        choice = choices[int(place)]
        fitting = [
            one for one in choice.variants if abs(growth + one.growth) <= room and lost + one.lost <= losable
        ]
        if fitting:
            chosen = fitting[int(rng.integers(len(fitting)))]
            growth, lost = growth + chosen.growth, lost + chosen.lost
            edits.append(Edit(choice.start, choice.end, chosen.text))
    return apply(item, edits)


@lru_cache(maxsize=1024)  # each repeat of a trial asks again
def _choices(item: str) -> tuple[_Choice, ...]:
    """The sentences that can be said otherwise and, each for itself, within the bounds of the item."""
    room, losable = _bounds(item)
    found = list(_sentences(item))
    for ways in (_ways, _polite):
        choices = []
        for at, sentence, closed, told in found:
            fits = [
                one
                for one in _variants(sentence, ways(sentence, closed, told))
                if abs(one.growth) <= room and one.lost <= losable
            ]
            if fits:
                choices.append(_Choice(at, at + len(sentence.raw), tuple(fits)))
        if choices:
            return tuple(choices)
    return ()


def _bounds(item: str) -> tuple[int, int]:
    """How many words the item may grow or shrink by, and how many content words it may lose."""
    return n_words(item) // _GROWTH, content([item]).total() // _LOST


def _sentences(item: str) -> Iterator[tuple[int, Sentence, bool, bool]]:
    """Place in the item, sentence, whether nothing hangs on its end, whether it is of a told step."""
    at = 0
    for part in parts(item):
        at += len(part.head)
        if _is_speech(part):
            covered = mask_quotes(part.body)
            for low, high in spans(part.body):
                sentence = Sentence(part.body[low:high], covered[low:high])
                tail = sentence.covered[sentence.tail :]
                closed = high == len(part.body) or any(mark in tail for mark in ".!?\n")
                if is_plain(sentence):
                    yield at + low, sentence, closed, bool(part.step)
        at += len(part.body)


def _is_speech(part: Part) -> bool:
    if part.step:
        return part.label == "thought"
    return part.label not in (*_SPARED, "task", "start", "query", "question", "outcome")


def _ways(sentence: Sentence, closed: bool, told: bool) -> Iterator[str]:
    """Other ways to say a sentence: words replaced, clauses traded, both."""
    yield from _with_words(sentence)
    if told:
        return
    yield from opened(sentence)
    moved = reordered(sentence, closed)
    if moved is not None:
        yield moved
        yield from _with_words(Sentence(moved, mask_quotes(moved)))


def _polite(sentence: Sentence, closed: bool, told: bool) -> Iterator[str]:  # noqa: ARG001
    """The last resort."""
    if not told and (asked := please(sentence)):
        yield asked


def _with_words(sentence: Sentence) -> Iterator[str]:
    """All phrases replaced, each by its first, then each by its last stand-in."""
    found = spots(sentence)
    for which in (0, -1) if found else ():
        yield apply(sentence.raw, [Edit(spot.start, spot.end, spot.texts[which]) for spot in found])


def _variants(sentence: Sentence, ways: Iterator[str]) -> Iterator[_Variant]:
    """Those of the ways that change a word and turn nothing."""
    before = content([sentence.raw])
    for text in dict.fromkeys(ways):
        same = text.split() == sentence.raw.split() or len(cut(text)) != len(cut(sentence.raw))
        if same or n_flips(sentence.raw, text) or n_quotes_lost(sentence.raw, text):
            continue
        yield _Variant(text, n_words(text) - sentence.n_words, (before - content([text])).total())
