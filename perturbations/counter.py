"""Other advice of the same kind: the advised actions replaced by others that the world accepts."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from zlib import crc32

from numpy.random import Generator

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.sentences import cut_sentences
from memtrial.memory.language.structure import mask, skeleton
from memtrial.memory.words import stem
from memtrial.perturbations.advice.advised_action import MOST_ADVISED, Advised, exchangeable
from memtrial.perturbations.advice.alternatives import MARKS, donor_actions, rank_alternatives, split_joined
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
from memtrial.perturbations.aim import FEW_CHARACTERS, Aim, Declaration, Length
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.language.differences import gaps
from memtrial.perturbations.language.grammar import brought_in, not_whole
from memtrial.perturbations.language.word_spans import n_words

_SHORTEST, _MOST = 0.9, 1.1
_ROUGHLY = 8
MOST_TRIED = 24
"""Exchanges that are tried for one action, those of its length first."""
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_ARTICLES = frozenset({"a", "an"})


@dataclass(frozen=True, slots=True)
class Counter:
    """Advise other actions in the place of those advised; condition, reason, length and all other words stay.

    Every action that an item tells to do, all steps of a sequence, is replaced in all places of its Title,
    Description, Content, Claim, Mechanism or prose; in an item that only tells to avoid, what is to be
    avoided. One action gets one other action in the whole slot, and so does a thing that is exchanged for
    another. Trigger, Scope, Form and every condition stay: they say when an item speaks.

    Source: STATISTICS 0c.1: follow = P(does a | told a) - P(does a | told b).

    Another action is one that the world accepts. Where nothing is known of the world, it has another thing of
    the same kind, another verb, or is one that the first donor that fits names.
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


@lru_cache(maxsize=4096)
def _exchange_all(slot: Slot, donor: Slot, known: Repertoire, turn: int) -> tuple[Slot | None, str]:
    """The slot with other actions, or why there is none. The turn says which of the exchanges that fit."""
    advised = [(item, advice) for item in slot.items for advice in exchangeable(item, known)]
    first = {words_of(advice.action): (item, advice) for item, advice in reversed(advised)}
    if not advised:
        kind = " that the world accepts" if known.known else ", quoted or as an imperative"
        return None, f"no item tells to do or to avoid an action{kind}"
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
        pair = _choose_pair(_Setting(slot, item, part, tuple(pairs), kept, domain), donor, known, turn)
        if pair is not None:
            pairs.append(pair)
        elif part is advice:
            where = "the world accepts" if known.known else "the donor names"
            return None, f"an item tells `{advice.action}`, and {where} no other action that fits there"
    after = Slot(
        slot.cue,
        tuple(exchange_words(item, pairs, closed_spans(item)) for item in slot.items),
    )
    for number, (old, new) in enumerate(zip(slot.items, after.items, strict=True), 1):
        if not _as_long(n_words(old), n_words(new)) or not _as_long(len(old), len(new), FEW_CHARACTERS):
            return None, f"item {number} would not keep its length with other actions"
        if compare_actions(old, new, known) is None:
            return None, f"item {number} would not read as told with other actions"
    if fault := not_whole(slot.items, after.items) or brought_in(slot.items, after.items):
        return None, f"with other actions the text {fault}"
    return after, ""


def _as_long(old: int, new: int, slack: int = 0) -> bool:
    return _SHORTEST * old - slack <= new <= _MOST * old + slack


@dataclass(frozen=True, slots=True)
class _Setting:
    """An action that asks for another, in its item and slot, after these exchanges; and what stays."""

    slot: Slot
    item: str
    advice: Advised
    pairs: tuple[Pair, ...]
    kept: str
    domain: str


def _choose_pair(setting: _Setting, donor: Slot, known: Repertoire, turn: int) -> Pair | None:
    """The first exchange that fits, of the first tier that has one: of its length, if possible, and new."""
    action = setting.advice.action
    before = action and setting.item[: setting.advice.start][-1:]
    quoted = bool(before) and before in MARKS
    owed = [_measure_growth(pair, setting.slot.text) for pair in setting.pairs]
    taken = {pair.new.lower() for pair in setting.pairs}
    ranked = list(rank_alternatives(action, quoted, donor, known, setting.kept, setting.domain))
    fresh = [[pair for pair in tier if pair.new.lower() not in taken] for tier in ranked]
    # another word for a thing that was exchanged before
    again = [[pair for pair in tier if _same_thing(pair, tier, setting)] for tier in ranked]
    for tier in (*again, *fresh, *(ranked if known.known else [])):
        distance = {pair: _measure_misfit([*owed, _measure_growth(pair, setting.slot.text)]) for pair in tier}
        nearest = sorted(distance, key=distance.__getitem__)
        new = [pair for pair in nearest if not _stands(pair.new, setting.slot.text)][:MOST_TRIED]
        for _, alike in groupby(new, key=distance.__getitem__):
            group = list(alike)
            start = (turn + crc32(" ".join(words_of(action)).encode())) % len(group)
            for pair in group[start:] + group[:start]:
                if _fits(setting, pair, known):
                    return pair
    return None


@lru_cache(maxsize=1024)
def _stands(phrase: str, text: str) -> bool:
    forms = (phrase, f"{phrase}s", phrase.removesuffix("s"), gerund(phrase))
    return any(next(occurrences(form, text), None) for form in forms)


def _same_thing(pair: Pair, tier: list[Pair], setting: _Setting) -> bool:
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
    places = max(1, sum(1 for _ in occurrences(pair.old, text)))
    return places * (n_words(pair.new) - n_words(pair.old)), places * (len(pair.new) - len(pair.old))


def _measure_misfit(grown: list[tuple[int, int]]) -> tuple[int, int]:
    return abs(sum(words for words, _ in grown)), abs(sum(characters for _, characters in grown)) // _ROUGHLY


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


@lru_cache(maxsize=4096)
def compare_actions(
    before: str, after: str, known: Repertoire
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The actions advised before and after, if all of them changed and nothing else did; None otherwise.

    Both are empty where the item advises no action and stays as it was. Read from the texts alone: conditions
    are the same, one action has one other action, none of the old ones stands anywhere, and every word that
    went or came is one of the actions.
    """
    texts = (before, after)
    advised, instead = (tuple(advice.action for advice in exchangeable(text, known)) for text in texts)
    if not advised and not instead:
        return ((), ()) if before == after else None
    pairs = {words_of(action): words_of(other) for action, other in zip(advised, instead, strict=False)}
    if len(advised) != len(instead) or len(pairs) > MOST_ADVISED or set(pairs) & set(pairs.values()):
        return None
    if any(
        pairs[words_of(action)] != words_of(other) for action, other in zip(advised, instead, strict=True)
    ):
        return None
    if _kept_texts(before) != _kept_texts(after) or _left_standing(advised, instead, after):
        return None
    if not _only_actions_changed(before, after, advised, instead):
        return None
    once = {
        words_of(action): (action, other)
        for action, other in zip(reversed(advised), reversed(instead), strict=True)
    }
    olds, news = zip(*reversed(once.values()), strict=True)
    return olds, news


def _kept_texts(item: str) -> list[str]:
    return [item[low:high].strip() for low, high in closed_spans(item)]


def _left_standing(advised: tuple[str, ...], instead: tuple[str, ...], after: str) -> bool:
    """Whether an old action, or the thing of it that was exchanged, stands outside conditions."""
    taken = mask(len(after), closed_spans(after))
    wanted = {*advised, *(gerund(old_action) for old_action in advised)}
    for old_action, other in zip(advised, instead, strict=True):
        olds, news = old_action.split(), other.split()
        if olds[:1] == news[:1] and len(olds) == len(news):
            wanted |= {" ".join(run) for run in _differing_runs(olds, news) if len(run) > 1}
    places = (span for old_action in wanted for span in occurrences(old_action, after))
    return any(taken.find(1, low, high) < 0 for low, high in places)


def _differing_runs(olds: list[str], news: list[str]) -> Iterator[list[str]]:
    both = enumerate(zip(olds, news, strict=True))
    for differ, run in groupby(both, key=lambda place: place[1][0] != place[1][1]):
        if differ:
            yield [old for _, (old, _) in run]


def _only_actions_changed(before: str, after: str, advised: Iterable[str], instead: Iterable[str]) -> bool:
    olds, news = (
        frozenset(map(_fold_token, _TOKEN.findall(" ".join(actions)))) | _ARTICLES
        for actions in (advised, instead)
    )
    pairs = list(zip(cut_sentences(before), cut_sentences(after), strict=False))
    if len(cut_sentences(before)) != len(cut_sentences(after)):
        pairs = [(before, after)]
    for before_text, other in pairs:
        if before_text == other:
            continue
        here, there = (
            [_fold_token(token) for token in _TOKEN.findall(text)] for text in (before_text, other)
        )
        differing = gaps(here, there)
        if differing is None or any(
            set(here[a:b]) - olds or set(there[c:d]) - news for a, b, c, d in differing
        ):
            return False
    return True


def _fold_token(token: str) -> str:
    return stem(token.casefold().replace("’", "'"))
