"""The placebo: the same advice in other words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memtrial.agents.slot import Slot
from memtrial.memory.language import sentences
from memtrial.memory.language.structure import HeadedPart, advising_text
from memtrial.memory.words import words
from memtrial.perturbations.aim import Aim, Declaration, Verbatim, Wording
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.language.differences import n_changed, n_flips, share_reworded
from memtrial.perturbations.language.equivalents import (
    is_plain,
    led_in,
    part_reason,
    range_heads,
    reorder,
    with_lead,
)
from memtrial.perturbations.language.grammar import brought_in, not_whole
from memtrial.perturbations.language.substitutes import Ways, stand_ins
from memtrial.perturbations.language.word_spans import count_content, n_words

if TYPE_CHECKING:
    from numpy.random import Generator

LEAST_LEFT = 0.7
LEAST_CHANGED = 0.15
"""Least share of the words outside quotes that must change: a placebo that does nothing guards nothing."""
_ENOUGH = 0.23  # share changed at which no more is done
_DRAWS = 6
_TRIED = 20_000  # characters of an item that are tried, all drawings together
_LONG = 500  # characters
_MOVED = 0.6  # chance that clauses trade places: of an item, and of each of its sentences
_LOST = 4  # at most one content word in so many goes: more is kept than must be
_GROWTH = 10  # one word or character more or less for so many
# names, what is compiled, and what of a trajectory is no thought
_SPARED = ("memory item", "trigger", "form", "task", "start", "query", "question", "outcome")


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """Say the same in other words: phrases stand for each other, clauses change places.

    Quotes, code, negations, numbers, Trigger, Form and all that names an action stay. Of a raw trajectory
    only the thoughts are reworded, and nothing moves. A drop under it is no drop of content.
    """

    name: str = "paraphrase"
    aim: Aim = Aim(
        content_left=(LEAST_LEFT, 1.0),
        advice="kept",
        verbatim=Verbatim(quotes=True),
        wording=Wording(least_changed=LEAST_CHANGED),
        declared=Declaration("wording"),
    )

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        if written := context.find_written(self.name, slot):
            return written
        if slot.empty:
            return NotApplicable("the slot holds no item")
        share = _most_changed(slot.items)
        if share < LEAST_CHANGED:
            return NotApplicable(
                f"at most {share:.1%} of the words outside quotes can safely be put in other words, "
                f"where {LEAST_CHANGED:.0%} are wanted"
            )
        fullest = tuple(map(_fullest, slot.items))
        for _ in range(_DRAWS):
            drawn = tuple(_reword_clauses(item, rng, _ENOUGH) for item in slot.items)
            enough = share_reworded(slot.items, drawn) >= LEAST_CHANGED
            if enough and all(map(_is_sound, slot.items, drawn)):
                return Damaged(Slot(slot.cue, drawn))
        return Damaged(Slot(slot.cue, fullest))


class _Cost(NamedTuple):
    """What a way to say it otherwise costs, words and characters more and content words lost, and changes."""

    words: int
    characters: int
    lost: int
    changed: int = 0

    def plus(self, other: _Cost) -> _Cost:
        return _Cost(*(spent + added for spent, added in zip(self, other, strict=True)))

    def within(self, most: _Cost) -> bool:
        """Neither longer nor shorter than that, with no more content lost."""
        longer = abs(self.words) > most.words or abs(self.characters) > most.characters
        return not longer and self.lost <= most.lost


_Place = tuple[tuple[sentences.Edit, _Cost], ...]
"""Ways to say it otherwise at one place of an item, and what each costs."""


@lru_cache(maxsize=1024)  # each donor asks again
def _most_changed(items: tuple[str, ...]) -> float:
    return share_reworded(items, tuple(map(_fullest, items)))


def _is_sound(before: str, after: str) -> bool:
    """Nothing turned and no fault of grammar came in: what is right by itself may not go together."""
    items = ([before], [after])
    return not (
        n_flips(advising_text(before), advising_text(after)) or not_whole(*items) or brought_in(*items)
    )


@lru_cache(maxsize=1024)  # each repeat of a trial asks again
def _fullest(item: str) -> str:
    """The first of a few rewordings, with all the room used, that is enough; else the best of them."""
    from numpy.random import default_rng

    rng = default_rng(0)
    best, most = item, 0.0
    for _ in range(max(2, min(2 * _DRAWS, _TRIED // max(1, len(item))))):
        text = _reword_clauses(item, rng, 1.0)
        if (share := share_reworded((item,), (text,))) > most and _is_sound(item, text):
            best, most = text, share
        if most >= _ENOUGH:
            break
    return best


def _reword_clauses(item: str, rng: Generator, enough: float) -> str:
    """Clauses traded as drawn, then phrases replaced in an order drawn, as length and content allow."""
    most = _Cost(n_words(item) // _GROWTH, len(item) // _GROWTH, count_content([item]).total() // _LOST)
    moved = _move_clauses(item, rng) if rng.random() < _MOVED else item
    spent = _cost_of(item, moved)
    if not spent.within(most):
        moved, spent = item, _cost_of(item, item)
    places = _places(moved)
    goal = enough * len(words(sentences.masked_body(item)))
    taken: list[sentences.Edit] = []
    covered = bytearray(len(moved) + 2)
    left = [places[int(start)] for start in rng.permutation(len(places))]
    for _ in range(3):  # what shrinks the text makes room for what did not fit before
        waiting = []
        for place in left:
            if any(1 in covered[way.start : way.end] for way, _ in place):
                continue
            fits = [(way, total) for way, cost in place if (total := spent.plus(cost)).within(most)]
            if not fits or spent.changed >= goal:
                waiting.append(place)
                continue
            way, spent = fits[int(rng.integers(len(fits)))]
            covered[way.start : way.end] = b"\1" * (way.end - way.start)
            taken.append(way)
        left = waiting
    return sentences.apply(moved, taken)


def _move_clauses(item: str, rng: Generator) -> str:
    edits = []
    for part, start, sentence in _find_rewordable(item):
        if not part.step and part.label != "title" and rng.random() < _MOVED:
            for text in reorder(sentence):
                if not n_flips(sentence.raw, text):
                    edits.append(sentences.Edit(start, start + len(sentence.raw), text))
    return sentences.apply(item, edits)


def _find_rewordable(item: str) -> list[tuple[HeadedPart, int, sentences.Sentence]]:
    return [
        (part, start, sentence)
        for part, start, sentence in sentences.sentences_of(item)
        if (part.label == "thought" if part.step else part.label not in _SPARED)
        and (is_plain(sentence) or part.label in ("title", "description", "scope"))
    ]


@lru_cache(maxsize=4096)
def _places(item: str) -> tuple[_Place, ...]:
    all_places: list[_Place] = []
    noted_ways: Ways = ()
    for part, start, sentence in _find_rewordable(item):
        titled = part.label == "title"
        ways = stand_ins(sentence, titled)
        if not (part.step or titled):
            ways += [*led_in(sentence), part_reason(sentence)]
        if part.label in ("description", "scope"):
            ways += range_heads(sentence, part.label)
        elif not (part.step or titled or noted_ways):
            noted_ways = with_lead(sentence)  # once an item
            ways.append(noted_ways)
        for place in ways:
            safe = [way for way in place if _turns_nothing(sentence, way)]
            edits = [sentences.Edit(start + way.start, start + way.end, way.text) for way in safe]
            costs = [_cost_of(sentence.raw[way.start : way.end], way.text) for way in safe]
            all_places.append(tuple(zip(edits, costs, strict=True)))
    return tuple(filter(None, all_places))


def _turns_nothing(sentence: sentences.Sentence, way: sentences.Edit) -> bool:
    """Of a sentence of a length that sentences have; of a longer one the whole item is looked at."""
    return len(sentence.raw) > _LONG or not n_flips(sentence.raw, sentences.apply(sentence.raw, [way]))


def _cost_of(old: str, new: str) -> _Cost:
    lost = (count_content([old]) - count_content([new])).total()
    return _Cost(n_words(new) - n_words(old), len(new) - len(old), lost, n_changed(old, new))
