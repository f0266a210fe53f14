"""Upstream's records into a bank and out, a bank into upstream's records and back: nothing is lost."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtrial.api.bank.exchange_records import export_records, import_any
from memtrial.api.bank.kept_bank import open_bank
from memtrial.evolution.grown_bank import write_grown
from memtrial.faults import SpecFault
from memtrial.memory.bank.events.bank_events import (
    EpisodeAdded,
    ItemAdded,
    LinkAdded,
    RecordAdded,
    SignalSeen,
    StandingSet,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.episode_queries import list_episodes, list_records
from memtrial.memory.bank.events.item_queries import every_item, list_links
from memtrial.memory.bank.events.kept_episode import make_episode
from memtrial.memory.bank.exports.upstream_lines import KEY
from memtrial.memory.interchange.upstream_bank import read_upstream_bank
from memtrial.memory.item import NativeItem
from memtrial.memory.stored_item import MemoryFault
from tests.support.event_bank import CAUSE, fill, make_item, make_trajectory

ITEM = "# Memory Item {n}\n## Title Sort\n## Description Lists.\n## Content Sort it first."
TWO = "\n\n".join(ITEM.format(n=n) for n in (1, 2))
ROWS: tuple[dict[str, Any], ...] = (
    {
        "task_id": "47",
        "query": "Wo ist „Tee“?",
        "think_list": ["I look.", "I am done."],
        "action_list": ["click('a1')", "stop"],
        "status": "fail",
        "memory_items": TWO.split("\n\n"),
        "template_id": 12,
        "reward": 0.25,
    },
    {"task_id": "django-1", "query": "Mend\nit.", "memory_items": ["Just prose."], "status": "success"},
    {"task_id": "blank", "query": "Nothing", "memory_items": [""], "status": "success", "author": "me"},
    {"task_id": "open", "query": "No status", "memory_items": TWO.split("\n\n")},
)


def write(folder: Path, rows: tuple[dict[str, Any], ...] = ROWS) -> Path:
    path = folder / "upstream.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def state_of(log: BankLog) -> list[object]:
    """What a bank holds now; versions, vectors and when links were made aside."""
    return [
        sorted((replace(item, version=1) for item in every_item(log)), key=lambda item: item.id),
        sorted(list_records(log), key=lambda record: record.record_id),
        sorted(list_episodes(log), key=lambda held: held.episode.id),
        sorted((link.source, link.target, link.relation, link.weight) for link in list_links(log)),
    ]


def test_upstreams_records_come_back_as_they_came(tmp_path: Path) -> None:
    path = write(tmp_path)
    taken = import_any(tmp_path / "bank", path, "org/team")
    assert taken.words == "4 records with 5 items"
    with open_bank(tmp_path / "bank") as log:
        items = every_item(log)
        assert [item.origin.task_id for item in items] == ["47", "47", "django-1", "open", "open"]
        assert {item.origin.project for item in items} == {"org/team"}
        assert [held.label for held in list_episodes(log)] == ["failure", "success", "success", None]
        log.check()
    assert export_records(tmp_path / "bank", tmp_path / "out.jsonl", "webarena") == 4
    assert (tmp_path / "out.jsonl").read_bytes() == path.read_bytes()


def test_a_record_that_was_used_carries_what_upstream_has_no_place_for(tmp_path: Path) -> None:
    import_any(tmp_path / "bank", write(tmp_path))
    with open_bank(tmp_path / "bank") as log:
        first = every_item(log)[0].id
        log.append([SignalSeen(first, "cited", "t", "success"), StandingSet(first, "archived")], CAUSE)
        before = state_of(log)
    export_records(tmp_path / "bank", tmp_path / "out.jsonl", "webarena")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [KEY in line for line in lines] == [True, False, False, False]
    # upstream shows what is active
    assert "\n\n".join(lines[0]["memory_items"]).count("# Memory Item") == 1
    assert lines[0]["think_list"] == ROWS[0]["think_list"]
    import_any(tmp_path / "again", tmp_path / "out.jsonl")
    with open_bank(tmp_path / "again") as log:
        again = [item for item in every_item(log) if item.origin.task_id == "47"]
        held = [item for item in before[0] if item.origin.task_id == "47"]  # type: ignore[attr-defined]
        assert [(item.id, item.uses, item.standing) for item in again] == [
            (item.id, item.uses, item.standing) for item in held
        ]


@pytest.mark.parametrize("form", ["webarena", "swe"])
def test_a_bank_of_ours_comes_back_whole_and_is_read_by_upstreams_reader(tmp_path: Path, form: Any) -> None:
    with open_bank(tmp_path / "bank", new=True) as log:
        fill(log, range(6))
        episode = make_episode(make_trajectory(1))
        record = RecordAdded(log.make_id(), "task-1", "query 1", (make_item(1).id,), episode.id, "its words")
        log.append([EpisodeAdded(episode), VerdictGiven(episode.id, "failure", "a/judge", 0.7, "why")], CAUSE)
        log.append([record, LinkAdded(make_item(1).id, make_item(2).id, "refines", 0.4)], CAUSE)
        log.append([ItemAdded(make_item(7, task_id="task-1"))], CAUSE)
        log.append([SignalSeen(make_item(4).id, "cited", "t", "success")], CAUSE)
        before = state_of(log)
    assert export_records(tmp_path / "bank", tmp_path / "out.jsonl", form) == 6
    read = read_upstream_bank(tmp_path / "out.jsonl")
    assert (read.report.n_records, read.report.duplicates, read.report.n_items) == (6, (), 7)
    import_any(tmp_path / "again", tmp_path / "out.jsonl")
    with open_bank(tmp_path / "again") as log:
        assert state_of(log) == before


def test_what_is_no_bank_makes_none_and_what_is_redacted_is_counted(tmp_path: Path) -> None:
    strange = write(tmp_path, ({**ROWS[0], KEY: [["ConsolidationEnded", {}]]},))
    for given in (strange, write(tmp_path, ({**ROWS[0], KEY: "x"},))):
        with pytest.raises(MemoryFault):
            import_any(tmp_path / "bank", given)
        with open_bank(tmp_path / "bank", new=True) as log:
            assert log.last()[0] == 0
    secret = {**ROWS[0], "query": "Write to ann@example.org."}
    assert import_any(tmp_path / "kept", write(tmp_path, (secret,))).words.endswith(
        "1 with something redacted,"
    )
    with pytest.raises(MemoryFault, match="name another"):
        import_any(tmp_path / "kept", write(tmp_path))


def test_a_bank_that_an_evolution_wrote_is_taken_into_a_folder(tmp_path: Path) -> None:
    path, folder = tmp_path / "bank.jsonl", tmp_path / "bank"
    made = [
        replace(item, origin=replace(item.origin, task_id="task-1", query="Sort it.", outcome=outcome))
        for item, outcome in zip(map(make_item, (1, 2)), ("success", "failure"), strict=True)
    ]
    secret = replace(make_item(3), item=NativeItem("Ask", "D", "Write to ann@example.org."))
    write_grown(path, "contrastive", [*made, secret])
    taken = import_any(folder, path, "org/team")
    assert taken.words == "2 records with 3 items, 1 with something redacted,"
    with open_bank(folder) as log:
        held, records = every_item(log), list_records(log)
    assert [item.item for item in held[:2]] == [item.item for item in made]
    assert [item.origin.outcome for item in held[:2]] == ["success", "failure"]
    assert held[0].confidence > held[1].confidence
    origin = held[0].origin
    assert (origin.task_id, origin.query, origin.project) == ("task-1", "Sort it.", "org/team")
    assert origin.trajectory_id == made[0].origin.trajectory_id
    assert [record.item_ids for record in records] == [tuple(item.id for item in held[:2]), (held[2].id,)]
    assert "ann@example.org" not in str(held)
    with pytest.raises(MemoryFault, match="a folder without a bank is needed"):
        import_any(folder, path)


def test_a_bank_of_ours_with_a_broken_line_makes_none(tmp_path: Path) -> None:
    path, folder = tmp_path / "bank.jsonl", tmp_path / "bank"
    write_grown(path, "both", [make_item(1)])
    line = json.loads(path.read_text(encoding="utf-8"))
    for broken in ({**line, "items": 3}, {**line, "items": [{"schema": "rhyme"}]}):
        path.write_text(json.dumps(broken) + "\n", encoding="utf-8")
        with pytest.raises(SpecFault, match=r"bank\.jsonl"):
            import_any(folder, path)
        assert not folder.exists()
