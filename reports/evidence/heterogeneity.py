"""Whether the backbones of a run differ in what was estimated."""

from __future__ import annotations

import numpy as np

from loadbearing.analysis.groups.heterogeneity import heterogeneity
from loadbearing.analysis.inference.contrast_inference import units_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.reports.inputs.contrasts import named, shown_contrasts
from loadbearing.reports.model.rows import HeterogeneityRow


def heterogeneity_rows(outcomes: Outcomes, plan: AnalysisPlan) -> tuple[HeterogeneityRow, ...]:
    """`heterogeneity` of the results, a row a contrast; none with a single backbone."""
    backbones = outcomes.backbones
    if len(backbones) < 2:
        return ()
    tables = [outcomes.cells(backbone) for backbone in backbones]
    units = units_of(tables[0])
    found = []
    for _, _, contrast in shown_contrasts(plan, backbones[:1]):
        one = heterogeneity(np.column_stack([contrast.per_task(table) for table in tables]), units)
        found.append(
            HeterogeneityRow(
                **dict(named(contrast)),
                n_clusters=one.n_units,
                statistic=one.statistic,
                p=one.p,
                note=one.note,
            )
        )
    return tuple(found)
