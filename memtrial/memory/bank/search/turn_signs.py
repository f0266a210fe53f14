"""Which items come up in the midst of a task: those whose signs stand in what is observed.

An item's signs are its Trigger; one of a schema without a Trigger has its preconditions, which must all hold.
Source: seeds/000 (the read path before and within a task); REQUIREMENTS A-03.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from memtrial.agents.trajectory import Moment
from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.ranking.ranked_hit import Ranking
from memtrial.memory.item import TypedItem
from memtrial.memory.trigger import CueFault, Trigger, TriggerCue, TriggerFault, compile_cue, compile_trigger


@dataclass(frozen=True, slots=True)
class TurnRanking:
    """A search in the midst of a task.

    Args:
        query: the text that it was made by.
        met: by item, the cues of it that hold, of all whose signs are met, whether or not they are shown.
    """

    query: str
    met: Mapping[str, str]
    ranking: Ranking


def meet_signs(items: Iterable[BankItem], moment: Moment, passed: Collection[str]) -> dict[str, str]:
    """By id, the cues that hold, of the active items whose signs are all met; those that wait for a proposed
    action never are."""
    met = {}
    for item in items:
        if item.standing != "active" or item.id in passed:
            continue
        words = item.item
        own = words.trigger if isinstance(words, TypedItem) else ""
        signs = _compile(own, item.details.preconditions)
        if signs is not None and signs.holds(moment):
            met[item.id] = signs.why(moment)
    return met


@lru_cache(maxsize=65536)  # every turn asks again
def _compile(trigger: str, preconditions: tuple[str, ...]) -> Trigger | None:
    """What an item waits for; None where it states nothing that can be looked for."""
    with suppress(TriggerFault):
        return compile_trigger(trigger)
    cues = tuple(map(_read_sign, preconditions))
    whole = tuple(cue for cue in cues if cue is not None)
    return Trigger(" | ".join(preconditions), whole) if whole and len(whole) == len(cues) else None


def _read_sign(text: str) -> TriggerCue | None:
    """A cue as written, or plain words that are looked for in what is observed."""
    for written in (text, f"state: {text}"):
        with suppress(CueFault):
            return compile_cue(written)
    return None
