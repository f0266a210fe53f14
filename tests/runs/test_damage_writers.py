"""Who writes the damage of a run: a real model where one plays, rules where it cannot, and as was asked."""

import json
from collections import Counter

import pytest

from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import written_texts
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.runs.forecast.damage_cost import cost_written_damage
from memtrial.runs.forecast.forecast_text import forecast_lines
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import forecast_of
from memtrial.runs.forecast.world_sample import sample_world
from memtrial.runs.setup.model_roles import cast
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.damage_writers import damage_writers
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.scripted_run import CLAUDE, script, surroundings
from tests.support.small import write_spec

SPEC = """
name: writers
seed: 3
environment: {world: workshop, train: 6, test: 2, families: 8}
backbone: BACKBONE
arms: [none, oracle]
conditions: [corrupt_invert, counter, paraphrase, oddity+corrupt_invert]
repeats: 1
analysis: {flips: 199}
budget: {prices: {anthropic/a: {input: 1, output: 4}, openai/b: {input: 2, output: 8}}}
engine: {attempts: 2, first_wait_s: 0.01}
"""
KEYS = {"ANTHROPIC_API_KEY": "sk-no", "OPENAI_API_KEY": "sk-no"}
PRICED = PlanOptions(simulate=0)


def spec_of(folder, backbone, *settings):
    return load_spec(write_spec(folder, SPEC.replace("BACKBONE", backbone)), list(settings))


@pytest.mark.parametrize(
    ("backbone", "settings", "expected"),
    [
        ("anthropic/a", (), ("anthropic/a", "anthropic/a")),
        ("[simulated/reader, openai/b, anthropic/a]", (), ("openai/b", "openai/b")),
        ("anthropic/a", ("roles.judge=openai/b",), ("anthropic/a", "openai/b")),
        ("anthropic/a", ("roles.perturber=openai/b",), ("openai/b", "anthropic/a")),
        (
            "anthropic/a",
            ("conditions=[instructed, instructed+counter]",),
            ("anthropic/a", "anthropic/a"),
        ),
        ("anthropic/a", ("roles.perturber=rules",), (None, None)),
        ("anthropic/a", ("conditions=[filler, irrelevant_swap]",), (None, None)),
        ("simulated/reader", (), (None, None)),
        ("simulated/reader", ("roles.perturber=rules",), (None, None)),
        ("simulated/reader", ("roles.judge=simulated/decider",), (None, None)),
        ("replay/somewhere", (), (None, None)),
        (
            "simulated/reader",
            ("roles.judge=simulated/decider", "roles.perturber=simulated/perturber"),
            ("simulated/perturber", "simulated/decider"),
        ),
    ],
)
def test_a_real_model_writes_by_default_and_a_simulated_one_where_named(
    tmp_path, backbone, settings, expected
):
    writers = damage_writers(spec_of(tmp_path, backbone, *settings))
    assert (writers.model, writers.judge) == expected
    assert writers.why == ""


BANK = "arms=[{name: far, condenser: theory, injection: trigger, reach: bank}]"


@pytest.mark.parametrize(("setting", "why"), [("mode=stream", "mode: stream"), (BANK, "reach: bank")])
def test_where_a_model_cannot_rules_write_and_the_run_says_so(tmp_path, setting, why):
    spec = spec_of(tmp_path, "anthropic/a", setting)
    writers = damage_writers(spec)
    assert writers.model is None
    assert why in writers.note
    assert any(why in line and "rules" in line for line in check_spec(spec, KEYS).notices)
    with pytest.raises(SpecFault, match=r"leave (it|them) out"):
        spec_of(tmp_path, "anthropic/a", setting, "roles.perturber=openai/b")
    ruled = damage_writers(spec_of(tmp_path, "anthropic/a", setting, "roles.perturber=rules"))
    assert ruled.note == ""


def test_the_plan_prices_it_and_says_so_and_rules_refuse_it(tmp_path):
    found = {}
    for name, settings in {"model": (), "rules": ("roles.perturber=rules",)}.items():
        experiment = check_spec(spec_of(tmp_path, "anthropic/a", *settings), KEYS)
        text = "\n".join(forecast_lines(forecast_of(experiment, wanted=PRICED), details=False))
        cost = cost_written_damage(experiment, sample_world(experiment))
        roles = {part for part, _ in cast(experiment.spec, experiment.design)}
        found[name] = (text, cost, roles, "prompt compare_advice" in experiment.digests, experiment.notices)
    text, cost, roles, stated, notices = found["model"]
    assert "Damage is written by anthropic/a and read blind by anthropic/a" in text
    assert "roles.perturber: rules" in text
    assert 0 == cost.low < cost.likely < cost.high
    assert {"perturb", "decide"} <= roles
    assert stated
    assert any("written by anthropic/a" in line for line in notices)
    text, cost, roles, stated, notices = found["rules"]
    assert "read blind" not in text
    assert cost.high == 0
    assert not {"perturb", "decide"} & roles
    assert not stated
    assert not any("written by" in line for line in notices)


def test_a_real_backbone_writes_reads_and_plays_its_own_damage(tmp_path):
    with serve_script(
        script(answers=answers_from("simulated/perturber?hit=1, simulated/decider?hit=1&noise=0"))
    ) as server:
        spec = spec_of(tmp_path, CLAUDE, "conditions=[corrupt_invert, counter]")
        assert play_spec(spec, tmp_path / "out", 1, environment=surroundings(server.url)) == 0
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    texts, checks = written_texts(ledger), list(ledger.checks())
    ledger.close()
    assert (texts.model, texts.judge) == (CLAUDE, CLAUDE)
    assert all(text.items and text.readings for text in texts.texts)
    by = Counter(check.measured["written_by"] for check in checks if check.applicable)
    assert by.keys() == {CLAUDE}
    rows = json.loads((tmp_path / "out" / "results.json").read_text())["manipulation"]
    assert {row["condition"]: row["tries"] for row in rows} == {"corrupt_invert": 1, "counter": 1}
    assert all(row["written_by"].keys() == {CLAUDE} for row in rows)
    assert all(row["by_rules_because"] == [] for row in rows)
