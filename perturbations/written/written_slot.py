"""Damage of one slot by a model that writes and a judge that reads blind: up to four drafts.

Each is told what was wrong with the last. A draft is accepted where a program finds nothing wrong with it,
and the judge reads in each item what the kind claims. Source: arXiv 2601.22436, appendix D.2.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, floor
from typing import Any

from numpy.random import default_rng

from memtrial.agents.slot import Slot
from memtrial.judges.advice_comparison import AdviceComparison, ModelComparer
from memtrial.judges.mask_reader import MaskReader
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import ReplyFault, Structured, signature_of
from memtrial.models.client.types import ProviderFault
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.damage_contract import NO_CONTEXT, Damaged, Items, Texts, items_digest
from memtrial.perturbations.language.differences import n_changed, n_negations
from memtrial.perturbations.language.word_spans import n_words
from memtrial.perturbations.written.advice_verdict import explain_refusal
from memtrial.perturbations.written.claims import CLAIMS, INSTRUCTIONS, ODD_INVERSION
from memtrial.perturbations.written.draft_masks import mask_items, read_masking
from memtrial.perturbations.written.draft_proofs import LEAST, MOST, refuse_drafts
from memtrial.perturbations.written.draft_remarks import clean_draft

TRIES = 4
TOKENS = 8192
"""Most that a draft may have."""
LONGEST = 12_000
"""Characters of a slot that is sent; a longer one is damaged by the rules."""
GROWTH, ROOM = 2, 400
"""An item of a draft has at most so many times the characters of the intact one, and so many more; what is
longer is not read."""
UNREAD = ("large reply", "empty reply", "malformed reply")
"""Faults of a model that answered, but not in a way that can be read."""
MOST_ACCEPTED = 60
"""Actions that a model is told of under `counter`."""
FEWEST, MOST_ODD = 0.75, 1.25
"""Words that an oddity changes over those that its kind changes."""
FEW_ODD = 1


class DraftFault(ValueError):
    """A draft that cannot be used: a failed try. The message is what the next one is told."""


@dataclass(frozen=True, slots=True)
class WrittenSlot:
    """What came of it.

    Args:
        items: as accepted; none where no draft was.
        tries: drafts that were asked for.
        why: what was wrong with the last of them, or why none was asked for.
        readings: what the judge read in each item that was accepted, the intact text first.
        by_rules: no draft was accepted, and what is told here is of the rules' text, which the judge read.
    """

    items: Items = ()
    tries: int = 0
    why: str = ""
    readings: tuple[AdviceComparison, ...] = ()
    by_rules: bool = False


@dataclass(frozen=True, slots=True)
class WritingTask:
    """What is to be written.

    Args:
        kind: one of `CLAIMS`.
        accepted: what the world accepts in the place of the slot's own actions, for `counter`.
        odd_words: how many words an oddity is to change; 0 for all other kinds.
        negations: how many an oddity holds at least, item by item, as the inversion does; none for all other
            kinds.
    """

    kind: str
    slot: Slot
    accepted: tuple[str, ...] = ()
    odd_words: int = 0
    negations: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """The kind, and the digest of the intact items."""
        return self.kind, items_digest(self.slot)


def plan_writing(kind: str, slot: Slot, known: Repertoire, written: Texts) -> WritingTask:
    """What is to be written of a slot; an oddity is as odd, and negates as often, as the inversion among what
    is written already."""
    accepted = accepted_instead(slot, known) if CLAIMS[kind] == "exchanged" else ()
    inverted = find_inversion(slot, written) if kind == ODD_INVERSION else ()
    odd_words = sum(map(n_changed, slot.items, inverted))
    return WritingTask(kind, slot, accepted, odd_words, tuple(map(n_negations, inverted)))


async def write_slot(task: WritingTask, writer: Caller, judge: Caller) -> WrittenSlot:
    """Damage one slot.

    Raises:
        ModelFault: no answer could be had at all.
    """
    slot = task.slot
    if slot.blank:
        return WrittenSlot(why="the slot holds no item")
    if len(slot.text) > LONGEST:
        return WrittenSlot(
            why=f"a slot of at most {LONGEST:,} characters is needed; this has {len(slot.text):,}"
        )
    if task.kind == ODD_INVERSION and not task.odd_words:
        return WrittenSlot(why="there is no inversion of this slot that it could be as odd as")
    last, why = tuple[str, ...](), ""
    for number in range(TRIES):
        caller = replace(writer, repeat=writer.repeat * TRIES + number, max_tokens=TOKENS)
        try:
            last = await _ask(caller, task, last, why)
            items = _read_draft(task, last)
            readings = await _compare_items(judge, task.kind, slot.items, items)
            _refuse_readings(task, items, readings)
        except DraftFault as fault:
            why = str(fault)
        else:
            return WrittenSlot(items, number + 1, "", readings)
        if why == NO_ADVICE:
            return WrittenSlot(tries=number + 1, why=why)
    if CLAIMS[task.kind] == "hidden":
        return await _read_rules(task, judge, why)
    return WrittenSlot(tries=TRIES, why=why)


async def _read_rules(task: WritingTask, judge: Caller, why: str) -> WrittenSlot:
    """The rules' masks, where the judge cannot tell from them either what was advised."""
    done = CorruptMask().apply(task.slot, default_rng(0), NO_CONTEXT)
    if not isinstance(done, Damaged):
        return WrittenSlot(tries=TRIES, why=why)
    items = done.slot.items
    readings = await _compare_items(judge, task.kind, task.slot.items, items)
    try:
        _refuse_readings(task, items, readings)
    except DraftFault as fault:
        return WrittenSlot(tries=TRIES, why=f"{why}; the rules' text: {fault}", by_rules=True)
    return WrittenSlot(items, TRIES, why, readings, by_rules=True)


async def _ask(caller: Caller, task: WritingTask, last: Sequence[str], why: str) -> tuple[str, ...]:
    inputs = {"notes": json.dumps(task.slot.items, ensure_ascii=False), "lengths": lengths(task.slot.items)}
    if CLAIMS[task.kind] == "exchanged":
        inputs["accepted"] = json.dumps(list(task.accepted), ensure_ascii=False)
    if task.odd_words:
        inputs |= {"words": str(task.odd_words), "negations": json.dumps(task.negations)}
    if why:
        shown = [text[: most_characters(item)] for text, item in zip(last, task.slot.items, strict=False)]
        inputs |= {"last": _sendable(json.dumps(shown, ensure_ascii=False)), "wrong": _sendable(why)}
    try:
        reply = await Structured(caller).ask(_signature(task.kind, bool(why)), inputs)
    except (ReplyFault, ProviderFault) as fault:
        if isinstance(fault, ProviderFault) and fault.kind not in UNREAD:
            raise
        raise DraftFault(f"the draft could not be read: {fault}") from fault
    return tuple(reply.rewritten)


def _sendable(text: str) -> str:
    """Without halves of a pair, which no provider can receive."""
    return text.encode("utf-8", "replace").decode("utf-8")


def most_characters(item: str) -> int:
    """Of a draft of this item; what is longer is not read."""
    return GROWTH * len(item) + ROOM


def lengths(items: Items) -> str:
    """Fewest and most words of each text, as the manipulation check counts them."""
    return json.dumps([[ceil(LEAST * n_words(item)), floor(MOST * n_words(item))] for item in items])


@cache
def _signature(kind: str, again: bool) -> Any:
    given = {
        "notes": "the texts of the notes, a JSON list",
        "lengths": "fewest and most words of each text, a JSON list of pairs",
    }
    if CLAIMS[kind] == "exchanged":
        given["accepted"] = "actions that are accepted, a JSON list; empty where they are not known"
    if kind == ODD_INVERSION:
        given["words"] = "how many words to change, all texts together"
        given["negations"] = "fewest words that negate a verb in each text, a JSON list"
    if again:
        given |= {
            "last": "what you wrote before, a JSON list",
            "wrong": "what was wrong with it; put that right, and keep what was right",
        }
    rewritten = (list[str], "the texts as you wrote them, as many")
    return signature_of(INSTRUCTIONS[kind].render(), given, {"rewritten": rewritten})


def _read_draft(task: WritingTask, texts: Sequence[str]) -> Items:
    """The items of a draft, cleaned; DraftFault where a program finds something wrong with one."""
    items = task.slot.items
    if len(texts) != len(items):
        raise DraftFault(f"the draft has {len(texts)} texts in the place of {len(items)}")
    cleaned = []
    for number, (item, text) in enumerate(zip(items, texts, strict=True), 1):
        if len(text) > most_characters(item):
            raise DraftFault(f"text {number}: it has {len(text):,} characters in the place of {len(item):,}")
        cleaned.append(clean_draft(item, text))
    claim = CLAIMS[task.kind]
    if claim == "hidden":
        cleaned = [*_put_masks(items, cleaned)]
    if fault := refuse_drafts(claim, items, tuple(cleaned)):
        raise DraftFault(fault)
    if task.odd_words:
        _refuse_odd_words(task.odd_words, sum(map(n_changed, items, cleaned)))
        _refuse_negations(task.negations, cleaned)
    return tuple(cleaned)


def _put_masks(items: Items, drafts: Sequence[str]) -> Items:
    """The items as they are shown; what one draft masks is masked in all of them, which may be too much."""
    for number, (item, text) in enumerate(zip(items, drafts, strict=True), 1):
        if fault := read_masking(item, text).fault:
            raise DraftFault(f"text {number}: {fault}")
    return mask_items(items, drafts)


def _refuse_odd_words(wanted: int, changed: int) -> None:
    low, high = floor(FEWEST * wanted) - FEW_ODD, ceil(MOST_ODD * wanted) + FEW_ODD
    if not low <= changed <= high:
        raise DraftFault(f"{changed} words changed, where {max(1, low)} to {high} were to change")


def _refuse_negations(wanted: Sequence[int], texts: Sequence[str]) -> None:
    # one that stumbles over negations would lose less under the placebo, and be taken for a reader
    for number, (least, text) in enumerate(zip(wanted, texts, strict=True), 1):
        if (n := n_negations(text)) < least:
            raise DraftFault(
                f"text {number}: it holds {n} words that negate a verb, where {least} or more are wanted"
            )


NO_ADVICE = "the judge reads no advice in the intact text"


async def _compare_items(
    judge: Caller, kind: str, before: Items, after: Items
) -> tuple[AdviceComparison, ...]:
    reader = MaskReader(judge) if CLAIMS[kind] == "hidden" else ModelComparer(judge)
    return tuple([await reader(was, now) for was, now in zip(before, after, strict=True)])


def _refuse_readings(task: WritingTask, items: Items, readings: Sequence[AdviceComparison]) -> None:
    claim = CLAIMS[task.kind]
    for number, (reading, item) in enumerate(zip(readings, items, strict=True), 1):
        if why := explain_refusal(claim, reading, item):
            raise DraftFault(f"text {number}: {why}")
    if claim in ("turned", "exchanged") and not any(reading.first for reading in readings):
        raise DraftFault(NO_ADVICE)


def accepted_instead(slot: Slot, known: Repertoire) -> tuple[str, ...]:
    """What the world accepts besides the actions that stand in the slot; its command forms where it lists
    none of these."""
    text = "\n".join(slot.items)
    named = {text[low:high] for low, high in known.within(text, 0, len(text))}
    instead = {action for action in named for action in known.others(action)} - named
    return tuple(sorted(instead)[:MOST_ACCEPTED]) or known.forms[:MOST_ACCEPTED]


def find_inversion(slot: Slot, written: Texts) -> Items:
    """The items of this slot as they are inverted: a model's where they were accepted, else the rules'; none
    where there is neither."""
    if items := written.get((CorruptInvert().name, items_digest(slot))):
        return items
    done = CorruptInvert().apply(slot, default_rng(0), NO_CONTEXT)
    return done.slot.items if isinstance(done, Damaged) else ()
