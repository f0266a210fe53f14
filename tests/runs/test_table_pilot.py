"""A table of outcomes as a pilot: its variance, and nothing of cost."""

from pathlib import Path

import numpy as np
import pytest

from memtrial.analysis.planning.variance import ASSUMED_CONTRAST, ASSUMED_DROP
from memtrial.api.run import plan
from memtrial.faults import SpecFault
from memtrial.outcomes.table_fault import TableFault
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import BY_PROMPTS, Forecast
from tests.support.odd_tables import DAMAGED, PLAIN
from tests.support.small import write_spec
from tests.support.stranger_tables import BASE, MEMORY


def planned(folder: Path, text: str, *options: str, **words: tuple[str, ...]) -> Forecast:
    table = folder / "t.csv"
    table.write_text(text)
    return plan(write_spec(folder), PlanOptions(simulate=0), table, pilot_options=options, **words)


def test_a_table_of_arms_tells_how_much_a_difference_varies(tmp_path: Path) -> None:
    forecast = planned(tmp_path, PLAIN)
    spread = np.subtract(MEMORY, BASE).var(ddof=1)
    for name in ("utility", "drop"):
        assert forecast.estimands[name].parts.total(1) == pytest.approx(spread)
    assert forecast.estimands["contrast"].parts == ASSUMED_CONTRAST
    assert "a drop's taken to be that of its arms' differences" in forecast.variance
    assert forecast.cost_is == BY_PROMPTS


def test_a_table_of_damage_tells_of_drops(tmp_path: Path) -> None:
    forecast = planned(tmp_path, DAMAGED)
    assert {row.estimand for row in forecast.piloted} == {"utility", "drop"}
    assert forecast.estimands["drop"].parts not in (ASSUMED_DROP, forecast.estimands["utility"].parts)
    assert forecast.variance.startswith("from the pilot;")


def test_what_is_unclear_is_asked_with_the_command(tmp_path: Path) -> None:
    wide = "task,gpt-4o,gpt-5\n" + "".join(
        f"{n},{5 * a},{5 * b}\n" for n, (a, b) in enumerate(zip(BASE, MEMORY, strict=True))
    )
    command = ("memtrial", "plan", "my spec.yaml", "--pilot", "t.csv")
    with pytest.raises(TableFault) as caught:
        planned(tmp_path, wide, command=command)
    said = str(caught.value)
    answers = ("reference=gpt-4o", "scale=5")
    assert said.endswith(
        f"memtrial plan 'my spec.yaml' --pilot t.csv --pilot-option {answers[0]} --pilot-option {answers[1]}"
    )
    told = planned(tmp_path, wide, *answers)
    assert told.estimands["utility"].parts == planned(tmp_path, PLAIN).estimands["utility"].parts


@pytest.mark.parametrize("option", ["margin=1", "reference", "number-repeats=1", "scale=much"])
def test_an_option_that_there_is_not(option: str, tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="--pilot-option") as caught:
        planned(tmp_path, PLAIN, option)
    assert "\n" not in str(caught.value)


def test_options_are_about_a_table(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="is none"):
        plan(write_spec(tmp_path), PlanOptions(simulate=0), tmp_path / "no", pilot_options=("at=1",))
