"""A run whose memory knows a test task is refused before its first trial, by name; or counted."""

import json
from pathlib import Path

import pytest

from memtrial.faults import SpecFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

OWN = Path(__file__).resolve().parents[1] / "own"
SPEC = f"""
name: leak
seed: 3
environment: {{world: workshop, train: 6, test: 2}}
backbone: simulated/ignorer
roles: {{condenser: simulated/scribe, gate: simulated/examiner}}
traces: {{source: play, player: simulated/ignorer}}
condensers: {{mine: {{kind: "{OWN / "leaky.py"}:KIND"}}}}
arms: [none, {{name: mine, condenser: mine}}]
conditions: [without]
repeats: 1
"""


def carry_out(place: Path, kind: str, *settings: str) -> dict[str, dict[str, object]]:
    spec = load_spec(write_spec(place, SPEC.replace("KIND", kind)), settings)
    play_spec(spec, place / "out")
    found = json.loads((place / "out" / "results.json").read_text())
    return {row["kind"]: row for row in found["leaks"]} | {"notes": found["notes"]}


@pytest.mark.parametrize(
    ("kind", "said"), [("text", "task text 1"), ("answer", "answer 1"), ("truth", "ground truth 1")]
)
def test_a_seeded_item_is_refused_by_name(tmp_path: Path, kind: str, said: str) -> None:
    with pytest.raises(
        SpecFault, match=rf"leakage: .*{said}.*'workshop-test-0'.*'workshop-train-5'"
    ) as caught:
        carry_out(tmp_path, kind)
    assert "\n" not in str(caught.value)
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    assert not list(ledger.trials())
    assert "leakage" in ledger.sessions()[0].why
    ledger.close()


def test_counted_it_is_played_and_comes_first_in_the_report(tmp_path: Path) -> None:
    found = carry_out(tmp_path, "answer", "leakage=count")
    assert found["answer"]["count"] == 1
    assert found["answer"]["source"] == "workshop-train-5"
    assert str(found["notes"][0]).startswith("MEMORY KNEW TEST TASKS")


def test_an_honest_memory_passes_and_the_guard_proves_it(tmp_path: Path) -> None:
    found = carry_out(tmp_path, "nothing")
    notes = found.pop("notes")
    assert {kind: row["count"] for kind, row in found.items() if kind != "template-mate"} == dict.fromkeys(
        ("self-retrieval", "task text", "answer", "ground truth", "memory echo"), 0
    )
    assert not any("TEST TASKS" in str(note) for note in notes)


@pytest.mark.parametrize(
    ("trace_id", "thought", "said"),
    [
        ("elsewhere", "I try it.", "self-retrieval"),
        ("workshop-train-1", "It says:\\n# Memory Item 1\\nPress the button.", "memory echo"),
    ],
)
def test_imported_traces_of_a_test_task_or_played_with_memory(
    tmp_path: Path, trace_id: str, thought: str, said: str
) -> None:
    from memtrial.worlds.workshop.world import Workshop

    world = Workshop(seed=3, n_train=6, n_test=2)
    query = world.tasks("test")[0].query if said == "self-retrieval" else "Get the belt going."
    line = {"trace_id": trace_id, "task_id": trace_id, "query": query, "outcome": "success"}
    steps = [{"thought": thought.replace("\\n", "\n"), "action": "wait", "observation": "Nothing."}]
    path = tmp_path / "traces.jsonl"
    path.write_text(json.dumps(line | {"steps": steps}) + "\n", encoding="utf-8")
    with pytest.raises(SpecFault, match=rf"leakage: .*{said} [12]"):
        carry_out(tmp_path, "last", f"traces={{source: import, path: '{path}'}}")
