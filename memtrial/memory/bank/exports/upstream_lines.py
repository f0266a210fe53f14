"""A bank's records as lines of ReasoningBank's code, and such lines as a bank: nothing is lost either way.

Upstream reads `task_id` and `memory_items` and passes over any other key. What it has no place for stands
under a key of ours, as events of a bank; all but the numbers of versions is then as it was. A record that
came from upstream, and of which nothing was used or changed since, is written as it came. What the redactor
takes out on the way in is lost, and counted.

Source: seeds/004 (its record), UPSTREAM 3.1; REQUIREMENTS R-06.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from memtrial.agents.trajectory import Trajectory, Verdict
from memtrial.memory.bank.bank_item import BankItem, ItemOrigin, ItemUses
from memtrial.memory.bank.confidence.initial_confidence import initialise_confidence
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    Cause,
    EpisodeAdded,
    ItemAdded,
    LinkAdded,
    RecordAdded,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.episode_queries import JudgedEpisode, list_episodes, list_records
from memtrial.memory.bank.events.item_body import event_body, kind_of, read_event
from memtrial.memory.bank.events.item_queries import every_item, list_links
from memtrial.memory.bank.events.kept_episode import (
    EpisodeSource,
    digest_of_body,
    make_episode,
    read_trajectory,
)
from memtrial.memory.interchange.upstream_bank import UpstreamEntry
from memtrial.memory.interchange.upstream_record import BETWEEN, BankFormat, UpstreamRecord
from memtrial.memory.item import ProseItem
from memtrial.memory.markdown import parse_all, render
from memtrial.memory.stored_item import MemoryFault

KEY, RAW = "memtrial", "record"
"""Where a line holds events of ours, and where an episode of ours holds upstream's line."""
_ORDER = (ItemAdded, EpisodeAdded, VerdictGiven, RecordAdded, LinkAdded)
JUDGE = "upstream"


@dataclass
class _TaskPart:
    """What a bank holds of one task: a line."""

    records: list[RecordAdded] = field(default_factory=list)
    items: list[BankItem] = field(default_factory=list)
    episodes: list[JudgedEpisode] = field(default_factory=list)


def upstream_lines(log: BankLog, form: BankFormat) -> Iterator[str]:
    """A line a task, in the order in which the bank met them; upstream never reaches a second one of a task.

    Raises:
        MemoryFault: the bank cannot be read.
    """
    tasks: dict[str, _TaskPart] = defaultdict(_TaskPart)
    for held in list_episodes(log):
        tasks[held.episode.task_id].episodes.append(held)
    for record in list_records(log):
        tasks[record.task_id].records.append(record)
    for item in every_item(log):
        tasks[item.origin.task_id].items.append(item)
    links = [LinkAdded(link.source, link.target, link.relation, link.weight) for link in list_links(log)]
    for task_id, part in tasks.items():
        raw = _untouched(part, links)
        yield json.dumps(raw) + "\n" if raw is not None else _line(task_id, part, links, form)


def _untouched(part: _TaskPart, links: Sequence[LinkAdded]) -> Mapping[str, JsonValue] | None:
    """Upstream's own line, where it says all that the bank knows of its task."""
    if len(part.episodes) != 1 or len(part.records) != 1:
        return None
    raw: JsonValue = json.loads(part.episodes[0].episode.body).get(RAW)
    linked = {end for link in links for end in (link.source, link.target)}
    as_it_came = all(
        item.version == 1
        and item.standing == "active"
        and item.uses == ItemUses()
        and not item.pinned
        and item.id not in linked
        and item.confidence == initialise_confidence(item.origin.outcome)
        for item in part.items
    )
    return raw if isinstance(raw, dict) and as_it_came and part.episodes[0].judge in ("", JUDGE) else None


def _line(task_id: str, part: _TaskPart, links: Sequence[LinkAdded], form: BankFormat) -> str:
    shown = [item for item in part.items if item.standing == "active"]
    last = part.episodes[-1] if part.episodes else None
    query = next((record.query for record in part.records), shown[0].origin.query if shown else "")
    label: Verdict = (last.label if last else None) or (
        part.items[0].origin.outcome if part.items else "success"
    )
    run = None if last is None else _run_of(last)
    steps = () if run is None else run.steps
    reply = BETWEEN.join(render(item.item, number) for number, item in enumerate(shown, 1))
    record = UpstreamRecord(
        task_id,
        query,
        reply,
        label,
        [step.thought for step in steps],
        [step.action for step in steps],
    )
    ids = {item.id for item in part.items}
    events: list[BankEvent] = [ItemAdded(replace(item, version=1)) for item in part.items]
    for held in part.episodes:
        events.append(EpisodeAdded(held.episode))
        if held.label:
            judged = VerdictGiven(held.episode.id, held.label, held.judge, held.confidence, held.reason)
            events.append(judged)
    events += [*part.records, *(link for link in links if link.source in ids)]
    ours = [[kind_of(event), json.loads(event_body(event))] for event in events]
    return json.dumps({**json.loads(record.line(form)), KEY: ours}) + "\n"


def _run_of(held: JudgedEpisode) -> Trajectory | None:
    """None where somebody's SQL put another JSON there."""
    try:
        return read_trajectory(held.episode)
    except MemoryFault:
        return None


@dataclass(frozen=True, slots=True)
class TakenRecords:
    """What became of upstream's records.

    Args:
        redacted: records of which the redactor took something out.
    """

    records: int
    items: int
    redacted: int


def take_entries(log: BankLog, entries: Sequence[UpstreamEntry], project: str) -> TakenRecords:
    """Put upstream's records into an empty bank, all of them or none; vectors are made when it is searched.

    Raises:
        MemoryFault: the bank is not empty, a line's part of ours is no bank's, or it cannot be written.
    """
    if log.last()[0]:
        raise MemoryFault("records of ReasoningBank's go into a new bank; this one has something in it")
    events = [event for entry in entries for event in _events_of(log, entry, project)]
    ordered = [event for kind in _ORDER for event in events if isinstance(event, kind)]
    log.append(ordered, Cause("import", "records of ReasoningBank's code"))
    texts = (json.dumps(dict(entry.record), ensure_ascii=False) for entry in entries)
    return TakenRecords(
        len(entries),
        sum(isinstance(event, ItemAdded) for event in ordered),
        sum(log.redact(text) != text for text in texts),
    )


def _events_of(log: BankLog, entry: UpstreamEntry, project: str) -> Iterator[BankEvent]:
    if KEY in entry.record:
        yield from _own_events(entry)
        return
    outcome = entry.outcome or "success"
    run = entry.trajectory or Trajectory(entry.task_id, entry.task_id, entry.query, outcome, ())
    made = make_episode(run, EpisodeSource(project))
    body = json.dumps({**json.loads(made.body), RAW: dict(entry.record)}, ensure_ascii=False)
    episode = replace(made, id=digest_of_body(body), body=body)
    yield EpisodeAdded(episode)
    if entry.outcome is not None:
        yield VerdictGiven(episode.id, entry.outcome, JUDGE)
    words = parse_all(entry.reply) or ((ProseItem(entry.reply),) if entry.reply.strip() else ())
    origin = ItemOrigin(entry.task_id, entry.query, outcome, run.trace_id, project)
    trusted, clock = initialise_confidence(outcome), log.clock()
    items = [BankItem(log.make_item_id(), 1, item, origin, clock, trusted) for item in words]
    yield from map(ItemAdded, items)
    ids = tuple(item.id for item in items)
    yield RecordAdded(log.make_id(), entry.task_id, entry.query, ids, episode.id, entry.reply)


def _own_events(entry: UpstreamEntry) -> Iterator[BankEvent]:
    given = entry.record[KEY]
    for row in given if isinstance(given, list) else [None]:
        if not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], str)):
            raise MemoryFault(f"task {entry.task_id[:60]!r}: {KEY!r} holds pairs of an event's kind and body")
        event = read_event(row[0], json.dumps(row[1]), None)
        if not isinstance(event, _ORDER):
            raise MemoryFault(f"task {entry.task_id[:60]!r}: a record holds no event {row[0][:40]!r}")
        yield event
