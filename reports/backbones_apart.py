"""Whether the backbones of a run differ in what was estimated."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.backbones import heterogeneity
from analysis.evidence import units_of
from analysis.plan import AnalysisPlan
from ledger.outcomes import Outcomes
from reports import numerals
from reports.contrasts import named, shown_contrasts
from reports.rows import Results, rows, subject
from reports.table import CONDITION, Table, number, tabulate, text


def heterogeneity_rows(outcomes: Outcomes, plan: AnalysisPlan) -> list[dict[str, Any]]:
    """`heterogeneity` of the results, a row a contrast; none with a single backbone."""
    backbones = outcomes.backbones
    if len(backbones) < 2:
        return []
    tables = [outcomes.cells(backbone) for backbone in backbones]
    units = units_of(tables[0])
    found = []
    for _, _, contrast in shown_contrasts(plan, backbones[:1]):
        one = heterogeneity(np.column_stack([contrast.per_task(table) for table in tables]), units)
        found.append(
            named(contrast)
            | {"n_clusters": one.n_units, "statistic": one.statistic, "p": one.p, "note": one.note}
        )
    return found


def heterogeneity_table(results: Results) -> Table:
    """Whether the backbones differ, a row a contrast."""
    return tabulate(
        "Whether the contrast is the same on every backbone: Hotelling's T² on the differences inside tasks. "
        "Exploratory, each p alone.",
        rows(results, "heterogeneity"),
        text("estimand", "name"),
        ("of", "name", subject),
        CONDITION,
        number("statistic", numerals.plain, "T²"),
        number("p", numerals.probability),
        text("note", "remark"),
    )
