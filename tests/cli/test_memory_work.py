"""`memory`: sessions that teach a bank, tasks that are written anew, a part that is carried away."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.agents.traces import trace_to_json
from memtrial.agents.trajectory import Trajectory
from memtrial.api.bank.kept_bank import open_bank
from memtrial.api.bank.search_memory import cache_memory, search_memory
from memtrial.api.bank.taught_memory import (
    QueuedSessions,
    WriterChoice,
    find_dirty,
    queue_sessions,
    rewrite_memory,
    work_memory,
)
from memtrial.faults import SpecFault
from memtrial.memory.bank.confidence.verdict_audit import is_checked
from memtrial.memory.bank.events.bank_events import EpisodeAdded, VerdictGiven
from memtrial.memory.bank.events.kept_episode import make_episode
from memtrial.plugins.conformance.fixtures import trajectories
from tests.support.event_bank import CAUSE, make_trajectory
from tests.support.refusing import Warm

SCRIBE = ("--writer", "simulated/scribe")
CHOICE = WriterChoice("simulated/scribe")
Call = Callable[..., dict[str, object]]


def write(folder: Path, sessions: list[Trajectory], name: str = "sessions.jsonl") -> str:
    lines = (json.dumps(trace_to_json(session)) + "\n" for session in sessions)
    (folder / name).write_text("".join(lines), encoding="utf-8")
    return name


@pytest.fixture
def call(warm: Warm, tmp_path: Path) -> Call:
    def run(*words: str) -> dict[str, object]:
        done = warm.call("memory", *words, "--json", cwd=tmp_path)
        assert (done.code, done.err) == (0, ""), done
        read: dict[str, object] = json.loads(done.out)
        return read

    return run


def test_sessions_wait_are_distilled_and_written_anew_and_the_nearest_are_carried_away(
    warm: Warm, tmp_path: Path, call: Call
) -> None:
    bank, small = tmp_path / "bank", tmp_path / "small"
    runs = [run for run in trajectories() if run.outcome == "success"][:3]
    assert queue_sessions(bank, tmp_path / write(tmp_path, runs)) == QueuedSessions(3, 0)
    assert queue_sessions(bank, tmp_path / "sessions.jsonl") == QueuedSessions(0, 3)
    worked = call("work", "bank", *SCRIBE)
    assert (worked["sessions"], worked["calls"]) == (3, 3)
    assert (work_memory(bank, CHOICE), find_dirty(bank)) == ((), ())
    queue_sessions(bank, tmp_path / write(tmp_path, [replace(runs[0], trace_id="again")], "more.jsonl"))
    assert call("rewrite", "bank") == [{"task": runs[0].task_id, "runs": 2, "new": 1}]
    done = rewrite_memory(bank, CHOICE)
    assert [(cluster.task_id, made.distillation.calls) for cluster, made in done] == [(runs[0].task_id, 1)]
    assert (find_dirty(bank), rewrite_memory(bank, CHOICE)) == ((), ())
    cached = call("cache", "bank", "--near", runs[1].query, "--n", "1", "--out", "small")
    assert cached == {"items": 1, "out": "small"}
    best = search_memory(bank, runs[1].query).hits[0].id
    shutil.rmtree(bank)
    assert [hit.id for hit in search_memory(small, runs[1].query).hits] == [best]
    with pytest.raises(SpecFault, match="is there"):
        cache_memory(small, "x", small)


def test_a_judges_verdicts_stand_beside_the_worlds(warm: Warm, tmp_path: Path, call: Call) -> None:
    episode = make_episode(make_trajectory(1))
    assert not is_checked(episode.id, 0.0)
    with open_bank(tmp_path / "bank", new=True) as log:
        log.append([EpisodeAdded(episode), VerdictGiven(episode.id, "failure", "world", 1.0)], CAUSE)
        log.append([VerdictGiven(episode.id, "success", "a/judge", 0.7)], CAUSE)
    assert call("audit", "bank", "--verdicts") == {
        "judged": 1, "checked": 1, "both_success": 0, "false_success": 1, "false_failure": 0,
        "both_failure": 0,
    }  # fmt: skip
    said = warm.call("memory", "audit", "bank", "--verdicts", cwd=tmp_path).out
    assert said.startswith("The world's own word was held against 1 of 1 verdicts: 0 agree")


def test_records_of_upstreams_go_in_and_out(warm: Warm, tmp_path: Path, call: Call) -> None:
    row = {"task_id": "1", "query": "Sort", "memory_items": ["Sort first."], "status": "success"}
    (tmp_path / "up.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert call("import", "bank", "up.jsonl") == {"records": 1, "items": 1, "redacted": 0}
    out = warm.call("memory", "export", "bank", "out.jsonl", "--form", "swe", cwd=tmp_path)
    assert (out.code, out.out) == (0, "1 records are in out.jsonl\n")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "up.jsonl").read_bytes()


def test_a_configuration_changes_a_consolidation(tmp_path: Path, call: Call) -> None:
    runs = [run for run in trajectories() if run.outcome == "success"][:2]
    queue_sessions(tmp_path / "bank", tmp_path / write(tmp_path, runs))
    work_memory(tmp_path / "bank", CHOICE)
    (tmp_path / "all.yaml").write_text("reasoningbank: {retrieve: {duplicate_threshold: 0.0}}")
    (tmp_path / "none.yaml").write_text("reasoningbank: {retrieve: {duplicate_threshold: 1.0}}")
    plans = [call("consolidate", "bank", "--config", name) for name in ("all.yaml", "none.yaml")]
    assert [len(plan["links"]) > 0 for plan in plans] == [True, False]  # type: ignore[arg-type]
