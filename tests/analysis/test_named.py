"""What is named and not advised: done as often as what is advised by one to whom naming is all."""

import numpy as np
import pytest

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.behaviour.acts import Acts
from memtrial.analysis.calibration.experiments import outcomes
from memtrial.analysis_rules import AnalysisRules
from memtrial.outcomes.outcomes import WITHOUT, Outcomes

CELLS = (WITHOUT, ("a", "intact"), ("a", "corrupt_invert"), ("a", "counter"))
PLAN = AnalysisPlan(arms=("a",), conditions=("corrupt_invert", "counter"), rules=AnalysisRules(flips=199))


def _table(*chances: float) -> Outcomes:
    rng = np.random.default_rng(1)
    scores = (rng.random((4, 60, 3)) < np.array(chances)[:, None, None]).astype(np.float64)
    return outcomes(scores, CELLS, np.arange(60))


@pytest.mark.parametrize(
    ("turned", "countered", "word"), [(0.8, 0.1, "naming"), (0.1, 0.4, "meaning"), (0.2, 0.2, "alike")]
)
def test_what_being_named_does_has_a_row_and_a_word(turned: float, countered: float, word: str) -> None:
    told, other = _table(0.0, 0.9, turned, countered), _table(0.0, 0.1, 0.1, 0.7)
    rows = analyse(_table(0.2, 0.6, 0.5, 0.4), PLAN, acts=Acts(told, other, told)).estimates
    (row,) = (row for row in rows if row.estimand == "named")
    assert (row.arm, row.versus, row.condition) == ("a", "counter", "corrupt_invert")
    assert row.estimate == pytest.approx(turned - countered, abs=0.12)
    assert row.verdict == word


def test_it_is_asked_only_where_both_are_played() -> None:
    plan = AnalysisPlan(arms=("a",), conditions=("counter",), rules=AnalysisRules(flips=199))
    told = _table(0.0, 0.9, 0.8, 0.1)
    rows = analyse(_table(0.2, 0.6, 0.5, 0.4), plan, acts=Acts(told, told, told)).estimates
    assert not any(row.estimand == "named" for row in rows)
