"""The outcome table: what it refuses, and how trials become cell means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ledger.outcomes import OutcomeRow, Outcomes

ROW = OutcomeRow("m", "control", "intact", "t", "", 0, 1.0)


@pytest.mark.parametrize(
    "change",
    [{"score": 1.2}, {"score": -0.1}, {"score": float("nan")}, {"arm": "none"}, {"condition": "without"}],
)
def test_a_row_that_cannot_be_is_refused(change):
    with pytest.raises(ValueError, match="task 't'"):
        replace(ROW, **change)


def test_a_trial_stands_once_and_a_task_has_one_cluster():
    with pytest.raises(ValueError, match="2 rows"):
        Outcomes((ROW, ROW))
    with pytest.raises(ValueError, match="one cluster"):
        Outcomes((replace(ROW, cluster="a"), replace(ROW, cluster="b", repeat=1)))


def test_cells_average_scores_and_count_errors():
    rows = (
        ROW,
        replace(ROW, repeat=1, score=0.0),
        replace(ROW, repeat=2, score=None),
        replace(ROW, task="u", cluster="c", score=None, empty_slot=True),
        replace(ROW, backbone="n", task="v"),
        replace(ROW, condition="filler", empty_slot=True),
    )
    outcomes = Outcomes(rows)
    table = outcomes.cells("m")
    assert table.tasks == ("t", "u", "v")
    assert table.clusters == ("t", "c", "v")
    np.testing.assert_array_equal(table.mean(("control", "intact")), [0.5, np.nan, np.nan])
    assert table.repeats == 3
    assert table.played.tolist() == [True, True, False]
    low, high = table.bounds(("control", "intact"))
    np.testing.assert_allclose(low, [1 / 3, 0, np.nan])
    np.testing.assert_allclose(high, [2 / 3, 1, np.nan])
    assert outcomes.errors() == {"control": 2}
    assert outcomes.empty_slots() == {"control": 1 / 5}
