"""Follow, estimated: the same engine on a table whose score is whether the agent did what it was told."""

from __future__ import annotations

import numpy as np

from loadbearing.analysis.analyse import row_of
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.groups.pooled import pooled
from loadbearing.analysis.inference.contrast_inference import Evidence, gather
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.secondary.adherence import (
    COUNTER,
    follow,
    follows_apart,
    judge_follow,
    judge_follows_apart,
)
from loadbearing.analysis.wording import Verdict
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.outcomes.reserved_names import ALL

_STREAM = 50


def estimate_follow(acts: Outcomes, plan: AnalysisPlan) -> tuple[Estimate, ...]:
    """Follow of each arm, then of each pair; with several backbones also for their mean.

    Args:
        acts: a table whose score is 1 where the agent did the action that the intact item advises, at the
            first state where it applies, and 0 where it did not; None where no advised action is known.
        plan: arms, pairs, margin, alpha; nothing is estimated unless `counter` is among its conditions.
    """
    if COUNTER not in plan.conditions:
        return ()
    tables = {backbone: acts.cells(backbone) for backbone in acts.backbones}
    together = pooled(tables)
    groups = [acts.backbones]
    if together is not None:
        tables[ALL] = together
        groups.append((ALL,))
    played = [arm for arm in plan.arms if not plan.cells or (arm, COUNTER) in plan.cells]
    kinds = (
        ("follow", [follow(arm) for arm in played]),
        ("follow, of two arms", [follows_apart(*pair) for pair in plan.pairs if set(pair) <= set(played)]),
    )
    rows = []
    for at, (family, contrasts, backbones) in enumerate(
        (name, listed, group) for group in groups for name, listed in kinds
    ):
        members = tuple((backbone, one) for backbone in backbones for one in contrasts)
        rng = np.random.default_rng([plan.seed, _STREAM + at])
        name = f"{family}, all backbones" if backbones == (ALL,) else family
        for (backbone, one), found in zip(members, gather(members, tables, plan, rng), strict=True):
            if found.n_tasks:
                verdict = _judge(one, found, plan)
                errors = one.errors(tables[backbone])
                rows.append(row_of(backbone, one, name, found, verdict, None, errors, None))
    return tuple(rows)


def _judge(contrast: Contrast, evidence: Evidence, plan: AnalysisPlan) -> Verdict:
    judge = judge_follow if contrast.versus == "intact" else judge_follows_apart
    return judge(evidence, plan)
