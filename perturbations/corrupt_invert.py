"""The opposite advice in nearly the same words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.differences import n_flips
from loadbearing.perturbations.language.edits import Edit, Edits, apply
from loadbearing.perturbations.language.flips import flip, never_at_start
from loadbearing.perturbations.language.sentences import Sentence, mask_quotes, spans
from loadbearing.perturbations.language.words import content, left, n_words
from loadbearing.perturbations.layout.structure import ADVISING, Part, advising, parts, skeleton
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

LEAST_LEFT = 0.6
_SPARED = ("trigger", "scope", "form")  # they say when an item counts; a turned condition would undo the turn
_GROWTH = 10  # one more word for so many
_SINGLY = 32


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

    def __post_init__(self) -> None:
        """Raises ValueError for a dose that is no share, or does nothing."""
        if not 0 < self.dose <= 1:
            raise ValueError(f"dose must be in (0, 1], got {self.dose}; leave the kind out for no damage")

    @property
    def aim(self) -> Aim:
        """Most words stay, and every item advises the opposite."""
        return Aim(content_left=(LEAST_LEFT, 1.0), flips=1)

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        """Every item needs a sentence that can be turned."""
        if slot.empty:
            return "the slot holds no item"
        for number, item in enumerate(slot.items, 1):
            if not _turns_advice(item):
                return f"item {number} advises in no English sentence outside quotes that can be turned round"
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        """Each item with its sentences turned round."""
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
    advice, rest = _sentences(item)
    sentences = advice + rest  # what advises comes first: where words are short, it gets them
    found: dict[int, Edits] = {}
    for number, (at, sentence) in enumerate(sentences):
        enough = growth >= len(sentences) - number  # for a word more in this sentence and in all that follow
        least = 1 if number < len(advice) else sentence.n_words // _GROWTH
        edits = flip(sentence, 1 if enough else min(least, growth))
        growth -= _growth(sentence, edits)
        if edits:
            found[number] = _moved(edits, at)
    for number, (at, sentence) in enumerate(sentences):
        if number not in found and growth > 0 and (edits := flip(sentence, 1)):
            growth -= _growth(sentence, edits)
            found[number] = _moved(edits, at)
    if not any(number < (len(advice) or len(sentences)) for number in found):
        last_resort = (
            (n, never_at_start(one, growth), at) for n, (at, one) in enumerate(advice or sentences)
        )
        found |= dict([(n, _moved(edits, at)) for n, edits, at in last_resort if edits][:1])
    return tuple(_within_bounds(item, [found[number] for number in sorted(found)]))


def _sentences(item: str) -> tuple[list[tuple[int, Sentence]], list[tuple[int, Sentence]]]:
    """The sentences that can be turned, with their places in the item: those that advise, and the others."""
    advice: list[tuple[int, Sentence]] = []
    rest: list[tuple[int, Sentence]] = []
    at = 0
    for part in parts(item):
        at += len(part.head)
        if part.label not in _SPARED:
            (advice if part.label in ADVISING else rest).extend((at + low, one) for low, one in _of(part))
        at += len(part.body)
    return advice, rest


def _turns_advice(item: str) -> bool:
    """Some turn is of the Claim or the Content, where the item has one."""
    turned = apply(item, [edit for edits in _turns(item) for edit in edits])
    return n_flips(advising(item), advising(turned)) > 0


def _of(part: Part) -> list[tuple[int, Sentence]]:
    covered = mask_quotes(part.body)
    return [(low, Sentence(part.body[low:high], covered[low:high])) for low, high in spans(part.body)]


def _moved(edits: Edits, by: int) -> Edits:
    return tuple(Edit(edit.start + by, edit.end + by, edit.text) for edit in edits)


def _growth(sentence: Sentence, edits: Edits) -> int:
    return n_words(apply(sentence.raw, edits)) - sentence.n_words


def _within_bounds(item: str, turns: list[Edits]) -> list[Edits]:
    """The turns without those, from the end, that would break a heading or take too much of the content.

    One by one at first; then half of what is left at a time.
    """
    before, headings = content([item]), skeleton(item)
    kept, tried = list(turns), 0
    while kept:
        after = apply(item, [edit for edits in kept for edit in edits])
        if skeleton(after) == headings and left(before, content([after])) >= LEAST_LEFT:
            break
        tried += 1
        del kept[-1 if tried <= _SINGLY else len(kept) // 2 :]
    return kept
