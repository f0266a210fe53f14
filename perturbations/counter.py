"""Other advice of the same kind: the advised actions replaced by others that the world accepts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING
from zlib import crc32

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.structure import skeleton
from memtrial.perturbations.advice.advised_action import MOST_ADVISED, Advised, exchangeable
from memtrial.perturbations.advice.alternatives import MARKS, donor_actions, rank_alternatives, split_joined
from memtrial.perturbations.advice.compared_actions import compare_actions
from memtrial.perturbations.advice.known_actions import Repertoire, occurrences, words_of
from memtrial.perturbations.advice.phrase_exchange import (
    Pair,
    closed_spans,
    conditions,
    domain_of,
    exchange_words,
    gerund,
    lacks_object,
    stands_alone,
    things_in,
)
from memtrial.perturbations.advice.unnamed_exchange import find_unplain, left_of
from memtrial.perturbations.aim import FEW_CHARACTERS, Aim, Declaration, Length
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.language.grammar import brought_in, not_whole
from memtrial.perturbations.language.word_spans import n_words

if TYPE_CHECKING:
    from numpy.random import Generator

_SHORTEST, _MOST = 0.9, 1.1
ACCEPTED = "the world accepts no other action that fits there"
NAMED = "neither a list of things nor another memory names an action that fits there"
_ROUGHLY = 8
MOST_TRIED = 24
"""Exchanges that are tried for one action, those of its length first."""


@dataclass(frozen=True, slots=True)
class Counter:
    """Advise other actions in the place of those advised; condition, reason, length and all other words stay.

    Every action that an item tells to do, all steps of a sequence, is replaced in all places of its Title,
    Description, Content, Claim, Mechanism, prose, and the `action:` of its Trigger; in an item that only
    tells to avoid, what is to be avoided. One action gets one other action in the whole slot, and so does a
    thing that is exchanged for another. All else of a Trigger, Scope, Form and every condition stay: they say
    when an item speaks. Where a field would still name an old action, the kind does not apply.

    Source: STATISTICS 0c.1: follow = P(does a | told a) - P(does a | told b).

    Another action is one that the world accepts. Where nothing is known of the world, it has another thing of
    the same kind, the argument of a donor's call, or a donor's plain command where both are quoted; every
    sentence that advises is then a plain command, and what was exchanged is named nowhere else, not even
    where it would say when the item counts.
    """

    name: str = "counter"
    aim: Aim = Aim(length=Length(_SHORTEST, _MOST), advice="exchanged", declared=Declaration("meaning"))

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        """The same items with other actions, each used once where there are enough."""
        if written := context.find_written(self.name, slot):
            return written
        if slot.empty:
            return NotApplicable("the slot holds no item")
        known, reasons = context.known, []
        for foreign in context.donors or (NOTHING,):
            donor = donor_actions(foreign, known)
            certain, reason = _exchange_all(slot, donor, known, 0)
            if certain is not None and not reason:
                drawn = _exchange_all(slot, donor, known, int(rng.integers(2**16)))[0]
                return Damaged(drawn or certain)
            reasons.append(reason)
        return NotApplicable(reasons[0])


@lru_cache(maxsize=1024)
def _exchange_all(slot: Slot, donor: Slot, known: Repertoire, turn: int) -> tuple[Slot | None, str]:
    """The slot with other actions, or why there is none. The turn says which of the exchanges that fit."""
    advised = [(item, advice) for item in slot.items for advice in exchangeable(item, known)]
    first = {words_of(advice.action): (item, advice) for item, advice in reversed(advised)}
    if not advised:
        kind = " that the world accepts" if known.known else ", quoted or as an imperative"
        return None, f"no item tells to do or to avoid an action{kind}"
    if not known.known and (fault := next(filter(None, map(find_unplain, slot.items)), "")):
        return None, f"nothing is known of the world, and an item holds more than plain commands, {fault}"
    if len(first) > MOST_ADVISED:
        return None, f"the items tell more than {MOST_ADVISED} actions"
    kept, domain = (
        "\n".join(map(conditions, slot.items)).lower(),
        domain_of(slot.text),
    )
    pairs: list[Pair] = []
    parts = [
        (item, part, advice)
        for item, advice in reversed(first.values())
        for part in (advice, *split_joined(advice, domain))
    ]
    parts.sort(key=lambda entry: -len(entry[1].action) if "[" in entry[1].action else 0)
    for item, part, advice in parts:
        if words_of(exchange_words(part.action, pairs)) != words_of(part.action):
            continue
        setting = _Setting(slot, item, part, tuple(pairs), kept, domain)
        pair = _choose_pair(setting, donor, known, turn)
        if pair is not None:
            pairs.append(pair)
        elif part is advice:
            return None, f"an item tells `{advice.action}`, and {ACCEPTED if known.known else NAMED}"
    after = Slot(
        slot.cue,
        tuple(exchange_words(item, pairs, closed_spans(item)) for item in slot.items),
    )
    for number, (old, new) in enumerate(zip(slot.items, after.items, strict=True), 1):
        if not _as_long(n_words(old), n_words(new)) or not _as_long(len(old), len(new), FEW_CHARACTERS):
            return None, f"item {number} would not keep its length with other actions"
        if compare_actions(old, new, known) is None:
            return None, f"item {number} would not read as told with other actions"
    if not known.known and (word := left_of(pairs, after.items)):
        return None, f"an item would speak of `{word}` beside another action"
    if fault := not_whole(slot.items, after.items) or brought_in(slot.items, after.items):
        return None, f"with other actions the text {fault}"
    return after, ""


def _as_long(old: int, new: int, slack: int = 0) -> bool:
    return _SHORTEST * old - slack <= new <= _MOST * old + slack


@dataclass(frozen=True, slots=True)
class _Setting:
    """An action that asks for another, in its item and slot, after these exchanges; what stays."""

    slot: Slot
    item: str
    advice: Advised
    pairs: tuple[Pair, ...]
    kept: str
    domain: str


def _choose_pair(setting: _Setting, donor: Slot, known: Repertoire, turn: int) -> Pair | None:
    """The first exchange that fits, of the first tier that has one: of its length, if possible, and new."""
    action = setting.advice.action
    start = turn + crc32(" ".join(words_of(action)).encode())
    text = setting.slot.text
    owed = tuple(_measure_growth(pair, text) for pair in setting.pairs)
    taken = {pair.new.lower() for pair in setting.pairs}
    before = setting.item[: setting.advice.start][-1:]
    quoted = bool(before) and before in MARKS
    ranked = _rank(action, quoted, donor, known, setting.kept, setting.domain)
    fresh = [tuple(pair for pair in tier if pair.new.lower() not in taken) for tier in ranked]
    # another word for a thing that was exchanged before
    again = [tuple(pair for pair in tier if taken and _same_thing(pair, tier, setting)) for tier in ranked]
    for tier in (*again, *fresh, *(ranked if known.known else [])):
        for group in _group_alike(tier, owed, text):
            place = start % len(group)
            for pair in group[place:] + group[:place]:
                if _fits(setting, pair, known):
                    return pair
    return None


@lru_cache(maxsize=4096)  # each repeat of a trial asks again
def _rank(
    action: str, quoted: bool, donor: Slot, known: Repertoire, kept: str, domain: str
) -> tuple[tuple[Pair, ...], ...]:
    return tuple(map(tuple, rank_alternatives(action, quoted, donor, known, kept, domain)))


@lru_cache(maxsize=8192)
def _group_alike(
    tier: tuple[Pair, ...], owed: tuple[tuple[int, int], ...], text: str
) -> tuple[tuple[Pair, ...], ...]:
    """Those that are tried, in groups of equal misfit to the length of the text, the least first."""
    distance = {pair: _measure_misfit([*owed, _measure_growth(pair, text)]) for pair in tier}
    nearest = sorted(distance, key=distance.__getitem__)
    new = [pair for pair in nearest if not _stands(pair.new, text)][:MOST_TRIED]
    return tuple(tuple(group) for _, group in groupby(new, key=distance.__getitem__))


@lru_cache(maxsize=8192)
def _stands(phrase: str, text: str) -> bool:
    forms = (phrase, f"{phrase}s", phrase.removesuffix("s"), gerund(phrase))
    return any(next(occurrences(form, text), None) for form in forms)


def _same_thing(pair: Pair, tier: tuple[Pair, ...], setting: _Setting) -> bool:
    """Whether an earlier exchange put the same in the place of another word for this thing."""
    news = {sibling.new for sibling in tier}
    before = (
        earlier.old
        for earlier in setting.pairs
        if earlier.new == pair.new and earlier.kind == pair.kind == "thing"
    )
    kinds = (thing.others for old in before for thing in things_in(old, setting.domain))
    return any({sibling.new for sibling in kind} == news for kind in kinds)


def _measure_growth(pair: Pair, text: str) -> tuple[int, int]:
    places = max(1, _count_places(pair.old, text))
    return places * (n_words(pair.new) - n_words(pair.old)), places * (len(pair.new) - len(pair.old))


@lru_cache(maxsize=4096)
def _count_places(phrase: str, text: str) -> int:
    return sum(1 for _ in occurrences(phrase, text))


def _measure_misfit(grown: list[tuple[int, int]]) -> tuple[int, int]:
    return abs(sum(words for words, _ in grown)), abs(sum(characters for _, characters in grown)) // _ROUGHLY


@lru_cache(maxsize=16384)
def _fits(setting: _Setting, pair: Pair, known: Repertoire) -> bool:
    """Whether it makes another action, and the item still keeps its headings and tells as many."""
    places = occurrences(pair.old, setting.slot.text)
    if pair.kind == "thing" and not all(stands_alone(setting.slot.text, *span) for span in places):
        return False
    part = words_of(pair.old) != words_of(setting.advice.action)
    if part and any(lacks_object(pair, item) for item in setting.slot.items):
        return False
    other = exchange_words(setting.advice.action, (pair,))
    if words_of(other) == words_of(setting.advice.action) or not known.accepts(other):
        return False
    after = exchange_words(setting.item, (*setting.pairs, pair), closed_spans(setting.item))
    advised, instead = exchangeable(setting.item, known), exchangeable(after, known)
    wanted = [words_of(exchange_words(advice.action, (*setting.pairs, pair))) for advice in advised]
    return (
        skeleton(after) == skeleton(setting.item)
        and [words_of(advice.action) for advice in instead] == wanted
    )
