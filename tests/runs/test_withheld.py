"""A withheld memory: written and read as any, and shown to nobody; it may not move the score."""

from pathlib import Path

from memtrial.api.shown.loaded_results import load
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

SPEC = """
name: withheld
seed: 4
environment: {world: workshop, train: 12, test: 6}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 4}
arms: [none, artifact, withheld, {name: kept, condenser: native, injection: withhold}]
conditions: [irrelevant_swap]
repeats: 2
analysis: {flips: 199}
"""


def test_a_withheld_memory_costs_what_the_loop_costs_and_shows_nothing(tmp_path: Path) -> None:
    assert play_spec(load_spec(write_spec(tmp_path, SPEC)), tmp_path / "out") == 0
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    trials = {(one.arm, one.condition, one.task, one.repeat): one for one in ledger.trials()}
    first = {
        (arm, task, repeat): ledger.episode(one.key).conversation[:2]  # type: ignore[union-attr]
        for (arm, condition, task, repeat), one in trials.items()
        if condition in ("intact", "without")
    }
    ledger.close()
    assert {condition for arm, condition, *_ in trials if arm in ("withheld", "kept")} == {"intact"}
    shown = 0
    for (arm, task, repeat), prompt in first.items():
        same = prompt == first["none", task, repeat]  # byte for byte
        assert same or arm == "artifact"
        shown += not same
    assert shown
    unshown = [one for (arm, *_), one in trials.items() if arm in ("withheld", "kept")]
    assert all(one.record and one.calls and not one.carrying for one in unshown)  # read, asked, not shown
    # its answers are draws of its own: those of `none` would make the control one that cannot fail
    assert any(one.calls > one.cached for one in unshown)
    steps = {
        arm: [one.status for (name, *_), one in sorted(trials.items()) if name == arm]
        for arm in ("none", "withheld")
    }
    assert steps["none"] != steps["withheld"]

    results = load(tmp_path / "out")
    rows = {one.arm: one for one in results.estimates if one.estimand == "utility"}
    assert rows["withheld"].family == rows["kept"].family == "negative control"
    assert rows["artifact"].family == "utilities"
    assert not results.uncrossed
    assert not any(
        "withheld" in note or "same text" in note for note in (*results.notes, *results.shared_cells)
    )
    assert results.cost["withheld"].calls > 0
    assert "its text was not shown" in " ".join(str(results).split())
