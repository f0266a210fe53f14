"""`ablate`: an ordinary run whose arms are subsets of gates; nothing is paid or played twice."""

import json
from collections import Counter
from pathlib import Path

import pytest

from memtrial.api.ablate import (
    AblationEnd,
    SubsetOptions,
    ablate,
    ablation_of,
    ablation_spec,
    active,
)
from memtrial.api.given_spec import spec_of
from memtrial.api.run import RunOptions
from memtrial.api.shown.loaded_results import load
from memtrial.cli.experiment.ablate import ablate as verb
from memtrial.faults import SpecFault
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.prompts.control_prompts import load_control
from memtrial.runs.setup.model_roles import standings_of
from memtrial.views.rows.ablation_results import Ablation

SPEC = {
    "name": "few",
    "seed": 7,  # of four tasks, a gate's effect is above 0 by luck: here it is
    "environment": {"world": "workshop", "train": 8, "test": 4},
    "backbone": "simulated/reader",
    "roles": {"condenser": "simulated/scribe?defects=0.8", "gate": "simulated/examiner"},
    "traces": {"source": "play", "player": "simulated/ignorer", "attempts": 4},
    "arms": ["control", "activation", "oracle"],
    "repeats": 1,
    "analysis": {"flips": 199, "pairs": [["activation", "control"]]},
}
TWO = SubsetOptions(("claim-strength", "grounding_alignment"))
OWN = "def {name}(item, trajectory):\n    return {answer}\n"


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> AblationEnd:
    return ablate(SPEC, TWO, RunOptions(tmp_path_factory.mktemp("ablated") / "run"))


@pytest.fixture(scope="module")
def found(ended: AblationEnd) -> Ablation:
    there = ablation_of(ended.last)
    assert there is not None
    return there


def trials(ended: AblationEnd) -> list[TrialRow]:
    ledger = SqliteLedger.open_read_only(ended.last.folder / "ledger.sqlite")
    try:
        return list(ledger.trials())
    finally:
        ledger.close()


def test_the_arms_are_the_subsets_and_inject_as_the_arm_of_the_spec(ended, found):
    assert found.subsets == {
        "gates-0": (),
        "gates-A": ("claim-strength",),
        "gates-B": ("grounding-alignment",),
        "gates-AB": ("claim-strength", "grounding-alignment"),
    }
    assert {row.arm for row in trials(ended)} == {"none", "oracle", *found.subsets}
    plan = load(ended.last.folder)
    assert plan.conditions == ("corrupt_invert",)
    spec = ablation_spec(spec_of(SPEC), TWO)
    assert {arm.injection for arm in spec.arms if not isinstance(arm, str)} == {"trigger"}
    assert spec.condensers["gates-B"].gates == ("grounding-alignment",)


def test_the_report_says_of_each_gate_of_the_arms_and_of_no_other_what_it_may_do(ended):
    gates = ended.last.results.gates
    assert set(gates) == {"claim-strength", "grounding-alignment"}
    assert all("held-out hits" in said and "its program: held-out" in said for said in gates.values())
    spec = spec_of(SPEC)
    none = standings_of(spec, load_control(None), memories=("native",))
    assert none == {}, "the native condenser has no gates"
    assert standings_of(spec, load_control(None), memories=("theory",))


def test_effects_have_the_shape_of_the_contract_and_shapley_values_add_up(ended, found):
    body = json.loads(found.model_dump_json())
    assert {"gate", "outcome", "effect", "low", "high", "p_adjusted", "shapley"} <= set(body["effects"][0])
    assert set(body["cost"]["claim-strength"]) >= {"calls", "usd"}
    means = {(c.arm, c.condition): c.score for c in load(ended.last.folder).cells}
    for outcome in ("utility", "drop"):
        values = {
            arm: (means[arm, "intact"] or 0)
            - (means["none", "without"] if outcome == "utility" else means[arm, "corrupt_invert"])
            for arm in found.subsets
        }
        credit = [one.shapley for one in found.effects if one.outcome == outcome and one.shapley is not None]
        assert sum(credit) == pytest.approx(values["gates-AB"] - values["gates-0"])
        # a main effect is the mean with less the mean without
        for gate, alone, other in (
            ("claim-strength", "gates-A", "gates-B"),
            ("grounding-alignment", "gates-B", "gates-A"),
        ):
            (one,) = [e for e in found.effects if (e.gate, e.outcome) == (gate, outcome)]
            on = values[alone] + values["gates-AB"] - values["gates-0"] - values[other]
            assert one.effect == pytest.approx(on / 2)
        assert on > 0


def test_costs_add_up_to_the_ledger_and_no_request_is_paid_twice(ended, found):
    ledger = SqliteLedger.open_read_only(ended.last.folder / "ledger.sqlite")
    spent = ledger.accounts.spending_by_purpose()
    keys = [call.key for call in ledger.calls.free_calls()]
    rows = list(ledger.condensations())
    ledger.close()
    of_gates = [one for one in spent if one.purpose.kind == "gate"]
    assert found.gate_calls == sum(one.calls for one in of_gates) == sum(c.calls for c in found.cost.values())
    assert sum(c.input_tokens for c in found.cost.values()) == sum(one.input_tokens for one in of_gates)
    assert len(keys) == len(set(keys))
    drafted = sum(one.calls for one in spent if one.purpose.kind == "condense")
    asked = sum(len({f["draft"] for f in row.body["findings"]}) for row in rows)
    assert drafted < asked, "four condensers share their drafts"
    # different drafts of each gate, and what it found in them
    for gate, cost in found.cost.items():
        assert cost.calls == sum(one.calls for one in of_gates if one.purpose.gate == gate) > 0
        said = {
            (row.task, f["draft"]): f["finding"]
            for row in rows
            for f in row.body["findings"]
            if f["gate"] == gate and f["finding"] in ("PASS", "WARN", "FAIL")
        }
        assert (cost.drafts, cost.hits) == (len(said), sum(one != "PASS" for one in said.values()))


def test_equal_prompts_are_played_once_and_are_the_same_data(ended, found):
    rows = {row.key: row for row in trials(ended)}
    sharing = [row for row in rows.values() if row.shared]
    assert found.sharing.shared == sum(row.arm in found.subsets for row in sharing) > 0
    same = ("status", "score", "cause", "slot", "task", "repeat", "firings", "calls", "input_tokens")
    ledger = SqliteLedger.open_read_only(ended.last.folder / "ledger.sqlite")
    for row in sharing:
        played = rows[row.shared]
        assert not played.shared
        assert [getattr(row, name) for name in same] == [getattr(played, name) for name in same]
        assert row.cached == row.calls
        one, other = ledger.episode(row.key), ledger.episode(played.key)
        assert one is not None
        assert other is not None
        assert (one.steps, one.calls) == (other.steps, other.calls)
    ledger.close()
    # in a block no two episodes were played with the same requests by agents that saw the same items
    assert max(Counter(row.shared for row in sharing).values()) < len(found.subsets) * 2
    unchanged = [one for one in found.effects if one.unchanged]
    assert all(one.effect == 0 and one.low is not None and one.low < 0 for one in unchanged)


def test_a_run_that_was_broken_off_ends_as_one_in_one_go(ended, tmp_path):
    out = tmp_path / "run"
    part = ablate(SPEC, TWO, RunOptions(out, limit=2, report=False))
    assert part.last.ending.how == "limit"
    whole = ablate(SPEC, TWO, RunOptions(out, report=False))
    assert whole.last.ending.how == "done"
    one, other = ((run / "results.json").read_text() for run in (out, ended.last.folder))
    assert one == other
    with pytest.raises(SpecFault, match="holds another experiment"):
        ablate(SPEC, SubsetOptions(("claim-strength",)), RunOptions(out, report=False))


def test_reports_of_the_folder_hold_the_ablation(ended, found):
    page = (ended.last.folder / "report.html").read_text()
    assert "Ablation of gates" in page
    assert "effect, intervals hold together" in page
    assert "Ablation of gates" in (ended.last.folder / "report.md").read_text()
    assert load(ended.last.folder).ablation == found


def test_groups_are_switched_as_one():
    asked = SubsetOptions(groups={"x": ("claim_strength", "explanatory-reach"), "y": ("trigger-presence",)})
    spec = ablation_spec(spec_of(SPEC), asked)
    assert spec.ablation is not None
    assert set(spec.ablation.factors) == {"x", "y"}
    assert spec.condensers["gates-A"].gates == ("claim-strength", "explanatory-reach")
    beside = ablation_spec(
        spec_of(SPEC), SubsetOptions(("trigger-presence", "claim-strength"), {"x": asked.groups["y"]})
    )
    assert beside.ablation is not None
    assert list(beside.ablation.factors) == ["x", "claim-strength"]


@pytest.mark.parametrize(
    ("asked", "changed", "message"),
    [
        (SubsetOptions(("no-such",)), {}, "no gate is named no-such"),
        (SubsetOptions(groups={"a b": ("claim-strength",)}), {}, "a group needs a name"),
        (SubsetOptions(groups={"x": ("claim-strength",), "y": ("claim-strength",)}), {}, "one factor"),
        (SubsetOptions(conditions=("no-such",)), {}, "no perturbation is named no-such"),
        (TWO, {"condensers": {"native": {"kind": "native"}}, "arms": ["control"]}, "of kind theory"),
        (TWO, {"mode": "stream"}, "before the run"),
        (
            SubsetOptions(),
            {"condensers": {"x": {"kind": "theory", "gates": []}}, "arms": ["oracle"]},
            "1 to 23",
        ),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(asked, changed, message, tmp_path):
    with pytest.raises(SpecFault, match=message):
        ablate(SPEC | {"analysis": {}} | changed, asked, RunOptions(tmp_path / "run", report=False))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("groups", ["x", "x=", "=claim-strength", "x=claim-strength,x=trigger-presence"])
def test_groups_that_cannot_be_read_are_refused(groups, tmp_path):
    path = tmp_path / "few.yaml"
    path.write_text(json.dumps(SPEC))
    with pytest.raises(SpecFault, match="--groups takes NAME=GATE"):
        verb(path, groups=groups)


def test_many_gates_are_screened_and_the_active_ones_played_in_full(tmp_path: Path):
    own = tmp_path / "own.py"
    # one refuses every draft, so that its memory stays empty; the others find nothing
    names = {"never": False} | dict.fromkeys(("b", "c", "d", "e", "f"), True)
    own.write_text("\n".join(OWN.format(name=name, answer=answer) for name, answer in names.items()))
    spec = SPEC | {
        "environment": {"world": "workshop", "train": 12, "test": 12},
        "analysis": {"flips": 199},
        "traces": {"source": "expert"},
    }
    spec |= {"roles": {"condenser": "simulated/scribe?defects=0"}, "arms": ["artifact"]}
    gates = tuple(f"{own}:{name}" for name in names)
    done = ablate(spec, SubsetOptions(gates), RunOptions(tmp_path / "run", report=False))
    screened = done.first_ablation
    assert screened is not None
    assert screened.told == "main"
    assert active(screened) == ("never",)
    last = ablation_of(done.last)
    assert last is not None
    assert (last.told, list(last.subsets)) == ("all", ["gates-0", "gates-A"])
    assert done.last.folder.name == "run-active"
    (harm,) = [one for one in last.effects if (one.gate, one.outcome) == ("never", "drop")]
    assert harm.high is not None
    assert harm.high < 0
    others = [one for one in screened.effects if one.gate != "never"]
    assert all(one.unchanged for one in others), "gates that find nothing leave the same data"
