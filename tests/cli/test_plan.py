"""`plan`: every cell and figure of a spec, without sending anything."""

import json
from pathlib import Path

import pytest

from memtrial.cli.experiment.plan import plan as show_plan
from memtrial.console.line_width import fold
from memtrial.faults import RunFault, SpecFault
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.runs.forecast.cost_forecast import Range
from memtrial.runs.forecast.forecast_text import forecast_lines
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import Forecast, forecast_of
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.scripted_run import GPT, script, surroundings
from tests.support.small import write_spec

Printed = pytest.CaptureFixture[str]
NOTEBOOK = Path(__file__).parents[1] / "own" / "notebook.py"
STAIRS = Path(__file__).parents[1] / "own" / "stairs.py"
NOWHERE = surroundings("http://127.0.0.1:9")
UNSIMULATED = PlanOptions(simulate=0)
KEYS = {"cells", "tasks", "repeats", "episodes", "calls", "cost_usd", "detectable", "control"}
PAID = (f"backbone={GPT}", "roles={}", "traces={}", "traces={source: play, attempts: 2}")


FREE, UNPRICED = Range(0, 0, 0), Range(None, None, None)


def planned(place: Path, *settings: str) -> Forecast:
    return forecast_of(check_spec(load_spec(write_spec(place), settings), NOWHERE), wanted=UNSIMULATED)


def test_the_json_keeps_its_keys_and_the_table_says_the_same(tmp_path: Path, capsys: Printed) -> None:
    spec = load_spec(write_spec(tmp_path))
    show_plan(spec, simulate=20, as_json=True)
    plan = json.loads(capsys.readouterr().out)
    assert plan.keys() >= KEYS
    assert plan["detectable"].keys() == {"drop", "contrast"}
    arms = {cell["arm"] for cell in plan["cells"]}
    assert plan["cost_usd"].keys() == arms
    assert all(one.keys() == {"low", "likely", "high"} for one in plan["cost_usd"].values())
    assert plan["episodes"] == len(plan["cells"]) * plan["tasks"] * plan["repeats"]
    show_plan(spec, simulate=0)
    text = capsys.readouterr().out
    assert plan["control"] in text
    assert f"{plan['episodes']:,} episodes" in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_answer_comes_first_and_the_tables_are_asked_for(tmp_path: Path, width: int) -> None:
    plan = planned(tmp_path, "environment.test=60", *PAID)

    def shown(details: bool) -> list[str]:
        return fold("\n".join(forecast_lines(plan, details, width)), width)

    short, whole = shown(False), shown(True)
    # three of them say what can never be decided, two who writes the damage
    assert width < 80 or len(short) <= 30
    words = " ".join(short).split()
    assert " ".join(words).startswith("This design cannot show a contrast of 0.1: power 0.")
    for said in ("Smallest effects", "Cost: about $", "would show 0.1"):
        assert said in " ".join(words[:90])
    at = next(at for at, line in enumerate(short) if line.startswith("--details"))
    assert whole[:at] == short[:at]
    assert all(len(line) <= width for line in whole)
    for cell in ("activation", "preparation", "together", "episodes"):
        assert cell in " ".join(whole)


def test_where_donors_are_needed_the_plan_says_that_some_slots_may_have_none(tmp_path: Path) -> None:
    with_swap, without = (
        " ".join(forecast_lines(planned(tmp_path, f"conditions=[{kinds}]"), True))
        for kinds in ("irrelevant_swap, counter", "counter, paraphrase")
    )
    assert "Where none fits, a slot is not applicable" in with_swap
    assert "Where none fits" not in without


def test_the_plan_says_to_how_many_slots_of_each_arm_counter_applies(tmp_path: Path) -> None:
    def said(*settings: str) -> str:
        return " ".join(forecast_lines(planned(tmp_path, "arms=[none, control, oracle]", *settings), False))

    asked = "conditions=[counter, filler]"
    ruled = said(asked)
    assert "counter by rules applies, in the tasks looked at, to 6 of 8 slots of oracle." in ruled
    assert "To how many slots of control counter applies is known once their memory is made" in ruled
    assert "of control, oracle counter applies is known once a model has written it" in said(asked, *PAID)
    assert "counter applies" not in said("conditions=[filler]")


GIVEN = """
environment: {world: given, tasks: tasks.jsonl}
agent: {command: "grep -q green {memory_file}", outcome: exit}
backbone: own/grep
arms: [none, {name: mine, memory: notes.md}]
conditions: [filler, irrelevant_swap, counter]
"""


def test_the_plan_says_which_damage_does_not_fit_a_memory_that_was_given(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"query": "The lamp is red."}\n{"query": "The bell rings."}')

    def said(notes: str, *settings: str) -> str:
        (tmp_path / "notes.md").write_text(notes)
        spec = load_spec(write_spec(tmp_path, GIVEN), settings)
        return " ".join(forecast_lines(forecast_of(check_spec(spec, NOWHERE), wanted=UNSIMULATED), False))

    fits, unfit = said("Press the green button."), said("Press the green button. Pull the long lever.")
    assert "Not played: irrelevant_swap of mine: there is no other record" in fits
    assert "Not played: counter" not in fits
    assert "Not played: counter of mine: an item tells `Pull the long lever`, and neither a list" in unfit
    assert "roles: {perturber: MODEL, judge: MODEL}" in unfit
    written = said(
        "Press the green button. Pull the long lever.", f"roles={{perturber: {GPT}, judge: {GPT}}}"
    )
    assert "Not played: counter" not in written, "a model is to write it"


def test_simulated_costs_nothing_and_unknown_is_unknown(tmp_path: Path) -> None:
    assert planned(tmp_path).total_usd == FREE
    unknown = planned(tmp_path, "backbone=openai/unheard-of", "roles={}")
    assert unknown.total_usd == UNPRICED
    assert unknown.unpriced == ("openai/unheard-of",)
    mixed = planned(tmp_path, "roles.condenser=openai/unheard-of")
    assert mixed.total_usd == UNPRICED
    assert mixed.cost_usd["control"] == FREE
    known = planned(tmp_path, "backbone=openai/unheard-of", "roles={}",
                    "budget.prices={openai/unheard-of: {input: 1, output: 2}}")  # fmt: skip
    assert 0 < known.total_usd.low < known.total_usd.likely < known.total_usd.high


@pytest.mark.parametrize(
    ("few", "more"),
    [
        (("repeats=1",), ("repeats=3",)),
        (("environment.test=5",), ("environment.test=20",)),
        (("environment.train=5",), ("environment.train=20",)),
        (("conditions=[filler]",), ("conditions=[filler, corrupt_invert]",)),
        (("retrieval.k=1",), ("retrieval.k=4",)),
        (("arms=[none, control]",), ("arms=[none, control, artifact]",)),
        (("mode=stream", "repeats=1"), ("mode=stream", "repeats=3")),
        (("mode=stream", "arms=[none, artifact]"), ("mode=stream", "arms=[none, artifact, activation]")),
        (("roles.gate=simulated/examiner",), ("roles={}",)),
        ((f"traces.player={GPT}", f"backbone=[simulated/reader, {GPT}]", f"roles.condenser={GPT}"),
         (f"backbone=[{GPT}, openai/gpt-4.1]",)),
    ],
)  # fmt: skip
def test_more_of_anything_costs_more(tmp_path: Path, few: tuple[str, ...], more: tuple[str, ...]) -> None:
    less, dear = (planned(tmp_path, *PAID, *size).total_usd for size in (few, more))
    assert less.likely < dear.likely
    assert less.high < dear.high
    assert less.low <= dear.low


def test_attempts_are_counted_as_they_are_begun(tmp_path: Path) -> None:
    together = planned(tmp_path, *PAID).preparation_usd
    for setting in ("engine.attempts_together=false", "engine.workers=1"):
        in_turn = planned(tmp_path, *PAID, setting).preparation_usd
        assert in_turn.low < together.low
        assert in_turn.likely < together.likely
        assert in_turn.high == together.high


def test_a_stream_prepares_nothing_but_condenses_on_the_way(tmp_path: Path) -> None:
    frozen, stream = planned(tmp_path, *PAID), planned(tmp_path, *PAID, "mode=stream")
    assert (frozen.training_tasks, stream.training_tasks) == (24, 0)
    assert stream.preparation_usd.likely > 0
    longer = planned(tmp_path, *PAID, "mode=stream", "environment.train=96")
    assert longer.preparation_usd == stream.preparation_usd
    plain = planned(tmp_path, *PAID, "mode=stream", "arms=[none, oracle]")
    assert plain.preparation_usd == FREE


def test_what_a_run_of_two_backbones_shares_is_paid_once(tmp_path: Path) -> None:
    shared = ("traces={source: play, player: openai/gpt-4.1}", "roles={condenser: openai/gpt-4.1}")
    one = planned(tmp_path, "backbone=simulated/reader", *shared)
    two = planned(tmp_path, "backbone=[simulated/reader, simulated/ignorer]", *shared)
    assert one.total_usd == two.total_usd
    assert one.total_usd.low > 0


def test_a_memory_system_that_asks_nobody_costs_what_its_text_costs(tmp_path: Path) -> None:
    arms = f'arms=[none, {{name: notebook, memory: "{NOTEBOOK}:Notebook"}}]'
    ruled = ("traces={source: play, player: simulated/ignorer}", "roles.perturber=rules")
    plan = planned(tmp_path, *PAID, arms, *ruled)
    assert plan.preparation_usd == FREE
    assert plan.cost_usd["notebook"].likely > plan.cost_usd["none"].likely > 0


def test_the_player_of_training_tasks_needs_a_price_even_where_only_a_memory_system_learns(
    tmp_path: Path,
) -> None:
    arms = f'arms=[none, {{name: notebook, memory: "{NOTEBOOK}:Notebook"}}]'
    player = "traces={source: play, player: openai/unheard-of}"
    plan = planned(tmp_path, arms, "roles={}", player)
    assert plan.unpriced == ("openai/unheard-of",)
    assert plan.preparation_usd == UNPRICED
    with pytest.raises(SpecFault, match="unheard-of"):
        planned(tmp_path, arms, "roles={}", player, "budget.max_cost_usd=1")


def test_planning_sends_nothing_whoever_is_named(tmp_path: Path, capsys: Printed) -> None:
    with serve_script(script()) as server:
        environment = surroundings(server.url)
        for model in (GPT, "anthropic/claude-haiku-4-5"):
            for more in ("mode=frozen", "mode=stream", "retrieval.embedder=openai/text-embedding-3-small"):
                spec = load_spec(write_spec(tmp_path), [f"backbone={model}", "roles={}", "traces={}", more])
                forecast_of(check_spec(spec, environment), wanted=UNSIMULATED)
        assert server.counts()["requests"] == 0
    assert not list(tmp_path.glob("*/"))
    assert capsys.readouterr().out == ""


SILENT = """
name: silent
environment: {world: "stairs.py:Stairs"}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
arms: [none, control]
conditions: [filler]
repeats: 1
analysis: {flips: 199}
"""


@pytest.mark.parametrize("mode", ["frozen", "stream"])
def test_a_world_that_states_no_truth_is_planned_and_played_where_nobody_asks_for_it(
    tmp_path: Path, mode: str
) -> None:
    whole = STAIRS.read_text(encoding="utf-8")
    (tmp_path / "stairs.py").write_text(whole.partition("    def ground_truth")[0], encoding="utf-8")
    spec = load_spec(write_spec(tmp_path, SILENT), [f"mode={mode}"])
    assert forecast_of(check_spec(spec, NOWHERE), wanted=UNSIMULATED).calls > 0
    assert play_spec(spec, tmp_path / "out") == 0


def test_a_world_that_breaks_is_named_in_the_plan(tmp_path: Path) -> None:
    code = STAIRS.read_text(encoding="utf-8").replace("self.at = 0\n", "raise KeyError('no floor')\n", 1)
    (tmp_path / "stairs.py").write_text(code, encoding="utf-8")
    spec = load_spec(write_spec(tmp_path, SILENT))
    with pytest.raises(RunFault, match="reset raised KeyError: 'no floor'"):
        forecast_of(check_spec(spec, NOWHERE), wanted=UNSIMULATED)
