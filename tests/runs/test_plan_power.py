"""`plan` on power: what it says for a spec, a pilot, a budget; and what it refuses."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memtrial.analysis.planning.power import ClosedForm
from memtrial.analysis.planning.variance import ASSUMED_CONTRAST, ASSUMED_DROP
from memtrial.cli.experiment.plan import plan as show_plan
from memtrial.faults import SpecFault
from memtrial.runs.forecast.cost_forecast import read_pilot
from memtrial.runs.forecast.forecast_text import forecast_lines
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import Forecast, forecast_of
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.scripted_run import GPT, surroundings
from tests.support.small import SPEC, write_spec

Printed = pytest.CaptureFixture[str]
NOWHERE = surroundings("http://127.0.0.1:9")
PAID = (f"backbone={GPT}", "roles={}", "traces={}", "traces={source: play, attempts: 2}")
ALONE = "analysis.cluster=task"


def planned(place: Path, *settings: str, **wanted: Any) -> Forecast:
    asked = PlanOptions(**({"simulate": 0} | wanted))
    return forecast_of(check_spec(load_spec(write_spec(place), settings), NOWHERE), None, asked)


def printed(plan: Forecast) -> str:
    return " ".join(" ".join(forecast_lines(plan, True)).split())


def test_what_can_be_detected_is_the_closed_form_on_stated_assumptions(tmp_path: Path) -> None:
    plan = planned(tmp_path, ALONE, "environment.test=120", "repeats=3")
    for name, parts in (("drop", ASSUMED_DROP), ("contrast", ASSUMED_CONTRAST)):
        test, row = ClosedForm(3, parts), plan.estimands[name]
        assert plan.detectable[name] == pytest.approx(test.detectable(120))
        assert row.parts == parts
        assert row.power < test.power(0.1, 120)
        assert plan.estimands[name].effective_tasks == 120
        assert row.tasks_upper is None
    assert "assumed" in plan.detectable_is
    assert "assumed" in plan.variance


def test_a_family_costs_and_tasks_have_the_wanted_power(tmp_path: Path) -> None:
    settings = (ALONE, "backbone=simulated/reader", "arms=[none, control, artifact]")
    plan = planned(tmp_path, *settings, effect=0.15, power=0.9)
    for row in plan.estimands.values():
        assert row.family > 1
        assert row.detectable is None or row.detectable > row.detectable_alone
        assert row.tasks == row.tasks_sharing > plan.tasks
        assert row.power < 0.9
    needed = plan.estimands["contrast"].tasks
    enough = planned(tmp_path, *settings, f"environment.test={needed}", effect=0.15, power=0.9)
    assert enough.estimands["contrast"].power == pytest.approx(0.9, abs=0.01)
    assert enough.estimands["contrast"].detectable == pytest.approx(0.15, abs=0.002)
    assert list(plan.allocation) == [1, 2, 3, 5, 8, 10]
    tasks = list(plan.allocation.values())
    assert tasks == sorted(tasks, reverse=True)
    episodes = [repeats * n for repeats, n in plan.allocation.items()]
    assert episodes[0] == min(episodes)  # a further task costs nothing but its episodes
    assert plan.best_repeats == 1


def test_clusters_make_tasks_worth_less(tmp_path: Path) -> None:
    apart = planned(tmp_path, ALONE, "environment.test=60")
    family = planned(tmp_path, "analysis.cluster=family", "environment.test=60")
    record = planned(tmp_path, "environment.test=60")
    assert family.clusters == 12 < record.clusters < 60
    for plan in (family, record):
        row = plan.estimands["contrast"]
        assert plan.estimands["contrast"].effective_tasks < 60
        assert plan.detectable["contrast"] > apart.detectable["contrast"]
        assert row.tasks < (row.tasks_sharing or 10**9)
    # what was planned is what the run then states
    few = ("backbone=simulated/reader", "arms=[none, control]", "conditions=[filler]", "repeats=1",
           "environment.train=8")  # fmt: skip
    spec = load_spec(write_spec(tmp_path), (*few, "analysis.flips=199"))
    assert play_spec(spec, tmp_path / "out", told=False) == 0
    stated = read_pilot(tmp_path / "out").plan.clusters
    found = forecast_of(check_spec(spec), wanted=PlanOptions(simulate=0))
    assert found.clusters == len(set(stated.values()))


def test_a_pilot_replaces_what_is_assumed(tmp_path: Path) -> None:
    text = SPEC.replace("train: 24, test: 8", "train: 8, test: 16")
    few = ("arms=[none, control, artifact]", "conditions=[corrupt_invert]", "backbone=simulated/reader")
    settings = (*few, "analysis.flips=199")
    spec = load_spec(write_spec(tmp_path, text), settings)
    assert play_spec(spec, tmp_path / "out", told=False) == 0
    experiment, wanted = check_spec(spec), PlanOptions(simulate=0)
    pilot = read_pilot(tmp_path / "out")
    plan = forecast_of(experiment, pilot, wanted)
    assert "pilot of simulated models" in plan.variance
    assert {one.estimand for one in plan.piloted} >= {"utility", "drop"}
    assert plan.estimands["drop"].parts != ASSUMED_DROP
    drops = [one.parts.repeat for one in plan.piloted if one.estimand == "drop"]
    assert plan.estimands["drop"].parts.repeat == pytest.approx(sum(drops) / len(drops))
    assert all(row.tasks_upper > row.tasks for row in plan.estimands.values() if row.tasks_upper is not None)
    assert plan.estimands["drop"].tasks_upper is not None
    assert "upper 80 % limit of the pilot's variance" in printed(plan)
    json.dumps(plan.as_json(), allow_nan=False)
    four = sorted({row.task for row in pilot.rows})[:4]
    small = replace(pilot, rows=tuple(row for row in pilot.rows if row.task in four))
    assert "assumed" in forecast_of(experiment, small, wanted).variance


def test_a_simulation_is_the_answer_where_it_is_asked_for(tmp_path: Path) -> None:
    few = ("backbone=simulated/reader", "arms=[none, control, artifact]", "conditions=[filler]")
    settings = (ALONE, *few, "environment.test=60", "repeats=3")
    closed = planned(tmp_path, *settings, effect=0.2)
    plan = planned(tmp_path, *settings, effect=0.2, simulate=150)
    for row, formula in zip(plan.estimands.values(), closed.estimands.values(), strict=True):
        assert row.experiments == 150
        assert row.power == pytest.approx(formula.power, abs=0.11)
        assert row.tasks == formula.tasks
        assert formula.experiments == 0
    text = printed(planned(tmp_path, *settings, effect=0.2, simulate=20))
    assert "simulated, 20 made-up experiments with the real test" in text


def test_power_is_simulated_unasked_where_the_design_is_small(tmp_path: Path) -> None:
    few = (ALONE, "arms=[none, control]", "conditions=[filler]", "repeats=1", "environment.test=8")
    plan = planned(tmp_path, *few, simulate=None)
    row = plan.estimands["drop"]
    assert plan.primary == "drop"
    assert row.power < 0.1
    assert all(one.experiments for one in plan.estimands.values())
    text = printed(plan)
    assert "experiments with the real test" in text
    assert "*" in text
    many = ("environment.test=8000", "environment.train=5", "arms=[none, control]", "conditions=[filler]")
    large = planned(tmp_path, ALONE, *many, simulate=None)
    assert all(row.experiments == 0 for row in large.estimands.values())


def test_an_effect_without_room_is_said(tmp_path: Path) -> None:
    plan = planned(tmp_path, ALONE, effect=0.47)
    assert plan.estimands["drop"].no_room is None
    assert "less than 0.45" in plan.estimands["contrast"].no_room
    text = printed(plan)
    assert text.startswith("No design can show a contrast of 0.47: ")
    assert "would show" not in text


def test_a_plan_whose_records_are_too_few_says_what_to_do(tmp_path: Path) -> None:
    plan = planned(tmp_path, *PAID, "environment.test=60")
    row = plan.estimands["contrast"]
    assert row.tasks_sharing is None
    assert plan.decision_usd["artifact"] > 0
    text = printed(plan)
    assert "add training tasks" in text
    assert f"About {row.tasks:,} tasks x 2 repeats would show 0.1" in text
    cost = plan.total_usd
    assert f"Cost: about ${cost.likely:,.2f} (${cost.low:,.2f} to ${cost.high:,.2f})" in text


def test_a_design_that_is_large_enough_says_so(tmp_path: Path) -> None:
    text = printed(planned(tmp_path, ALONE, "environment.test=120", "repeats=5", effect=0.3))
    assert text.startswith("This design can show a contrast of 0.3: power ")
    assert "would show" not in text
    once = printed(planned(tmp_path, ALONE, "repeats=1"))
    assert "8 tasks x 1 repeat x" in once


def test_a_budget_is_spent_as_well_as_it_can_be(tmp_path: Path) -> None:
    few = (ALONE, *PAID, "arms=[none, control, artifact]", "conditions=[filler]")
    plan = planned(tmp_path, *few, budget_usd=20.0)
    found = plan.budget
    assert plan.usd.of(found.tasks, found.repeats) <= 20.0 < plan.usd.of(found.tasks + 1, found.repeats)
    assert f"$20.00 can show a contrast of {found.detectable:.2f} at best" in printed(plan)
    richer = planned(tmp_path, *few, budget_usd=40.0).budget
    assert richer.detectable < found.detectable
    poor = planned(tmp_path, *few, budget_usd=0.01)
    assert poor.budget.detectable is None
    assert "$0.01 can show no contrast at all" in printed(poor)
    assert planned(tmp_path, *few, task_usd=5.0).best_repeats > plan.best_repeats == 1
    with pytest.raises(SpecFault, match="costs above 0"):
        planned(tmp_path, budget_usd=200.0)


def test_a_decision_costs_its_cells_and_more_where_they_are_dearer(tmp_path: Path) -> None:
    plan = planned(tmp_path, ALONE, *PAID)
    found = plan.decision_usd
    assert found.keys() == {"control", "artifact", "activation", "oracle"}
    assert found["artifact"] > found["control"] > 0
    cells = sum(cell.arm == "control" for cell in plan.cells)
    each = plan.cost_usd["control"].likely / (cells * plan.tasks * plan.repeats)
    assert found["control"] == pytest.approx(plan.estimands["drop"].tasks * plan.repeats * 2 * each)
    unknown = planned(tmp_path, "backbone=openai/unheard-of", "roles={}")
    assert unknown.decision_usd["control"] is None


def test_equivalence_stands_beside(tmp_path: Path) -> None:
    drop = planned(tmp_path, ALONE, "repeats=3", "environment.test=90").estimands["drop"]
    assert drop.inert_tasks == pytest.approx(90, abs=3)
    assert drop.inert == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    "settings",
    [("arms=[none, oracle]",), ("arms=[none, control]", "conditions=[filler]"), ("environment.test=1",),
     ("environment.test=3", "repeats=1")],
)  # fmt: skip
def test_small_and_odd_designs_are_planned(tmp_path: Path, settings: tuple[str, ...]) -> None:
    plan = planned(tmp_path, *settings)
    json.dumps(plan.as_json(), allow_nan=False)
    assert "Smallest effects it shows" in printed(plan)


def test_the_figure_is_written_with_its_data(tmp_path: Path, capsys: Printed) -> None:
    spec = load_spec(write_spec(tmp_path))
    show_plan(spec, simulate=0, as_json=True, figure=tmp_path / "curve.html")
    plan = json.loads(capsys.readouterr().out)
    page = (tmp_path / "curve.html").read_text()
    assert all(f"{row['repeats']} × {row['tasks']:,}: " in page for row in plan["curve"])
    assert "3 repeats" in page
    assert "NaN" not in page
    by_repeats = [[row["power"] for row in plan["curve"] if row["repeats"] == r] for r in (1, 3, 5)]
    assert all(few <= more + 1e-4 for curve in by_repeats for few, more in pairwise(curve))
    assert all(few <= more for few, more in zip(*by_repeats[:2], strict=True))
    for path in (tmp_path / "x.png", tmp_path / "nowhere" / "x.html"):
        with pytest.raises(SpecFault, match="--figure"):
            show_plan(spec, simulate=0, as_json=True, figure=path)


@pytest.mark.parametrize(
    "wanted",
    [
        {"effect": 0.0},
        {"effect": float("nan")},
        {"power": 1.0},
        {"budget_usd": 0.0},
        {"simulate": -1},
        {"task_usd": -1.0},
        {"task_usd": float("inf")},
    ],
)  # fmt: skip
def test_a_number_out_of_range_is_named_with_its_option(wanted: dict[str, Any]) -> None:
    with pytest.raises(SpecFault, match=r"^--[a-z-]+ takes [^\n]+; got [^\n]+$"):
        PlanOptions(**wanted)
