"""Other advice of the same kind: the advised action replaced by another one that the world accepts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.advice.advised_action import MOST_TOLD, Span, advised, conditions, named
from loadbearing.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire, occurrences, words_of
from loadbearing.perturbations.language.sentences import Edit, apply
from loadbearing.perturbations.language.structure import mask, parts, skeleton
from loadbearing.perturbations.language.words import n_words
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

SPARED = ("trigger", "scope", "form")
"""They say when an item counts. Firing is decided on the intact item, and the condition is not to change."""
MOST_TRIED = 50
"""Other actions that are tried in the place of one, those of its length first."""
_LEAST, _MOST = 0.9, 1.1


@dataclass(frozen=True, slots=True)
class Counter:
    """Tell another action where the item told one; condition, reason, length and all other words stay.

    Every action that an item tells to do is replaced, in all places of its Title, Description, Content,
    Claim, Mechanism or prose. What it tells to avoid stays, and so do Trigger, Scope, Form and every
    condition: an `action:` cue of a Trigger says when an item speaks, not what it advises. Of a sequence the
    first step is replaced.

    Source: STATISTICS 0c.1: follow = P(does a | told a) - P(does a | told b).

    Args:
        known: what the world accepts. Where nothing is known, another action is one that the donor names.
    """

    known: Repertoire = NOTHING_KNOWN
    name: str = "counter"
    effect: Effect = "meaning"
    raw: Raw = "no"

    @property
    def aim(self) -> Aim:
        """Another action in every place of the advised one, and nothing else."""
        return Aim(content_left=(0.0, 1.0), length=(_LEAST, _MOST), instead=self.known)

    def why_not(self, slot: Slot, donor: Slot) -> str:
        """Some item must tell an action, and for each of them another one must be known."""
        if slot.empty:
            return "the slot holds no item"
        told = [advised(item, self.known) for item in slot.items]
        if not any(told):
            kind = " that the world accepts" if self.known.known else ", quoted or as an imperative"
            return f"no item tells to do an action{kind}"
        for number, item in enumerate(slot.items, 1):
            if len(_told(item, self.known)) > MOST_TOLD:
                return f"item {number} tells more than {MOST_TOLD} actions"
            for action in _told(item, self.known):
                if not self._choices(slot, item, action, donor):
                    where = "the world accepts" if self.known.known else "the donor names"
                    return f"item {number} tells `{action}`, and {where} no other action that fits there"
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        """The same items with other actions, each used once where there are enough."""
        used: set[str] = set()
        items = []
        for item in slot.items:
            chosen = {}
            for action in _told(item, self.known)[:MOST_TOLD]:
                choices = self._choices(slot, item, action, donor)
                fresh = [one for one in choices if one not in used] or choices
                if fresh:
                    chosen[action] = fresh[int(rng.integers(len(fresh)))]
                    used.add(chosen[action])
            items.append(_replaced(item, chosen, self.known))
        return Slot(slot.cue, tuple(items))

    def _choices(self, slot: Slot, item: str, action: str, donor: Slot) -> list[str]:
        """What can stand in its place: as long as it, if possible, and nowhere in the slot yet."""
        if self.known.known:
            pool = self.known.others(action)
        else:
            pool = tuple(sorted({one for text in donor.items for one in named(text)}))
        text = slot.text
        distance = {one: abs(n_words(one) - n_words(action)) for one in pool}
        nearest = sorted(pool, key=distance.__getitem__)[:MOST_TRIED]
        for _, alike in groupby(nearest, key=distance.__getitem__):
            fits = [
                one
                for one in alike
                if not any(occurrences(one, text)) and _fits(item, action, one, self.known)
            ]
            if fits:
                return fits
        return []


def told_instead(
    before: str, after: str, known: Repertoire
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The actions told before and after where nothing but them changed; None where something else did.

    Both empty where the item tells no action, and stays as it was.
    """
    told, instead = _all(before, known), _all(after, known)
    if max(len(_told(one, known)) for one in (before, after)) > MOST_TOLD:
        return None
    same = len(told) == len(instead) and _masked(before, told, known) == _masked(after, instead, known)
    spoken = {words_of(action) for action in told}
    if not same or any(words_of(action) in spoken for action in instead):
        return None
    pairs = {words_of(one): (one, other) for one, other in reversed(list(zip(told, instead, strict=True)))}
    first, second = zip(*reversed(pairs.values()), strict=True) if pairs else ((), ())
    return first, second


def _all(item: str, known: Repertoire) -> tuple[str, ...]:
    return tuple(one.action for one in advised(item, known))


def _told(item: str, known: Repertoire) -> tuple[str, ...]:
    """The actions that an item tells, each once."""
    found = {words_of(action): action for action in reversed(_all(item, known))}
    return tuple(reversed(found.values()))


@lru_cache(maxsize=8192)
def _fits(item: str, action: str, other: str, known: Repertoire) -> bool:
    """Whether the item with the other action reads as told, keeps its headings and, with room for what is
    told besides, its length."""
    after, told = _replaced(item, {action: other}, known), _all(item, known)
    room = (_MOST - 1) * n_words(item) / len(set(map(words_of, told)))
    if abs(n_words(after) - n_words(item)) > room or skeleton(after) != skeleton(item):
        return False
    wanted = [words_of(other if words_of(one) == words_of(action) else one) for one in told]
    return [words_of(one) for one in _all(after, known)] == wanted


def _replaced(item: str, chosen: dict[str, str], known: Repertoire) -> str:
    places = _places(item, tuple(chosen), known).items()
    return apply(item, (Edit(*span, _cased(item[slice(*span)], chosen[action])) for span, action in places))


def _cased(like: str, text: str) -> str:
    """With a capital where the old one has one, and without where it only began a sentence elsewhere."""
    if like[:1].isupper():
        return text[:1].upper() + text[1:]
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _masked(item: str, actions: tuple[str, ...], known: Repertoire) -> str:
    return apply(item, (Edit(*span, "\x00") for span in _places(item, actions, known)))


def _places(item: str, actions: tuple[str, ...], known: Repertoire) -> dict[Span, str]:
    """Where the actions stand, outside of headings, conditions and what says when the item counts."""
    closed = list(conditions(item, known))
    at = 0
    for part in parts(item):
        body = at + len(part.head)
        closed.append((at, body if part.label not in SPARED else body + len(part.body)))
        at = body + len(part.body)
    taken = mask(len(item), closed)
    found: dict[Span, str] = {}
    for action in sorted(set(actions), key=lambda one: (-len(one), one)):
        for low, high in occurrences(action, item):
            if taken.find(1, low, high) < 0:
                taken[low:high] = b"\1" * (high - low)
                found[low, high] = action
    return found
