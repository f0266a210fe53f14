"""Estimation: every contrast of some families measured on a table of outcomes, before any word is chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.behaviour.cancellation import cancellation
from loadbearing.analysis.estimands.contrast import Contrast, same_text
from loadbearing.analysis.families import Family
from loadbearing.analysis.groups.heterogeneity import pooled
from loadbearing.analysis.inference.contrast_inference import gather, units_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.verdicts.facts import Headroom, Measured
from loadbearing.analysis.verdicts.rules import WORDS, kind_of
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.outcomes.outcomes import WITHOUT, CellTable, Outcomes
from loadbearing.outcomes.reserved_names import ALL, INSTRUCTED

Found = tuple[Estimate, Measured]


def measured(outcomes: Outcomes, plan: AnalysisPlan, families: Iterable[Family]) -> tuple[Found, ...]:
    """A row for each member of each family, without its word, and what was measured beside it.

    Each family is tested over all backbones at once: within one, the adjusted p-values bound the chance of a
    single false word.

    Args:
        outcomes: all trials; arms and conditions outside the families are left out of the tests.
        plan: margin, alpha, flips and seed.
        families: those of the mean over all backbones only where there are several.
    """
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    together = pooled(tables)
    if together is not None:
        tables[ALL] = together
    found: list[tuple[Contrast, Estimate, Measured]] = []
    for family in families:
        rng = generator(plan.seed, family.stream)
        rows = gather(family.name, family.members, tables, plan, rng)
        for (backbone, contrast), row in zip(family.members, rows, strict=True):
            column = contrast.per_task(tables[backbone])
            same = row.n_tasks > 0 and bool(np.nanmax(np.abs(column)) < 1e-9)
            beside = Measured(same, contrast.bounds, _headroom(row, tables[backbone], column))
            found.append((contrast, _completed(row, contrast, outcomes, tables[backbone]), beside))
    # effects that cancel on one backbone cancel in the mean over all as well
    pooled_within = {contrast for contrast, row, _ in found if row.backbone == ALL and row.within(plan.alpha)}
    return tuple(
        (
            row,
            replace(
                beside,
                cancellation=cancellation(
                    [(weight, tables[row.backbone].scores(cell)) for cell, weight in contrast.weights],
                    units_of(tables[row.backbone]),
                    plan,
                    generator(plan.seed, Stream.CANCELLATION),
                ),
            ),
        )
        if _may_be_inert(row) and (row.within(plan.alpha) or contrast in pooled_within)
        else (row, beside)
        for contrast, row, beside in found
    )


def _completed(row: Estimate, contrast: Contrast, outcomes: Outcomes, table: CellTable) -> Estimate:
    """The row with what it owes to texts and errors, and not to scores."""
    if row.estimand == "contrast" and row.backbone != ALL:
        row = replace(row, same_text=same_text(outcomes, row.backbone, contrast))
    # what an agent would have done in a trial that broke has no worst case
    worst = contrast.worst_case(table) if row.n_errors and row.estimand != "follow" else None
    return replace(row, worst_low=worst[0], worst_high=worst[1]) if worst else row


def _may_be_inert(row: Estimate) -> bool:
    within = WORDS[kind_of(row)].within
    return row.backbone != ALL and row.p is not None and within is not None and within[0] == "inert"


def _headroom(row: Estimate, table: CellTable, column: NDArray[np.float64]) -> Headroom | None:
    """Room for a drop, over the tasks that the contrast rests on; None where no drop is meant."""
    if kind_of(row) not in ("drop", "contrast"):
        return None
    tasks = ~np.isnan(column)
    if not tasks.any():
        return Headroom(0.0, False)
    whole = INSTRUCTED if row.estimand == "instructed" else "intact"
    arms = (row.arm, row.versus) if row.estimand == "contrast" else (row.arm,)
    intact = [table.mean((arm, whole))[tasks] for arm in arms]
    full = [bool((scores == 1.0).all()) for scores in (*intact, table.mean(WITHOUT)[tasks])]
    return Headroom(min(float(scores.mean()) for scores in intact), all(full))
