"""The opposite advice in nearly the same words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from numpy.random import Generator

from episodes.slot import Slot
from perturbations.edits import Edit, Edits, apply
from perturbations.flips import flip, never_at_start
from perturbations.perturbation import Aim
from perturbations.sentences import Sentence, spans, veil
from perturbations.structure import Part, parts, skeleton
from perturbations.wording import content, left, n_words

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
            if not _turns(item):
                return f"item {number} has no English sentence outside quotes that can be turned round"
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        """Each item with its sentences turned round."""
        return Slot(slot.cue, tuple(self._inverted(item, rng) for item in slot.items))

    def _inverted(self, item: str, rng: Generator) -> str:
        turns = _turns(item)
        n_kept = max(1, round(self.dose * len(turns)))
        chosen = [turns[int(i)] for i in rng.permutation(len(turns))[:n_kept]]
        return apply(item, [edit for edits in chosen for edit in edits])


@lru_cache(maxsize=1024)  # each repeat of a trial asks again
def _turns(item: str) -> tuple[Edits, ...]:
    """The edits that turn each sentence round, one entry a sentence, in places of the item.

    Words are counted: the item grows by one in ten at most, and keeps most of its content.
    """
    growth = n_words(item) // _GROWTH
    found: list[Edits] = []
    second_try: list[tuple[int, Sentence]] = []
    sentences = _sentences(item)
    for number, (at, sentence) in enumerate(sentences):
        enough = growth >= len(sentences) - number  # for a word more in this sentence and in all that follow
        edits = flip(sentence, 1 if enough else min(sentence.n_words // _GROWTH, growth))
        growth -= _growth(sentence, edits)
        if edits:
            found.append(_moved(edits, at))
        else:
            second_try.append((at, sentence))
    for at, sentence in second_try if growth > 0 else ():
        if growth > 0 and (edits := flip(sentence, 1)):
            growth -= _growth(sentence, edits)
            found.append(_moved(edits, at))
    if not found:
        last_resort = (_moved(never_at_start(one, growth), at) for at, one in sentences)
        found = [edits for edits in last_resort if edits][:1]
    return tuple(_within_bounds(item, found))


def _sentences(item: str) -> list[tuple[int, Sentence]]:
    """The sentences that give advice, with their places in the item."""
    found: list[tuple[int, Sentence]] = []
    at = 0
    for part in parts(item):
        at += len(part.head)
        if part.label not in _SPARED:
            found += [(at + start, one) for start, one in _of(part)]
        at += len(part.body)
    return found


def _of(part: Part) -> list[tuple[int, Sentence]]:
    covered = veil(part.body)
    return [(low, Sentence(part.body[low:high], covered[low:high])) for low, high in spans(part.body)]


def _moved(edits: Edits, by: int) -> Edits:
    return tuple(Edit(edit.start + by, edit.end + by, edit.text) for edit in edits)


def _growth(sentence: Sentence, edits: Edits) -> int:
    return n_words(apply(sentence.raw, edits)) - sentence.n_words


def _within_bounds(item: str, turns: list[Edits]) -> list[Edits]:
    """The turns without those, from the end, that would break a heading or take too much of the content."""
    before, bones = content([item]), skeleton(item)
    kept = list(turns)
    while kept:
        after = apply(item, [edit for edits in kept for edit in edits])
        if skeleton(after) == bones and left(before, content([after])) >= LEAST_LEFT:
            break
        kept.pop()
    return kept
