"""Banks: how far each estimate moves with the draw of the bank, where each repeat has a bank of its own."""

from __future__ import annotations

from math import isfinite

from loadbearing.analysis.groups.bank_variance import spread_of_banks
from loadbearing.analysis.inference.contrast_inference import units_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.reports.inputs.contrasts import named, shown_contrasts
from loadbearing.reports.model.rows import BankRow

_NUMBERS = ("estimate", "sd", "sd_high", "p", "low", "high", "low_both", "high_both")


def bank_rows(outcomes: Outcomes, rules: AnalysisPlan, plan: RunPlan) -> tuple[BankRow, ...]:
    """`banks` of the results, a row a contrast; none where all repeats show one bank.

    Args:
        outcomes: all trials; repeat r of a cell was played with the r-th bank.
        rules: what is compared.
        plan: the number of draws.
    """
    if plan.draws < 2:
        return ()
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    found = []
    for _, backbone, contrast in shown_contrasts(rules, outcomes.backbones):
        table = tables[backbone]
        spread = spread_of_banks(contrast.per_repeat(table), rules.alpha, units_of(table))
        if spread is not None:
            found.append(
                BankRow(
                    **dict(named(contrast, backbone)),
                    by_draw=tuple(_finite(value) for value in spread.by_draw),
                    n_tasks=spread.n_tasks,
                    **{name: _finite(getattr(spread, name)) for name in _NUMBERS},
                )
            )
    return tuple(found)


def _finite(value: float) -> float | None:
    """JSON knows no infinity."""
    return value if isfinite(value) else None
