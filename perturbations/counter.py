"""Other advice of the same kind: the advised action replaced by another one that the world accepts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.advice.advised_action import MOST_TOLD, advised, conditions, named
from loadbearing.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire, occurrences, words_of
from loadbearing.perturbations.language.sentences import Edit, apply
from loadbearing.perturbations.language.structure import mask, parts, skeleton
from loadbearing.perturbations.language.words import n_words
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

SPARED = ("trigger", "scope", "form")
"""They say when an item counts. Firing is decided on the intact item, and the condition is not to change."""
MOST_TRIED = 50
"""Other actions that are tried in the place of one, those of its length first."""
_MOST = 1.1


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
        return Aim(content_left=(0.0, 1.0), length=(0.9, _MOST), instead=self.known)

    def why_not(self, slot: Slot, donor: Slot) -> str:
        if slot.empty:
            return "the slot holds no item"
        told = [_told(item, self.known) for item in slot.items]
        if not any(told):
            kind = " that the world accepts" if self.known.known else ", quoted or as an imperative"
            return f"no item tells to do an action{kind}"
        for number, (item, actions) in enumerate(zip(slot.items, told, strict=True), 1):
            if len(actions) > MOST_TOLD:
                return f"item {number} tells more than {MOST_TOLD} actions"
            for action in actions:
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
        distance = {one: abs(n_words(one) - n_words(action)) for one in pool}
        nearest = sorted(pool, key=distance.__getitem__)[:MOST_TRIED]
        for _, alike in groupby(nearest, key=distance.__getitem__):
            new = [one for one in alike if not any(occurrences(one, slot.text))]
            if fits := [one for one in new if _fits(item, action, one, self.known)]:
                return fits
        return []


def told_instead(
    before: str, after: str, known: Repertoire
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The actions told before and after where nothing but them changed; None where something else did.

    Both empty where the item tells no action, and stays as it was.
    """
    told, instead = _all(before, known), _all(after, known)
    if max(len(_once(told)), len(_once(instead))) > MOST_TOLD:
        return None
    masked = [
        _replaced(item, dict.fromkeys(actions, ""), known)
        for item, actions in ((before, told), (after, instead))
    ]
    same = len(told) == len(instead) and masked[0] == masked[1]
    if not same or set(map(words_of, told)) & set(map(words_of, instead)):
        return None
    pairs = _once(told)
    return tuple(pairs.values()), tuple(instead[told.index(one)] for one in pairs.values())


def _all(item: str, known: Repertoire) -> tuple[str, ...]:
    return tuple(one.action for one in advised(item, known))


def _once(actions: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """The actions by their words, each as it is told first, in the order in which they are told last."""
    found = {words_of(action): action for action in reversed(actions)}
    return dict(reversed(found.items()))


def _told(item: str, known: Repertoire) -> list[str]:
    return list(_once(_all(item, known)).values())


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
    """The item with what is chosen for each action in all its places, but for headings, conditions and what
    says when the item counts; `\\x00` where nothing is."""
    closed = list(conditions(item, known))
    at = 0
    for part in parts(item):
        body = at + len(part.head)
        closed.append((at, body if part.label not in SPARED else body + len(part.body)))
        at = body + len(part.body)
    taken = mask(len(item), closed)
    edits: list[Edit] = []
    for action in sorted(chosen, key=lambda one: (-len(one), one)):
        for low, high in occurrences(action, item):
            if taken.find(1, low, high) < 0:
                taken[low:high] = b"\1" * (high - low)
                edits.append(Edit(low, high, _cased(item[low:high], chosen[action]) or "\x00"))
    return apply(item, edits)


def _cased(like: str, text: str) -> str:
    """With a capital where the old one has one, and without where it only began a sentence elsewhere."""
    if like[:1].isupper():
        return text[:1].upper() + text[1:]
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
