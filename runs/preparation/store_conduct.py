"""What a memory system did in a run that the laws of memories forbid: stated for readers, not repaired.

A run shows what a system gave for a task when it was first asked. Here it is asked about a few tasks again.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from types import MappingProxyType

from memtrial.agents.slot import Slot
from memtrial.faults import RunFault
from memtrial.memory.leakage import LONG, Secrets
from memtrial.memory.stored_item import StoredItem
from memtrial.outcomes.count_words import how_many
from memtrial.plugins.own_memory import OwnStore, OwnSystem, RecallingMemory
from memtrial.protocols import LedgerStore, World
from memtrial.runs.preparation.leaks import known_secrets
from memtrial.runs.setup.world_pool import begun
from memtrial.worlds.world import State, Task

ASKED_AGAIN = 5
"""Tasks, the first ones: what they were given is the oldest."""
FACT = "conduct of "
Asked = tuple[Task, State]
Given = Sequence[StoredItem]


async def see_conduct(
    memory: RecallingMemory,
    world: World,
    tasks: Sequence[Task],
    shown: Mapping[str, Slot],
    learned: Iterable[str],
) -> tuple[str, ...]:
    """What a system that was asked about all tasks does otherwise than its laws say, a sentence each.

    Args:
        shown: by task id, the slot that the run shows.
        learned: texts of the tasks that the system was filled from.
    """
    again = [(task, await begun(world, task)) for task in tasks[:ASKED_AGAIN]]
    seen = _see_echoes(known_secrets(world, tasks, learned), tasks, shown)
    try:
        if isinstance(memory, OwnStore):
            seen += await _see_store(memory, again, shown)
        elif isinstance(memory, OwnSystem):
            slots = [(task.id, (await memory.recall(task, state)).items) for task, state in again]
            seen += _see_changed(slots, shown)
    except RunFault as fault:
        seen.append(f"it failed when it was asked again: {fault}")
    return tuple(seen)


def _see_changed(slots: Sequence[tuple[str, tuple[str, ...]]], shown: Mapping[str, Slot]) -> list[str]:
    changed = [task for task, items in slots if items != shown[task].items]
    if not changed:
        return []
    return [
        f"asked again, it gave {len(changed)} of {how_many(len(slots), 'task')} another slot, as"
        f" {changed[0]!r}: what a task is shown depends on when it is asked for"
    ]


def _see_echoes(secrets: Secrets, tasks: Sequence[Task], shown: Mapping[str, Slot]) -> list[str]:
    """Whether its slots hold what another test task's text alone says."""
    pairs = [
        (task.id, secret.task)
        for task in tasks
        for secret, run in secrets.within("\n".join(shown[task.id].items)).items()
        if secret.kind == "task text" and secret.task != task.id and len(run) >= LONG
    ]
    if not pairs:
        return []
    first, other = pairs[0]
    return [
        f"the slots of {how_many(len({own for own, _ in pairs}), 'task')} hold words that another test task's"
        f" text alone has (that of {first!r}: those of {other!r}), as if it had learned from test tasks"
    ]


async def _see_store(store: OwnStore, again: Sequence[Asked], shown: Mapping[str, Slot]) -> list[str]:
    """What a store lists and gives out, held against each other and against what it gave before."""
    before = store.list()
    given = [await store.read(task, state, store.k) for task, state in again]
    after = store.list()
    slots = [
        (task.id, tuple(item.text for item in items if item.text.strip()))
        for (task, _), items in zip(again, given, strict=True)
    ]
    seen = _see_changed(slots, shown)
    first, then = _by_id(before), _by_id(after)
    if len(then) < len(after):
        seen.append("several of its items have one id")
    elif first != then:
        new, gone = len(then.keys() - first.keys()), len(first.keys() - then.keys())
        other = sum(then[id] != first[id] for id in then.keys() & first.keys())
        seen.append(
            f"reading changed what it lists: {how_many(new, 'new item')}, {gone} gone, {other} with another"
            " text"
        )
    listed = first | then
    if store.takes_damage:
        given = [_without_frame(items, listed) for items in given]
    for what, is_wrong in _WRONGS.items():
        if count := sum(is_wrong(items, listed) for items in given):
            seen.append(f"it gave {what}, for {count} of {how_many(len(given), 'task')}")
    return seen


def _without_frame(items: Given, listed: Mapping[str, str]) -> tuple[StoredItem, ...]:
    """Items as they are held, where what a store composed of them holds these texts."""
    held = [listed.get(item.id, item.text) for item in items]
    return tuple(
        replace(item, text=text) if text in item.text else item
        for item, text in zip(items, held, strict=True)
    )


def _by_id(items: Sequence[StoredItem]) -> dict[str, str]:
    return {item.id: item.text for item in items}


def _rises(scores: Sequence[float]) -> bool:
    return any(after > before for before, after in pairwise(scores))


_WRONGS: Mapping[str, Callable[[Given, Mapping[str, str]], bool]] = MappingProxyType(
    {
        "items that it does not list": lambda items, listed: any(item.id not in listed for item in items),
        "other texts than it lists": lambda items, listed: any(
            listed.get(item.id, item.text) != item.text for item in items
        ),
        "an item twice": lambda items, _: len(_by_id(items)) < len(items),
        "scores that are no finite numbers": lambda items, _: not all(isfinite(item.score) for item in items),
        "items that are not the best first": lambda items, _: _rises([item.score for item in items]),
    }
)
"""What a reading may be, by what it is called."""


def state_conduct(ledger: LedgerStore, backbone: str, arm: str, seen: Sequence[str]) -> None:
    """Keep what was seen, for the plan of a run that goes on later."""
    ledger.state(f"{FACT}{arm}, {backbone}", list(seen))


def conduct_stated(ledger: LedgerStore, backbone: str, arm: str) -> bool:
    """Whether an arm's system was looked at."""
    return ledger.fact_text(f"{FACT}{arm}, {backbone}") is not None


def conduct_notes(ledger: LedgerStore, backbones: Sequence[str], arms: Sequence[str]) -> tuple[str, ...]:
    """A note for each memory system that did otherwise than its laws say."""
    notes = dict[str, None]()
    for arm in arms:
        for backbone in backbones:
            text = ledger.fact_text(f"{FACT}{arm}, {backbone}")
            if seen := json.loads(text) if text is not None else []:
                sentence = f"The memory of {arm} breaks laws that `memtrial check` names: {'; '.join(seen)}."
                notes[sentence] = None
    return tuple(notes)
