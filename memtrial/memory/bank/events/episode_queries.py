"""What a bank holds besides items: records, episodes with their last verdicts, and the signals of use."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtrial.agents.trajectory import Verdict
from memtrial.memory.bank.bank_item import Outcome
from memtrial.memory.bank.events.bank_events import RecordAdded, Signal
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.kept_episode import KeptEpisode
from memtrial.memory.stored_item import MemoryFault

_JUDGED = (
    "id, task_id, query, body, project, agent_id, began, ended, scaling_run,"
    " label, confidence, coalesce(judge, ''), coalesce(reason, '')"
)


@dataclass(frozen=True, slots=True)
class JudgedEpisode:
    """An episode and its last verdict; None where it has none. The fields are those of `VerdictGiven`."""

    episode: KeptEpisode
    label: Verdict | None
    confidence: float | None
    judge: str
    reason: str


class LabelledQuery(NamedTuple):
    """An episode without its body: its task's text, and its last verdict."""

    episode_id: str
    query: str
    label: Verdict


@dataclass(frozen=True, slots=True)
class SeenSignal:
    """A use of an item, at a moment in seconds since 1970. The fields are those of `SignalSeen`."""

    sequence: int
    item_id: str
    signal: Signal
    task_id: str
    outcome: Outcome | None
    moment: float


def list_waiting(log: BankLog, project: str) -> tuple[JudgedEpisode, ...]:
    """The episodes of a project that were judged and have taught nothing yet, in their order.

    Those of several tries at a task are taught together, and have one record.
    """
    taught = {record.episode_id for record in list_records(log)}
    episodes = list_episodes(log)
    runs = {held.episode.scaling_run for held in episodes if held.episode.id in taught} - {""}
    return tuple(
        held
        for held in episodes
        if held.label
        and held.episode.project == project
        and held.episode.id not in taught
        and held.episode.scaling_run not in runs
    )


def list_records(log: BankLog) -> tuple[RecordAdded, ...]:
    """The records, in the order in which they were added; their items as they are now have these ids."""
    rows = log.read("SELECT id, task_id, query, item_ids, episode_id, reply FROM records ORDER BY sequence")
    return tuple(
        RecordAdded(id_, task_id, query, tuple(json.loads(item_ids)), episode_id, reply)
        for id_, task_id, query, item_ids, episode_id, reply in rows
    )


def list_episodes(log: BankLog, task_id: str | None = None) -> tuple[JudgedEpisode, ...]:
    """The episodes of a task, or all, in the order in which they were added."""
    where, values = ("", ()) if task_id is None else (" WHERE task_id = ?", (task_id,))
    rows = log.read(
        f"SELECT {_JUDGED} FROM episodes{where} ORDER BY sequence",
        values,
    )
    return tuple(JudgedEpisode(KeptEpisode(*row[:9]), *row[9:]) for row in rows)


def list_taught(log: BankLog, episode_ids: Sequence[str]) -> tuple[str, ...] | None:
    """The items that some episodes taught, and with them the other tries at the same task, in their order;
    None where the bank has none of these episodes."""
    given = json.dumps(list(episode_ids))
    chosen = "id IN (SELECT value FROM json_each(?1))"
    held = log.read(f"SELECT 1 FROM episodes WHERE {chosen}", (given,))
    if not held:
        return None
    tries = f"SELECT scaling_run FROM episodes WHERE scaling_run != '' AND {chosen}"
    rows = log.read(
        "SELECT item_ids FROM records WHERE episode_id IN"
        f" (SELECT id FROM episodes WHERE {chosen} OR scaling_run IN ({tries})) ORDER BY sequence",
        (given,),
    )
    return tuple(name for (item_ids,) in rows for name in json.loads(item_ids))


def list_labelled(log: BankLog, project: str, before: str = "") -> tuple[LabelledQuery, ...]:
    """The episodes of a project that have a verdict, in the order in which they were added.

    Args:
        before: the id of an episode: those that were added before it alone.
    """
    where, values = "project = ? AND label != ''", [project]
    if before:
        where += " AND sequence < (SELECT sequence FROM episodes WHERE id = ?)"
        values.append(before)
    rows = log.read(f"SELECT id, query, label FROM episodes WHERE {where} ORDER BY sequence", values)
    return tuple(LabelledQuery(*row) for row in rows)


def get_episode(log: BankLog, episode_id: str) -> JudgedEpisode:
    """One episode with its last verdict; MemoryFault where there is none of this id."""
    rows = log.read(f"SELECT {_JUDGED} FROM episodes WHERE id = ?", (episode_id,))
    if not rows:
        raise MemoryFault(f"the id of an episode in the bank is needed; got {episode_id[:80]!r}")
    return JudgedEpisode(KeptEpisode(*rows[0][:9]), *rows[0][9:])


def list_signals(log: BankLog, item_id: str | None = None, after: int = 0) -> tuple[SeenSignal, ...]:
    """The uses of an item, or of all, behind an event of the log, in order."""
    where, values = ("", (after,)) if item_id is None else (" AND item_id = ?", (after, item_id))
    rows = log.read(
        "SELECT sequence, item_id, signal, task_id, outcome, moment FROM signals"
        f" WHERE sequence > ?{where} ORDER BY sequence",
        values,
    )
    return tuple(SeenSignal(*row) for row in rows)
