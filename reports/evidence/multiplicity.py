"""The multiplicity ledger of a report: families, their order, and what each of them may claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from loadbearing.analysis.result import Estimate
from loadbearing.analysis.verdicts.multiplicity import families
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.reports.model.rows import ListedFamily, Multiplicity

UNADJUSTED = (
    "sensitivity analyses",
    "task-by-task differences",
    "divergence of actions",
    "banks",
    "examples",
)
"""What a report holds besides families: exploratory in every run, intervals and p-values unadjusted."""


def multiplicity(estimates: Sequence[Estimate], plan: RunPlan, status: str) -> Multiplicity:
    """The key `multiplicity` of the results; no family of an exploratory run is confirmatory."""
    decides = "confirmatory" if status == "confirmatory" else "exploratory: no lock stands"
    listed = tuple(
        ListedFamily(**asdict(one), claim=decides if one.confirmatory else "secondary")
        for one in families(estimates, plan.alpha)
    )
    return Multiplicity(
        primary=next((one.name for one in listed if one.role == "primary"), None),
        alpha=plan.alpha,
        looks=plan.looks,
        order=tuple(one.name for one in listed if one.order is not None),
        gatekeeping="serial: a family is confirmatory only if all hypotheses before it were rejected",
        families=listed,
        exploratory=UNADJUSTED,
    )
