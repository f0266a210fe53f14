"""The analysis on outcomes of a real model, against McNemar's test."""

import csv
from pathlib import Path

import numpy as np
import pytest

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.outcomes.outcomes import WITHOUT, OutcomeRow, Outcomes

ALFWORLD = Path(__file__).resolve().parents[3] / "shared" / "data" / "outcomes" / "alfworld_reflexion.csv"


@pytest.mark.parametrize("trial", [0, 2, 6])
def test_reflexion_on_alfworld_agrees_with_mcnemar(trial):
    if not ALFWORLD.exists():
        pytest.skip("the ALFWorld outcomes are not beside this checkout")
    from statsmodels.stats.contingency_tables import mcnemar

    with ALFWORLD.open() as file:
        table = [line for line in csv.DictReader(file) if int(line["trial"]) == trial]
    cell = {"retry": WITHOUT, "reflexion": ("reflexion", "intact")}
    rows = tuple(
        OutcomeRow("model", *cell[line["arm"]], line["task"], "", 0, float(line["success"])) for line in table
    )
    plan = AnalysisPlan(arms=("reflexion",), conditions=(), positive_control=None)
    (gain,) = analyse(Outcomes(rows), plan).estimates
    won = {arm: {x["task"] for x in table if x["arm"] == arm and x["success"] == "1"} for arm in cell}
    gained, lost = len(won["reflexion"] - won["retry"]), len(won["retry"] - won["reflexion"])
    expected = mcnemar(np.array([[0, gained], [lost, 0]]), exact=True).pvalue
    noise = 4 * np.sqrt(expected * (1 - expected) / plan.rules.flips) + 1 / plan.rules.flips
    assert gain.n_tasks == 134
    assert gain.estimate == pytest.approx((gained - lost) / 134)
    assert gain.p == pytest.approx(expected, abs=noise)
    assert gain.verdict == ("helps" if expected <= 0.05 and gained > lost else gain.verdict)
    assert gain.n_informative == gained + lost
