"""Arms with true memory through the whole path: who reads follows both forms, and the dose shows."""

from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import NativeItem, TheoryItem
from memtrial.memory.markdown import parse_all
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import forecast_of
from memtrial.runs.setup.design import design_of
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

PLANTED = ("planted-native", "planted-theory", "planted-activation")
LADDER = ("dose-0", "dose-1", "dose-2", "dose-3")
RUN = f"""
name: planted
seed: 9
environment: {{world: workshop, train: 1, test: 24}}
backbone: [simulated/reader, simulated/ignorer]
arms: [none, {", ".join((*PLANTED, *LADDER))}]
conditions: [corrupt_invert, irrelevant_swap]
repeats: 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("planted")
    spec = load_spec(write_spec(place, RUN))
    assert play_spec(spec, place / "out") == 0
    return place / "out"


@pytest.fixture(scope="module")
def read(folder: Path) -> tuple[list[TrialRow], dict[str, str], dict[str, Any]]:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    rows, texts, plan = list(ledger.trials()), dict(ledger.slots()), ledger.fact("plan")
    assert not ledger.traces("simulated/reader")
    assert not list(ledger.condensations())
    ledger.close()
    return rows, texts, plan


Read = tuple[list[TrialRow], dict[str, str], dict[str, Any]]


def scores(rows: list[TrialRow], backbone: str) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.backbone == backbone:
            found[row.arm, row.condition].append(row.score or 0.0)
    return {cell: fmean(all_of) for cell, all_of in found.items()}


def test_a_reader_follows_the_proposition_in_either_form(read: Read) -> None:
    mean = scores(read[0], "simulated/reader")
    for arm in PLANTED:
        assert mean[arm, "intact"] > mean["none", "without"] + 0.35
        assert mean[arm, "corrupt_invert"] < mean["none", "without"]
        assert abs(mean[arm, "irrelevant_swap"] - mean["none", "without"]) < 0.2
        assert abs(mean[arm, "intact"] - mean["planted-native", "intact"]) < 0.1


def test_an_ignorer_gains_from_neither(read: Read) -> None:
    mean = scores(read[0], "simulated/ignorer")
    for arm in (*PLANTED, *LADDER):
        assert abs(mean[arm, "intact"] - mean["none", "without"]) < 0.25


def test_utility_rises_with_the_dose_for_who_reads_and_for_nobody_else(read: Read) -> None:
    reader, ignorer = (scores(read[0], f"simulated/{name}") for name in ("reader", "ignorer"))
    rung = [reader[arm, "intact"] for arm in LADDER]
    assert rung[0] < rung[1] - 0.1
    assert rung[1] < rung[2] - 0.1
    assert rung[2] <= rung[3]
    assert abs(rung[0] - reader["none", "without"]) < 0.2
    flat = [ignorer[arm, "intact"] for arm in LADDER]
    assert max(flat) - min(flat) < 0.25


def test_the_prompts_held_the_schema_of_the_arm(read: Read) -> None:
    rows, texts, _ = read
    kinds = {"planted-native": NativeItem, "planted-theory": TheoryItem, "planted-activation": TheoryItem}
    for row in rows:
        if row.condition == "intact" and row.arm in kinds:
            assert [type(item) for item in parse_all(texts[row.slot])] == [kinds[row.arm]]
            assert row.undelivered == 0
            assert any(firing["shown"] for firing in row.firings) == (row.arm == "planted-activation")
        if row.arm in LADDER:
            assert row.condition == "intact"
            assert texts[row.slot].count("# Memory Item ") == 3
            assert not parse_all(texts[row.slot])  # prose: no field of a schema


def test_the_plan_states_pairs_and_words(read: Read) -> None:
    plan = read[2]
    assert plan["pairs"] == [["planted-theory", "planted-native"], ["planted-activation", "planted-native"]]
    native, theory = plan["words"]["planted-native"], plan["words"]["planted-theory"]
    assert abs(native["mean"] - theory["mean"]) <= 4
    assert set(plan["words"]) == {*PLANTED, *LADDER}
    assert (plan["draws"], plan["drawn"]) == (1, [])


def test_pairs_are_there_only_where_both_arms_are(tmp_path: Path) -> None:
    arms = "arms=[none, control, artifact, planted-theory, planted-activation]"
    assert design_of(load_spec(write_spec(tmp_path, RUN), [arms])).pairs == (("artifact", "control"),)


def test_a_planted_slot_costs_about_one_item_and_a_rung_three(tmp_path: Path) -> None:
    paid = ("backbone=openai/gpt-4.1", "traces={source: play, player: simulated/ignorer}")
    experiment = check_spec(load_spec(write_spec(tmp_path, RUN), paid), {"OPENAI_API_KEY": "none"})
    cost = forecast_of(experiment, wanted=PlanOptions(simulate=0)).cost_usd
    cells = {"planted-native": 3, "dose-3": 1, "none": 1}
    of_one = {arm: cost[arm].likely / n for arm, n in cells.items()}
    assert of_one["none"] < of_one["planted-native"] < of_one["dose-3"]


def test_in_a_stream_the_same_true_memories_are_shown(tmp_path: Path) -> None:
    settings = ("mode=stream", "environment.test=5", "environment.families=8", "repeats=1",
                "backbone=simulated/reader")  # fmt: skip
    spec = load_spec(write_spec(tmp_path, RUN), settings)
    assert play_spec(spec, tmp_path / "out", told=False) == 0
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    shown = [row for row in ledger.trials() if (row.arm, row.condition) == ("planted-theory", "intact")]
    assert len(shown) == 5
    assert all("## Claim" in (ledger.slot(row.slot) or "") for row in shown)
    swapped = [row for row in ledger.checks() if row.condition == "irrelevant_swap"]
    assert {row.arm for row in swapped} == set(PLANTED)
    assert all(row.passed or not row.applicable for row in swapped)
    ledger.close()
