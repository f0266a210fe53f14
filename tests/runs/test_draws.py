"""A bank of its own for each repeat: other items, the same records, and nothing paid twice."""

import json
import re
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memtrial.cli.experiment.plan import plan as show_plan
from memtrial.cli.results.status import status_of
from memtrial.faults import SpecFault
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import item_from_json
from memtrial.memory.markdown import render
from memtrial.runs.forecast.cost_forecast import read_pilot
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import Forecast, forecast_of
from memtrial.runs.setup.design import design_of
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.process import begin
from tests.support.small import write_spec

OWN = Path(__file__).parents[1] / "own"
RUN = """
name: draws
seed: 8
environment: {world: workshop, train: 6, test: 3, families: 8}
backbone: [simulated/reader, simulated/ignorer]
roles: {condenser: "simulated/scribe?defects=0.6", gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 3}
condensers: {native: {kind: native}, theory: {kind: theory, gates: []}, raw: {kind: raw}}
arms: [none, raw, control, artifact, activation]
conditions: [filler, irrelevant_swap]
repeats: 3
"""
DRAWN = {"native": 3, "theory": 3, "raw": 1}
UNSIMULATED = PlanOptions(simulate=0)
KEYS = {"OPENAI_API_KEY": "none"}
PAID = ("roles={condenser: openai/gpt-4.1}", "backbone=simulated/reader")


def carry_out(place: Path, *settings: str, limit: int | None = None, out: str = "out") -> Path:
    spec = load_spec(write_spec(place, RUN), settings)
    assert play_spec(spec, place / out, limit) == 0
    return place / out


@dataclass(frozen=True)
class Read:
    """A run folder, read: items by backbone, condenser, draw and source."""

    trials: list[TrialRow]
    texts: dict[str, str]
    items: dict[tuple[str, str, int, str], tuple[str, ...]]
    plan: dict[str, Any]
    results: dict[str, Any]


def read(folder: Path) -> Read:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    items = {
        (row.backbone, row.condenser, row.draw, row.task): tuple(
            render(item_from_json(raw), number) for number, raw in enumerate(row.body["items"], 1)
        )
        for row in ledger.condensations()
    }
    results = json.loads((folder / "results.json").read_text())
    found = Read(list(ledger.trials()), dict(ledger.slots()), items, ledger.fact("plan"), results)
    ledger.close()
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Read:
    return read(carry_out(tmp_path_factory.mktemp("draws")))


def draws(place: Path, *settings: str) -> tuple[int, tuple[str, ...]]:
    design = design_of(load_spec(write_spec(place, RUN), settings))
    return design.draws, design.drawn


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ((), (3, ("native", "theory"))),
        (("draws=repeat", "sampling.condenser.temperature=0"), (3, ("native", "theory"))),
        (("sampling.condenser.temperature=0.7",), (3, ("native", "theory"))),
        (("sampling.agent.temperature=0",), (3, ("native", "theory"))),
        (("draws=one",), (1, ())),
        (("repeats=1",), (1, ())),
        (("arms=[none, raw]",), (1, ())),
        (("arms=[none, oracle]",), (1, ())),
        (("arms=[none, oracle, control]",), (3, ("native",))),
        (("mode=stream", "traces={}"), (1, ())),
    ],
)
def test_each_repeat_has_a_bank_where_the_condenser_is_random(
    tmp_path: Path, settings: tuple[str, ...], wanted: tuple[int, tuple[str, ...]]
) -> None:
    assert draws(tmp_path, *settings) == wanted


def test_a_condenser_of_ones_own_is_random_where_it_asks(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def plain(trajectory):\n    return 'Go on.'\n\n\n"
                                      "def asking(trajectory, ask):\n    return 'Go on.'\n")  # fmt: skip
    arms = "arms=[none, {name: x, condenser: mine}]"
    for name, wanted in (("plain", (1, ())), ("asking", (3, ("mine",)))):
        assert draws(tmp_path, arms, f"condensers={{mine: {{kind: '{tmp_path}/mine.py:{name}'}}}}") == wanted


def test_a_stream_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="anew in each repeat; leave draws out") as raised:
        load_spec(write_spec(tmp_path, RUN), ["mode=stream", "traces={}", "draws=repeat"])
    assert "\n" not in str(raised.value)


def test_every_draw_is_of_the_same_trajectories_and_comes_out_otherwise(run: Read) -> None:
    banks: dict[tuple[str, str, int], dict[str, tuple[str, ...]]] = defaultdict(dict)
    for (backbone, condenser, draw, task), items in run.items.items():
        banks[backbone, condenser, draw][task] = items
    for backbone in ("simulated/reader", "simulated/ignorer"):
        for condenser, n in DRAWN.items():
            assert {draw for one, name, draw in banks if (one, name) == (backbone, condenser)} == set(
                range(n)
            )
            drawn = [banks[backbone, condenser, draw] for draw in range(n)]
            assert all(bank.keys() == drawn[0].keys() and len(bank) == 6 for bank in drawn)
            assert len({json.dumps(bank, sort_keys=True) for bank in drawn}) == n
    # the backbones share trajectories and condenser, and so the banks
    for (backbone, *place), items in run.items.items():
        assert run.items["simulated/reader", *place] == items, backbone


def test_repeat_r_shows_the_rth_bank_and_the_same_record(run: Read) -> None:
    of_arm = {"control": "native", "artifact": "theory", "activation": "theory", "raw": "raw"}
    records: dict[str, set[str]] = defaultdict(set)
    differing = 0
    for trial in run.trials:
        if trial.arm == "none":
            continue
        records[trial.task].add(trial.record)
        if trial.condition == "intact":
            condenser = of_arm[trial.arm]
            draw = trial.repeat if DRAWN[condenser] > 1 else 0
            items = run.items[trial.backbone, condenser, draw, trial.record]
            text = run.texts[trial.slot]
            assert text.endswith("\n\n".join(items)), (trial.arm, trial.repeat)
            assert bool(text) == bool(items)
            assert trial.empty_slot == (not items)
            other = run.items[trial.backbone, condenser, (draw + 1) % DRAWN[condenser], trial.record]
            differing += items != other
    assert all(len(found) == 1 for found in records.values())
    assert differing > 20


def test_shadow_firings_are_those_of_the_trials_own_bank(run: Read) -> None:
    bare = fired = 0
    for trial in run.trials:
        if trial.arm in ("control", "activation"):
            own = run.items[trial.backbone, "theory", trial.repeat, trial.record]
            usable = [re.search(r"## Trigger (state|task|action):", item) is not None for item in own]
            bare += usable.count(False)
            fired += len(trial.firings)
            assert all(usable[one["item"]] and one["why"] in own[one["item"]] for one in trial.firings)
    assert min(bare, fired) > 20


def test_the_plan_and_the_results_count_the_draws(run: Read) -> None:
    assert (run.plan["draws"], run.plan["drawn"]) == (3, ["control", "artifact", "activation"])
    digests = run.plan["digests"]
    of_native = [name for name in digests if name.startswith("memory native, simulated/reader")]
    assert [name.partition(", draw ")[2] for name in sorted(of_native)] == ["", "1", "2"]
    assert len({digests[name] for name in of_native}) == 3
    assert [name for name in digests if name.startswith("memory raw, simulated/reader")] == [
        "memory raw, simulated/reader"
    ]
    assert any("native, theory condensed the same trajectories 3 times" in note for note in run.plan["notes"])
    rows = {(row["backbone"], row["condenser"]): row for row in run.results["condensation"]}
    for (_, condenser), row in rows.items():
        assert (row["draws"], row["traces"]) == (DRAWN[condenser], 6)


def test_with_one_draw_it_is_the_first_bank_in_every_repeat(tmp_path: Path, run: Read) -> None:
    who = "simulated/reader"
    one = read(carry_out(tmp_path, "draws=one", f"backbone={who}"))
    assert {draw for _, _, draw, _ in one.items} == {0}
    assert one.items == {at: items for at, items in run.items.items() if (at[0], at[2]) == (who, 0)}
    first = {t.key: (t.slot, t.status, t.score) for t in run.trials if (t.backbone, t.repeat) == (who, 0)}
    assert first == {t.key: (t.slot, t.status, t.score) for t in one.trials if t.repeat == 0}
    assert one.plan["notes"] == []


def test_killed_while_it_condenses_it_goes_on_to_the_same_bytes(tmp_path: Path, run: Read) -> None:
    write_spec(tmp_path, RUN, "spec.yaml")
    for n in (5, 30):
        process = begin(tmp_path, "--display", "none")
        while _condensed(tmp_path / "out") < n:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
    again = read(carry_out(tmp_path))
    assert again.items == run.items
    assert again.results == run.results


def _condensed(folder: Path) -> int:
    try:
        return sum(status_of(folder)["prepared"]["condensations"].values())
    except SpecFault:
        return 0


def planned(place: Path, *settings: str) -> Forecast:
    return forecast_of(check_spec(load_spec(write_spec(place, RUN), settings), KEYS), wanted=UNSIMULATED)


def test_the_plan_prices_every_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, three = planned(tmp_path, *PAID, "draws=one"), planned(tmp_path, *PAID)
    assert (one.draws, three.draws) == (1, 3)
    for name in ("likely", "high"):
        dear, cheap = (getattr(plan.preparation_usd, name) for plan in (three, one))
        assert dear == pytest.approx(3 * cheap)
    assert one.preparation_usd.likely > 0
    assert one.cost_usd == three.cost_usd
    show_plan(load_spec(write_spec(tmp_path, RUN), []), simulate=0)
    assert "3 banks of each condenser that asks a model, one a repeat" in capsys.readouterr().out


def test_a_pilot_with_one_bank_prices_a_run_with_three(tmp_path: Path) -> None:
    folder = carry_out(tmp_path, "draws=one", limit=1)
    pilot = read_pilot(folder)
    assert pilot.plan.draws == 1
    found = [
        forecast_of(check_spec(load_spec(write_spec(tmp_path, RUN), [*PAID, more]), KEYS), pilot, UNSIMULATED)
        for more in ("draws=one", "draws=repeat")
    ]
    one, three = (plan.preparation_usd.likely for plan in found)
    assert three == pytest.approx(3 * one, rel=0.01)
    assert one > 0
