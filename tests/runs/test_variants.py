"""The factors of an experiment: sources of traces, condensers, gates and arms beside the standard ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from memtrial.ledger.run_plan import plan_in_force
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import SPEC, write_spec

QUICK = [
    "backbone=simulated/reader",
    "repeats=1",
    "environment.train=8",
    "environment.test=6",
    "conditions=[corrupt_invert]",
]


def play(tmp_path: Path, *settings: str) -> tuple[dict[str, Any], SqliteLedger]:
    """The results and the ledger of a quick run with these settings."""
    spec = load_spec(write_spec(tmp_path, SPEC), [*QUICK, *settings])
    assert play_spec(spec, tmp_path / "out") == 0
    results: dict[str, Any] = json.loads((tmp_path / "out" / "results.json").read_text())
    return results, SqliteLedger(tmp_path / "out" / "ledger.sqlite")


def test_expert_traces_stand_beside_attempts(tmp_path: Path) -> None:
    _, ledger = play(tmp_path, "traces={source: expert, attempts: 1, expert_share: 0.5}", "arms=[control]")
    traces = ledger.traces("simulated/reader")
    known = [raw for raw in traces.values() if raw["steps"][0]["thought"] == "The way to do this is known."]
    assert len(known) == len(traces) / 2 == 4
    assert all(raw["outcome"] == "success" for raw in known)
    assert any(raw["outcome"] == "failure" for raw in traces.values())


def test_imported_traces_are_condensed_as_they_are(tmp_path: Path) -> None:
    _, ledger = play(tmp_path, "arms=[control]")
    lines = ledger.traces("simulated/reader")
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, lines.values())))
    (tmp_path / "again").mkdir()
    source = f"traces={{source: import, path: {tmp_path / 'mine.jsonl'}}}"
    results, again = play(tmp_path / "again", "arms=[control]", source)
    assert again.traces("simulated/reader") == lines
    first = json.loads((tmp_path / "out" / "results.json").read_text())
    bank = "memory native, simulated/reader"
    # the templates of the world are not in a trace file; the items are the same
    assert [row.body for row in again.condensations()] == [row.body for row in ledger.condensations()]
    assert results["cells"] == first["cells"]
    assert bank in results["digests"]


def test_gate_subsets_and_arms_of_ones_own_are_factors(tmp_path: Path) -> None:
    results, ledger = play(
        tmp_path,
        "condensers={plain: {kind: theory, gates: []}, idle: {kind: nothing},"
        " one: {kind: theory, gates: [trigger-presence, prose-economy], max_rounds: 1}}",
        "arms=[none, {name: plain, condenser: plain}, {name: one, condenser: one, injection: trigger},"
        " {name: idle, condenser: idle}]",
        "analysis.pairs=[[one, plain]]",
    )
    gates: dict[str, set[str]] = {}
    rounds = set()
    for row in ledger.condensations():
        gates.setdefault(row.condenser, set()).update(one["gate"] for one in row.body["findings"])
        rounds |= {one["round"] for one in row.body["findings"]}
    assert gates == {"plain": set(), "one": {"trigger-presence", "prose-economy"}, "idle": set()}
    plan = plan_in_force(ledger)
    assert plan is not None
    assert plan.negative_controls == ("prose-economy",)
    assert rounds <= {0, 1}
    assert results["empty_slots"]["idle"] == 1.0
    assert {(h["treatment"], h["control"]) for h in results["hypotheses"]} == {("one", "plain")}
    none = {(t.task, t.repeat): t.status for t in ledger.trials() if t.arm == "none"}
    # an arm whose slots are all empty plays exactly as without memory
    assert all(t.status == none[t.task, t.repeat] for t in ledger.trials() if t.arm == "idle")


def test_actions_view_hides_observations_from_the_condensers(tmp_path: Path) -> None:
    _, ledger = play(
        tmp_path, "traces={source: play, player: simulated/ignorer, view: actions}", "arms=[control]"
    )
    sights = {raw["start"].split(". ")[1].split(".")[0] for raw in ledger.traces("simulated/reader").values()}
    items = " ".join(item["content"] for row in ledger.condensations() for item in row.body["items"])
    assert not any(sight in items for sight in sights if len(sight.split()) > 2)


@pytest.mark.parametrize("cluster", ["family", "record"])
def test_clusters_are_the_unit_where_asked(tmp_path: Path, cluster: str) -> None:
    results, _ = play(
        tmp_path, f"analysis.cluster={cluster}", "environment.test=30", "arms=[oracle, control]"
    )
    (drop,) = [e for e in results["estimates"] if e["estimand"] == "drop" and e["arm"] == "oracle"]
    assert drop["n_tasks"] == 30
    assert drop["n_clusters"] == 12 if cluster == "family" else drop["n_clusters"] < 30


def test_more_records_show_more_items(tmp_path: Path) -> None:
    _, ledger = play(tmp_path, "retrieval.k=3", "arms=[control]")
    counts = [
        (ledger.slot(t.slot) or "").count("# Memory Item") for t in ledger.trials() if t.condition == "intact"
    ]
    assert max(counts) > 3


def test_a_note_names_the_gates_whose_judge_only_advised(tmp_path: Path) -> None:
    results, ledger = play(
        tmp_path,
        "roles.gate='simulated/examiner?hit=0.5'",
        "condensers={theory: {kind: theory, gates: [duplicate, claim-strength]}}",
        "arms=[none, artifact]",
        "environment.test=2",
    )
    ledger.close()
    assert results["gates"]["claim-strength"].startswith("advises (no fresh calibration")
    assert results["gates"]["duplicate"].startswith("a program decides")
    (note,) = [line for line in results["notes"] if "judge only advised" in line]
    assert note.endswith("its FAIL dropped no item: claim-strength.")
