"""The opposite advice in nearly the same words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.differences import n_flips
from loadbearing.perturbations.language.flips import flip, never_at_start
from loadbearing.perturbations.language.sentences import Edit, Edits, Sentence, apply, sentences_of
from loadbearing.perturbations.language.structure import ADVISING, advising, skeleton
from loadbearing.perturbations.language.words import content, left, n_words
from loadbearing.perturbations.perturbation import Aim, Effect, Raw, refuse_no_share

LEAST_LEFT = 0.6
_SPARED = ("trigger", "scope", "form")  # they say when an item counts; a turned condition would undo the turn
_GROWTH = 10  # one more word for so many


@dataclass(frozen=True, slots=True)
class CorruptInvert:
    """Turn sentences round, each by one flip: do/avoid, never/always, is/isn't, before/after, a value.

    Title, Description, Content, Claim, Mechanism and prose are turned; Trigger, Scope, Form, quoted spans,
    code and addresses stay verbatim.

    Source: the fluent kind of Corrupt in arXiv 2601.22436, appendix D.2.

    Args:
        dose: share of the sentences that are turned, at least one in every item.
    """

    dose: float = 1.0
    name: str = "corrupt_invert"
    effect: Effect = "meaning"
    raw: Raw = "no"
    aim: Aim = Aim(content_left=(LEAST_LEFT, 1.0), flips=1)

    def __post_init__(self) -> None:
        refuse_no_share(self.dose)

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        if slot.empty:
            return "the slot holds no item"
        for number, item in enumerate(slot.items, 1):
            turned = apply(item, [edit for edits in _turns(item) for edit in edits])
            if not n_flips(advising(item), advising(turned)):
                return f"item {number} advises in no English sentence outside quotes that can be turned round"
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        return Slot(slot.cue, tuple(self._inverted(item, rng) for item in slot.items))

    def _inverted(self, item: str, rng: Generator) -> str:
        turns = _turns(item)
        n_kept = max(1, round(self.dose * len(turns)))
        # the first one is of the advice itself and always stays
        others = rng.permutation(max(0, len(turns) - 1))[: n_kept - 1]
        chosen = [*turns[:1], *(turns[int(i) + 1] for i in others)]
        return apply(item, [edit for edits in chosen for edit in edits])


@lru_cache(maxsize=1024)  # each repeat of a trial asks again
def _turns(item: str) -> tuple[Edits, ...]:
    """The edits that turn each sentence round, one entry a sentence, in places of the item.

    Words are counted: the item grows by one in ten at most, and keeps most of its content.
    """
    growth = n_words(item) // _GROWTH
    told = [(part, at, one) for part, at, one in sentences_of(item) if part.label not in _SPARED]
    # what advises comes first: where words are short, it gets them
    sentences = [(at, one) for part, at, one in told if part.label in ADVISING]
    n_advice = len(sentences)
    sentences += [(at, one) for part, at, one in told if part.label not in ADVISING]
    found: dict[int, Edits] = {}
    for number, (at, sentence) in enumerate(sentences):
        enough = growth >= len(sentences) - number  # for a word more in this sentence and in all that follow
        least = 1 if number < n_advice else n_words(sentence.raw) // _GROWTH
        edits = flip(sentence, 1 if enough else min(least, growth))
        growth -= _growth(sentence, edits)
        if edits:
            found[number] = _moved(edits, at)
    for number, (at, sentence) in enumerate(sentences):
        if number not in found and growth > 0 and (edits := flip(sentence, 1)):
            growth -= _growth(sentence, edits)
            found[number] = _moved(edits, at)
    wanted = range(n_advice or len(sentences))
    if not any(number in found for number in wanted):
        last_resort = ((number, never_at_start(sentences[number][1], growth)) for number in wanted)
        for number, edits in islice((one for one in last_resort if one[1]), 1):
            found[number] = _moved(edits, sentences[number][0])
    return tuple(_within_bounds(item, [found[number] for number in sorted(found)]))


def _moved(edits: Edits, by: int) -> Edits:
    return tuple(Edit(edit.start + by, edit.end + by, edit.text) for edit in edits)


def _growth(sentence: Sentence, edits: Edits) -> int:
    return n_words(apply(sentence.raw, edits)) - n_words(sentence.raw)


def _within_bounds(item: str, turns: list[Edits]) -> list[Edits]:
    """The turns without those, from the end, that would break a heading or take too much of the content."""
    before, headings = content([item]), skeleton(item)
    while turns:
        after = apply(item, [edit for edits in turns for edit in edits])
        if skeleton(after) == headings and left(before, content([after])) >= LEAST_LEFT:
            break
        del turns[-1 - len(turns) // 32 :]  # of many, several at a time
    return turns
