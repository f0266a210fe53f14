"""Outcomes drawn from set chances: participants whose verdicts are known."""

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis_rules import AnalysisRules
from memtrial.outcomes.outcomes import WITHOUT, OutcomeRow
from tests.support.effects import EFFECTS

PLAN = AnalysisPlan(
    arms=("control", "artifact", "oracle"),
    conditions=("filler", "corrupt_invert"),
    pairs=(("artifact", "control"),),
    effects=tuple(EFFECTS.items()),
    rules=AnalysisRules(flips=999),
)
CELLS = [(arm, condition) for arm in PLAN.arms for condition in ("intact", *PLAN.conditions)] + [WITHOUT]


def play(chances, n=60, repeats=3, backbone="m", seed=1, default=0.4, tasks=None):
    """Outcomes of a participant that solves each cell with the chance given."""
    rng = np.random.default_rng([seed, n, *backbone.encode()])
    return tuple(
        OutcomeRow(
            backbone,
            arm,
            condition,
            task,
            "",
            repeat,
            float(rng.random() < chances.get((arm, condition), default)),
        )
        for task in tasks or [f"t{i:03d}" for i in range(n)]
        for repeat in range(repeats)
        for arm, condition in CELLS
    )


READER = {(arm, c): 0.85 for arm in PLAN.arms for c in ("intact",)}
SKIMMER = {(arm, c): 0.85 for arm in PLAN.arms for c in ("intact", "filler", "corrupt_invert")}
TREATED = {**SKIMMER, ("artifact", "corrupt_invert"): 0.4, ("oracle", "corrupt_invert"): 0.4}


def of(analysis, estimand, arm, condition="without", backbone="m"):
    (found,) = [
        e
        for e in analysis.estimates
        if (e.estimand, e.arm, e.condition, e.backbone) == (estimand, arm, condition, backbone)
    ]
    return found
