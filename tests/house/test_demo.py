"""The demonstration in small: participants of known disposition earn the verdicts they must earn."""

import json
from pathlib import Path
from typing import Any

import pytest

from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from tests.support.carried_out import play_spec

SPECS = Path(__file__).resolve().parents[2] / "runs" / "specs"
SMALLER = (
    "backbone=[simulated/reader, simulated/skimmer]",
    # all claims hold at each of the three seeds that were tried
    "seed=1",
    "environment.train=32",
    "environment.test=75",
    "repeats=2",
    # few tasks, and fewer records: wider than the shipped spec's rules, or nothing would be shown
    "analysis={alpha: 0.05, margin: 0.15, cluster: task}",
    "arms=[none, control, artifact, oracle]",
    "conditions=[corrupt_invert, irrelevant_swap, counter, paraphrase]",
)
PARTICIPANTS = ("reader", "trigger-reader", "skimmer", "ignorer")
HEADLINE = (
    # of seeds 1 to 3 the reader of Triggers gets its word at each, the skimmer at 1 and 2
    *("seed=1", "environment.train=32", "environment.test=80", "repeats=2"),
    "backbone=[simulated/trigger-reader, simulated/skimmer]",
    "analysis={alpha: 0.05, margin: 0.15, cluster: task}",
    # `counter` vouches for a drop under `irrelevant_swap`, as no oddity placebo is played
    *("arms=[none, control, artifact]", "conditions=[irrelevant_swap, counter]"),
)


def play_smaller(out: Path, changes: tuple[str, ...]) -> dict[str, Any]:
    spec = load_spec(SPECS / "quickstart.yaml", changes)
    assert play_spec(spec, out) == 0
    loaded: dict[str, Any] = json.loads((out / "results.json").read_text())
    return loaded


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return play_smaller(tmp_path_factory.mktemp("demo") / "out", SMALLER)


def test_the_question_of_the_project_is_decided_once_each_way(tmp_path: Path) -> None:
    results = play_smaller(tmp_path / "out", HEADLINE)
    assert {(entry["backbone"], entry["condition"]): entry["verdict"] for entry in results["hypotheses"]} == {
        ("simulated/trigger-reader", "irrelevant_swap"): "load-bearing",
        ("simulated/skimmer", "irrelevant_swap"): "inert",
    }
    triggered = "simulated/trigger-reader"
    assert results["utility"][triggered] == {"control": "none", "artifact": "helps"}
    assert results["verdicts"][triggered]["control"]["irrelevant_swap"] == "untestable"
    assert set(results["verdicts"][triggered]["artifact"].values()) == {"load-bearing"}


@pytest.mark.parametrize("arm", ["control", "artifact"])
@pytest.mark.parametrize("condition", ["corrupt_invert", "irrelevant_swap", "counter"])
def test_each_participant_gets_its_verdict(results: dict[str, Any], arm: str, condition: str) -> None:
    words = {backbone: results["verdicts"][backbone][arm][condition] for backbone in results["verdicts"]}
    assert words["simulated/reader"] == "load-bearing"
    # all absences share alpha: at this size some of them may stay undecided
    assert words["simulated/skimmer"] in ("inert", "inconclusive")


def test_most_absences_are_shown(results: dict[str, Any]) -> None:
    arms = results["verdicts"]["simulated/skimmer"]
    words = [arms[arm][name] for arm in ("control", "artifact") for name in results["conditions"]]
    assert words.count("inert") + words.count("untestable") >= len(words) / 2 > 2


@pytest.mark.parametrize("arm", ["control", "artifact"])
def test_memory_helps_those_who_use_it_or_only_see_it(results: dict[str, Any], arm: str) -> None:
    words = {backbone: results["utility"][backbone][arm] for backbone in results["utility"]}
    assert (words["simulated/reader"], words["simulated/skimmer"]) == ("helps", "helps")


def test_the_positive_control_is_load_bearing_for_the_reader(results: dict[str, Any]) -> None:
    oracle = results["verdicts"]["simulated/reader"]["oracle"]
    # no placebo is as odd as the inversion of one sentence here: `counter`, which is followed, vouches for it
    assert {oracle[name] for name in ("corrupt_invert", "irrelevant_swap", "counter")} == {"load-bearing"}
    assert oracle["paraphrase"] in ("inert", "inconclusive")
    scores = {(c["backbone"], c["arm"], c["condition"]): c["score"] for c in results["cells"]}
    assert scores["simulated/reader", "oracle", "intact"] >= 0.95
    for backbone in results["backbones"]:
        assert 0.30 <= scores[backbone, "none", "without"] <= 0.45


def test_the_shipped_spec_asks_for_what_it_promises() -> None:
    spec: Spec = load_spec(SPECS / "quickstart.yaml")
    assert set(spec.arms) == {"none", "control", "artifact", "activation", "oracle"}
    assert set(spec.backbone) == {f"simulated/{name}" for name in PARTICIPANTS}
    assert {"without", "corrupt_invert", "irrelevant_swap", "counter", "paraphrase"} <= set(spec.conditions)
    real = load_spec(SPECS / "scienceworld.yaml")
    assert set(real.arms) == {"none", "control", "artifact", "oracle"}
