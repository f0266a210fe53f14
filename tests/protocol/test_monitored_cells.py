"""The e-process of a hypothesis is of the means of its cells, over complete tasks, in any order of rows."""

import json
from itertools import product

import numpy as np
import pytest

from memtrial.analysis.sequential.interim import log_e
from memtrial.ledger.blocks.block_outcomes import BlockOutcomes
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.rows import Status
from memtrial.ledger.run_plan import RunPlan
from memtrial.ledger.trial_cells import TrialScore
from memtrial.protocol.complete_outcomes import narrow_blocks
from memtrial.protocol.masking import NOTHING_MASKED, Mask
from memtrial.protocol.monitoring import cells_monitored, monitor_trials
from tests.support.verb_ledger import PLAN

CELLS = [("none", "without"), *product(("artifact", "control"), ("intact", "filler"))]


def test_it_is_of_the_means_of_complete_tasks() -> None:
    arms = {"arms": ["none", "control", "artifact"], "pairs": [["artifact", "control"]], "clusters": {}}
    order = {"backbones": ["b"], "outcome": "score", "task_order": [f"t{n}" for n in range(9)]}
    plan = RunPlan.model_validate_json(json.dumps(PLAN | arms | order))
    rng = np.random.default_rng(3)
    scores = rng.random((9, len(CELLS), 2)).round(3)
    rows = [
        TrialScore("k", "b", *CELLS[cell], f"t{task}", repeat, "success", float(scores[task, cell, repeat]))
        for task, cell, repeat in product(range(9), range(len(CELLS)), range(2))
        if (task, cell, repeat) != (8, 0, 1)  # its last block was not played
    ]
    assert cells_monitored(plan) == set(CELLS[1:])
    means = scores[:8].mean(axis=2)
    path = log_e((means[:, 1] - means[:, 2]) - (means[:, 3] - means[:, 4]))
    for told in (rows, rows[::-1]):
        seen = monitor_trials(told, plan, (), False)
        (row,) = seen.hypotheses
        assert (seen.tasks_complete, row.treatment, row.control) == (8, "artifact", "control")
        assert row.e == pytest.approx(float(np.exp(path[-1])))


def test_the_order_of_rows_changes_no_digit() -> None:
    arms = {"arms": ["none", "control", "artifact"], "pairs": [["artifact", "control"]], "clusters": {}}
    order = {"backbones": ["b"], "outcome": "score", "task_order": ["t0", "t1"], "repeats": 3}
    plan = RunPlan.model_validate_json(json.dumps(PLAN | arms | order))
    rows = [
        TrialScore("k", "b", *cell, task, repeat, "success", share if cell == CELLS[1] else 0.5)
        for task, cell in product(("t0", "t1"), CELLS)
        for repeat, share in enumerate((0.1, 0.2, 0.3))
    ]
    assert sum((0.1, 0.2, 0.3)) != sum((0.3, 0.2, 0.1))
    assert monitor_trials(rows, plan, (), False) == monitor_trials(rows[::-1], plan, (), False)


def plan_of_two() -> RunPlan:
    arms = {"arms": ["none", "control", "artifact"], "pairs": [["artifact", "control"]], "clusters": {}}
    return RunPlan.model_validate_json(json.dumps(PLAN | arms | {"backbones": ["b"]}))


def test_of_blocks_the_planned_trials_of_some_cells_are_left_under_masked_names() -> None:
    whole, wanted = [*CELLS, ("stranger", "intact")], {("none", "without"), ("arm 1", "intact")}
    statuses: tuple[Status, ...] = ("failure", "error", "success", "success", "success", "success")
    block = BlockOutcomes("b", "t0", 0, tuple(whole), statuses, (0.5, None, 1.0, 1.0, 1.0, 1.0))
    blocks = [block, block._replace(backbone="another"), block._replace(cells=(whole[5],) * 6, task="t1")]
    mask = Mask({"artifact": "arm 1", "control": "arm 2"})
    assert list(narrow_blocks(blocks, plan_of_two(), mask, wanted)) == [
        BlockOutcomes("b", "t0", 0, (("none", "without"), ("arm 1", "intact")), statuses[:2], (0.5, None))
    ]


@pytest.mark.parametrize("score", [1.5, -0.1])
def test_a_score_that_is_none_and_a_trial_that_stands_twice_are_refused(score: float) -> None:
    odd = BlockOutcomes("b", "t0", 0, (CELLS[0],), ("success",), (score,))
    twice = BlockOutcomes("b", "t0", 0, (CELLS[0],) * 2, ("success",) * 2, (1.0, 1.0))
    for block, said in ((odd, rf"\('b', 'none', 'without', 't0', 0\) has {score}"), (twice, "twice")):
        with pytest.raises(LedgerFault, match=said):
            list(narrow_blocks([block], plan_of_two(), NOTHING_MASKED, {CELLS[0]}))
