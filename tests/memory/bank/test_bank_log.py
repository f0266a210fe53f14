"""The log of a bank: what is added, kept, brought back and refused."""

import asyncio
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from memtrial.memory.bank.bank_item import ItemDetails, ItemUses
from memtrial.memory.bank.events.audit_trail import audit_bank, describe_event
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    Cause,
    ConfidenceSet,
    ConsolidationEnded,
    EpisodeAdded,
    ItemAdded,
    ItemRevised,
    ItemRolledBack,
    LinkAdded,
    LinkRemoved,
    MeasureTaken,
    PinSet,
    RecordAdded,
    ScalingRunEnded,
    SignalSeen,
    StandingSet,
    VectorAdded,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.episode_queries import (
    JudgedEpisode,
    list_episodes,
    list_records,
    list_signals,
)
from memtrial.memory.bank.events.item_body import event_body, kind_of, read_event
from memtrial.memory.bank.events.item_queries import (
    digest_now,
    get_item,
    list_links,
    list_versions,
    read_vectors,
)
from memtrial.memory.bank.events.kept_episode import make_episode, read_trajectory
from memtrial.memory.bank.index.embedded_texts import KeyText, embed_texts
from memtrial.memory.item import NativeItem, ProseItem, TheoryItem
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.client.types import ModelFault
from memtrial.models.embeddings.embedding import Array, HashingEmbedder
from tests.support.event_bank import (
    BEGAN,
    CAUSE,
    DIMENSIONS,
    PROJECTS,
    SECRET,
    hide_secret,
    make_item,
    make_trajectory,
    make_vector,
    open_log,
    tables_of,
)

A, B = make_item(1), make_item(2)
OTHER = NativeItem("another title", "another", "do something else")
EPISODE = make_episode(make_trajectory())
STORY: tuple[BankEvent, ...] = (
    ItemAdded(A),
    ItemAdded(B),
    VectorAdded(A.id, "item", make_vector(1)),
    VectorAdded(A.id, "query", make_vector(2)),
    EpisodeAdded(EPISODE),
    VerdictGiven(EPISODE.id, "success", "a judge", 0.8, "it went well"),
    RecordAdded("0" * 26, "task-1", "query 1", (A.id, B.id), EPISODE.id, "reply"),
    ItemRevised(A.id, OTHER, ItemDetails("rather that", ("if",), ("but",), "so")),
    StandingSet(B.id, "quarantined"),
    ConfidenceSet(A.id, 0.25),
    PinSet(B.id, True),
    LinkAdded(A.id, B.id, "contradicts", 0.9),
    LinkAdded(B.id, A.id, "refines"),
    LinkRemoved(B.id, A.id, "refines"),
    SignalSeen(A.id, "retrieved", "t"),
    SignalSeen(A.id, "shown", "t"),
    SignalSeen(A.id, "cited", "t", "success"),
    SignalSeen(A.id, "cited", "u", "failure"),
    SignalSeen(A.id, "explicit", "", "success"),
    ScalingRunEnded("run-1", "task-1", "parallel", 3, summary='{"n":1}'),
    ConsolidationEnded("1" * 26, 2, contradictions=1),
    MeasureTaken("retrieve_ms", 1.5, (A.id,)),
    ItemRolledBack(A.id, 1),
)


def _told(folder: Path) -> BankLog:
    log = open_log(folder)
    log.fix_space("test/8", DIMENSIONS, CAUSE)
    log.append(STORY, CAUSE)
    return log


def test_every_event_is_read_again_as_it_was_and_described() -> None:
    assert {type(event) for event in STORY} == set(get_args(BankEvent)) - {_space()}
    for event in STORY:
        body = event_body(event)
        assert read_event(kind_of(event), body, getattr(event, "vector", None)) == event
        assert describe_event(event)


def _space() -> type:
    return next(kind for kind in get_args(BankEvent) if kind.__name__ == "SpaceFixed")


def test_a_story_is_told_by_the_tables(tmp_path: Path) -> None:
    log = _told(tmp_path)
    item = get_item(log, A.id)
    assert (item.version, item.item, item.details) == (3, A.item, ItemDetails())
    assert (item.confidence, get_item(log, B.id).pinned) == (0.25, True)
    moment = next(line.moment for line in audit_bank(log, A.id) if "(failure)" in line.what)
    assert item.uses == ItemUses(1, 1, 2, 1, 1, moment)
    assert [(link.source, link.relation) for link in list_links(log, B.id)] == [(A.id, "contradicts")]
    assert read_trajectory(EPISODE) == make_trajectory()
    judged = JudgedEpisode(EPISODE, "success", 0.8, "a judge", "it went well")
    assert list_episodes(log) == list_episodes(log, "task-1") == (judged,)
    assert list_episodes(log, "task-9") == ()
    assert list_records(log) == (next(event for event in STORY if isinstance(event, RecordAdded)),)
    signals = list_signals(log, A.id)
    assert [signal.signal for signal in signals] == ["retrieved", "shown", "cited", "cited", "explicit"]
    assert list_signals(log, after=signals[2].sequence) == signals[3:]
    assert list_signals(log, B.id) == ()


def test_rollback_brings_back_words_and_standing_and_the_audit_lists_both(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([ItemAdded(A)], CAUSE)
    before = digest_now(log, A.id)
    log.append([ItemRevised(A.id, OTHER, ItemDetails()), StandingSet(A.id, "archived")], CAUSE)
    assert digest_now(log, A.id) != before
    back = log.rollback(A.id, 1, Cause("somebody", "it was better before"))
    assert (back.version, back.item, back.standing) == (4, A.item, "active")
    assert digest_now(log, A.id) == before
    versions = list_versions(log, A.id)
    assert [version.item.version for version in versions] == [1, 2, 3, 4]
    assert versions[0].digest == versions[3].digest == before != versions[1].digest
    assert [(version.item.item, version.item.standing) for version in versions[1:3]] == [
        (OTHER, "active"),
        (OTHER, "archived"),
    ]
    lines = list(audit_bank(log, A.id))
    assert [line.sequence for line in lines] == [1, 2, 3, 4]
    assert (lines[3].who, lines[3].why) == ("somebody", "it was better before")
    assert "version 1" in lines[3].what
    assert lines[3].moment > lines[2].moment


def test_vectors_follow_the_words(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.fix_space("test/8", DIMENSIONS, CAUSE)
    first, second, query = make_vector(1), make_vector(2), make_vector(3)
    log.append([ItemAdded(A), VectorAdded(A.id, "item", first), VectorAdded(A.id, "query", query)], CAUSE)
    log.append([ItemRevised(A.id, OTHER, ItemDetails())], CAUSE)
    assert read_vectors(log, "item") == {}
    assert read_vectors(log, "query")[A.id].tobytes() == query
    log.append([VectorAdded(A.id, "item", second), StandingSet(A.id, "archived")], CAUSE)
    assert read_vectors(log, "item")[A.id].tobytes() == second
    log.rollback(A.id, 1, CAUSE)
    assert read_vectors(log, "item")[A.id].tobytes() == first
    log.rollback(A.id, 3, CAUSE)
    assert read_vectors(log, "item")[A.id].tobytes() == second
    # a vector in another's place; the history has both
    log.append([VectorAdded(A.id, "item", first), VectorAdded(A.id, "query", second)], CAUSE)
    assert read_vectors(log, "item")[A.id].tobytes() == first
    for _ in range(2):
        assert [event.sequence for event in log.history(A.id)] == list(range(2, log.length + 1))
        log.rebuild()


def test_a_rebuild_gives_the_same_tables(tmp_path: Path) -> None:
    log = _told(tmp_path)
    before, last = tables_of(log), log.last()
    assert all(before.values())
    log.rebuild()
    assert (tables_of(log), log.last()) == (before, last)
    log.connection.execute("UPDATE items SET confidence = 1, words = '{}'")
    log.rebuild()
    assert tables_of(log) == before


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE log SET why = 'another' WHERE sequence = 3",
        "DELETE FROM log WHERE sequence = 3",
        "UPDATE log SET moment = moment + 1 WHERE sequence = 3",
        "UPDATE log SET body = replace(body, 'title 2', 'title 3') WHERE sequence = 3",
        "UPDATE log SET vector = zeroblob(32) WHERE sequence = 4",
    ],
)
def test_the_log_only_grows(tmp_path: Path, change: str) -> None:
    log = _told(tmp_path)
    with pytest.raises(sqlite3.IntegrityError, match="only grows"):
        log.connection.execute(change)
    assert log.check() == log.last()[1]
    for name in ("log_stays", "log_keeps"):
        log.connection.execute(f"DROP TRIGGER {name}")
    log.connection.execute(change)
    with pytest.raises(MemoryFault, match=r"event [34] is not the one that was written"):
        list(audit_bank(log))


def test_the_same_trajectory_twice_adds_nothing(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    assert len(log.append([EpisodeAdded(EPISODE), ItemAdded(A)], CAUSE)) == 2
    before = tables_of(log), log.last()
    judged = make_episode(replace(make_trajectory(), outcome="failure", reason="another judge", score=0.1))
    assert judged.id == EPISODE.id
    assert log.append([EpisodeAdded(judged), ItemAdded(B)], CAUSE) == ()
    assert (tables_of(log), log.last()) == before
    assert len(log.append([EpisodeAdded(make_episode(make_trajectory(2)))], CAUSE)) == 1


NOWHERE = "rm_nowhere"
UNSOUND: tuple[tuple[BankEvent, str], ...] = (
    (ItemRevised(NOWHERE, OTHER, ItemDetails()), "nothing was changed"),
    (StandingSet(NOWHERE, "archived"), "nothing was changed"),
    (ItemRolledBack(NOWHERE, 1), "nothing was changed"),
    (ItemRolledBack(A.id, 9), "from 1 to 1"),
    (ConfidenceSet(NOWHERE, 0.5), "nothing was changed"),
    (PinSet(NOWHERE, True), "nothing was changed"),
    (SignalSeen(NOWHERE, "cited"), "nothing was changed"),
    (VectorAdded(NOWHERE, "item", make_vector(1)), "nothing was changed"),
    (LinkAdded(A.id, NOWHERE, "refines"), "nothing was changed"),
    (LinkAdded(A.id, A.id, "refines"), "between two items"),
    (LinkRemoved(A.id, B.id, "refines"), "that is there"),
    (VerdictGiven("nothing", "success", "judge"), "id of an episode"),
    (RecordAdded("r", "t", "q", (NOWHERE,)), "nothing was changed"),
    (ItemAdded(A), "added once"),
    (ItemAdded(replace(make_item(9), version=2)), "version 1"),
    (ItemAdded(replace(make_item(9), id="two\nlines")), "one line"),
    (ItemAdded(replace(make_item(9), confidence=1.5)), "from 0 to 1"),
    (ItemAdded(make_item(9, project="a//b")), "a path"),
    (ConfidenceSet(A.id, float("nan")), "finite"),
    (VectorAdded(A.id, "item", make_vector(1)[:-4]), "8 numbers are needed.*7 numbers"),
    (VectorAdded(A.id, "item", np.full(8, np.nan, dtype="<f4").tobytes()), "NaN"),
    (MeasureTaken("x", float("inf")), "finite"),
    (ScalingRunEnded("r", "t", "parallel", 0), "at least one"),
    (ScalingRunEnded("r", "t", "parallel", 1 << 70), "SQLite holds"),
    (ItemAdded(replace(make_item(9), uses=ItemUses(1 << 70))), "SQLite holds"),
)


@pytest.mark.parametrize(("event", "line"), UNSOUND, ids=lambda value: type(value).__name__)
def test_what_is_not_sound_changes_nothing_and_is_said_in_a_line(
    tmp_path: Path, event: BankEvent, line: str
) -> None:
    log = open_log(tmp_path)
    log.fix_space("test/8", DIMENSIONS, CAUSE)
    log.append([ItemAdded(A), ItemAdded(B)], CAUSE)
    before = tables_of(log), log.last()
    with pytest.raises(MemoryFault, match=line) as fault:
        log.append([ItemAdded(make_item(5)), event, ItemAdded(make_item(6))], CAUSE)
    assert "\n" not in str(fault.value)
    assert (tables_of(log), log.last()) == before
    log.rebuild()
    assert tables_of(log) == before[0]


def test_another_embedder_is_refused_and_one_that_fails_leaves_nothing(tmp_path: Path) -> None:
    class Failing:
        space = "failing"

        async def embed(self, texts: Sequence[str]) -> Array:
            raise ModelFault("no answer")

    log = open_log(tmp_path)
    log.append([ItemAdded(A)], CAUSE)
    texts = [KeyText(A.id, "item", f"some words {SECRET}")]
    with pytest.raises(ModelFault):
        asyncio.run(embed_texts(log, Failing(), texts, CAUSE))
    assert log.last()[0] == 1
    events = asyncio.run(embed_texts(log, HashingEmbedder(16), texts, CAUSE))
    log.append(events, CAUSE)
    clean = HashingEmbedder(16).vectors(["some words [SECRET]"])[0]
    assert np.array_equal(read_vectors(log, "item")[A.id], clean)
    with pytest.raises(MemoryFault, match=r"/16' with 16 numbers; got .*/32' with 32"):
        asyncio.run(embed_texts(log, HashingEmbedder(32), texts, CAUSE))
    assert asyncio.run(embed_texts(log, HashingEmbedder(32), [], CAUSE)) == ()


def test_no_secret_reaches_the_disk(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    origin = replace(A.origin, query=f"log in with {SECRET}", tags=(SECRET,), task_id=f"t {SECRET}")
    words = TheoryItem(SECRET, SECRET, f"because {SECRET}", SECRET, SECRET)
    details = ItemDetails(SECRET, (SECRET,), (SECRET, "x"), SECRET)
    trajectory = make_trajectory(3, f'{{"password": "{SECRET}"}}')
    log.append(
        [
            ItemAdded(replace(A, item=words, origin=origin, details=details)),
            ItemRevised(A.id, ProseItem(f"use {SECRET}"), details),
            EpisodeAdded(make_episode(trajectory)),
            ScalingRunEnded("r", SECRET, "parallel", 2, SECRET, f'{{"key {SECRET}":["{SECRET}"]}}'),
            SignalSeen(A.id, "cited", SECRET),
        ],
        Cause(SECRET, f"why {SECRET}"),
    )
    log.execute("INSERT INTO matts_runs(run_id, task_id, mode, k, summary) VALUES (?,?,?,?,?)",
                ("r2", SECRET, "parallel", 2, SECRET))  # fmt: skip
    for file in tmp_path.iterdir():
        assert SECRET.encode() not in file.read_bytes(), file
    assert (tmp_path / "memory.db-wal").stat().st_size > 0
    assert get_item(log, A.id).item == ProseItem("use [SECRET]")
    assert "[SECRET]" in read_trajectory(_episode(log)).steps[0].action


def _episode(log: BankLog):
    return next(event.event.episode for event in log.history() if isinstance(event.event, EpisodeAdded))


def test_ids_of_ours_are_no_secrets(tmp_path: Path) -> None:
    log = BankLog(tmp_path / "memory.db", lambda text: "[GONE]")
    item = replace(A, id=log.make_item_id(), origin=replace(A.origin, trajectory_id=EPISODE.id, project=""))
    log.append([ItemAdded(item), SignalSeen(item.id, "cited")], CAUSE)
    kept = get_item(log, item.id)
    assert (kept.id, kept.origin.trajectory_id, kept.uses.cited) == (item.id, EPISODE.id, 1)
    assert kept.item == NativeItem("[GONE]", "[GONE]", "[GONE]")


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(MemoryFault, match="of something else"):
        BankLog(path, hide_secret)
    assert path.read_bytes() == before
    BankLog(tmp_path / "old.db", hide_secret).close()
    with sqlite3.connect(tmp_path / "old.db") as other:
        other.execute("PRAGMA user_version = 1")
    other.close()
    with pytest.raises(MemoryFault, match=r"version 3 is needed; this one is of version 1: export it"):
        BankLog(tmp_path / "old.db", hide_secret)
    path.write_bytes(b"no database" * 999)
    with pytest.raises(MemoryFault, match="cannot be used"):
        BankLog(path, hide_secret)
    (tmp_path / "link.db").symlink_to(path)
    with pytest.raises(MemoryFault, match="link"):
        BankLog(tmp_path / "link.db", hide_secret)
    with pytest.raises(MemoryFault, match="cannot be used"):
        BankLog(tmp_path / "no" / "memory.db", hide_secret)


def test_a_bank_that_may_not_be_written_is_named_as_that(tmp_path: Path) -> None:
    log = _told(tmp_path)
    log.connection.execute("PRAGMA query_only = ON")  # as a file of somebody else
    with pytest.raises(MemoryFault, match=r"may be written is needed, also to read it; .*copy the folder"):
        log.execute("DELETE FROM patterns")
    log.close()


def test_opened_again_it_is_the_same_bank(tmp_path: Path) -> None:
    log = _told(tmp_path)
    before = tables_of(log), log.last(), log.id
    log.close()
    again = open_log(tmp_path)
    assert (tables_of(again), again.last(), again.id) == before
    assert (tmp_path / "memory.db").stat().st_mode & 0o777 == 0o600
    assert again.read("PRAGMA journal_mode") == [("wal",)]
    assert again.read("PRAGMA synchronous") == [(2,)]


def test_half_a_character_is_written_as_a_question_mark(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([ItemAdded(replace(A, item=ProseItem("half \ud83d of it")))], CAUSE)
    assert get_item(log, A.id).item == ProseItem("half ? of it")
    with pytest.raises(MemoryFault, match="SQLite holds"):
        get_item(log, "half \ud83d")


def test_time_is_the_logs_own(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    first, second = log.append([ItemAdded(A), ItemAdded(B)], CAUSE)
    assert BEGAN <= first.moment < second.moment
    assert first.id < second.id
    assert PROJECTS[1] == A.origin.project
