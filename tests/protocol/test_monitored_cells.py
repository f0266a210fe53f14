"""The e-process of a hypothesis is of the means of its cells, over complete tasks, in any order of rows."""

import json
from itertools import product

import numpy as np
import pytest

from memtrial.analysis.sequential.interim import log_e
from memtrial.ledger.run_plan import RunPlan
from memtrial.ledger.trial_cells import TrialScore
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
