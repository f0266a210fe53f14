"""Results of anyone's outcome table, in the shape of a run's: what is not known of a table is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from loadbearing.analysis.analyse import analyse
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Analysis
from loadbearing.analysis.verdicts.facts import RunFacts
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.outcomes import WITHOUT, CellTable, Outcomes
from loadbearing.reports.evidence.sensitivity import sensitivity_rows
from loadbearing.reports.evidence.task_differences import difference_rows
from loadbearing.reports.model.play import Attrition, CellRow
from loadbearing.reports.model.results import Results, TableAbout


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a table beside its outcomes.

    Args:
        name: of the report.
        question: in the user's words, may be empty.
        outcome: what the score is.
        reference: the table's own name of the arm that the others are held against; None without one.
        conditioned: it says what was done to the memory; else arms are compared, and memory is not spoken of.
        cluster: the unit of inference, in words.
        simulated: participants were scripts.
        said: what was taken for what.
        notes: choices and losses in reading it.
        digests: of what was read.
        reproduce: the commands.
    """

    name: str
    question: str
    outcome: str
    reference: str | None
    conditioned: bool
    cluster: str
    simulated: bool
    said: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    reproduce: tuple[str, ...] = ()


def table_results(outcomes: Outcomes, plan: AnalysisPlan, about: About) -> Results:
    """Analyse a table.

    Args:
        outcomes: the reference stands as arm `none`, condition `without`.
        plan: what is compared.
        about: the rest.
    """
    reference = "" if about.conditioned else about.reference or WITHOUT[0]
    analysis = analyse(outcomes, plan, RunFacts(reference=reference))
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    names = _names(about)
    estimates, differences, others = (
        analysis.estimates,
        difference_rows(outcomes, plan),
        sensitivity_rows(outcomes, plan),
    )
    if reference:
        estimates = tuple(replace(one, versus=reference) for one in estimates)
        differences = tuple(one.model_copy(update={"versus": reference}) for one in differences)
        others = tuple(one.model_copy(update={"versus": reference}) for one in others)
    arms = [names.get(arm, arm) for arm in ((WITHOUT[0], *plan.arms) if about.reference else plan.arms)]
    return Results(
        name=about.name,
        question=about.question,
        seed=plan.seed,
        simulated=about.simulated,
        control="",
        outcome=about.outcome,
        status="exploratory",
        backbones=outcomes.backbones,
        arms=tuple(arms),
        conditions=plan.conditions,
        effects=dict(plan.effects),
        tasks=len(outcomes.tasks),
        repeats=max(table.repeats for table in tables.values()),
        margin=plan.margin,
        alpha=plan.alpha,
        cluster=about.cluster,
        table=TableAbout(reference=about.reference, conditioned=about.conditioned, said=dict(about.said)),
        verdicts=analysis.verdicts,
        utility=analysis.utility,
        hypotheses=analysis.hypotheses(plan.primary or plan.conditions),
        estimates=estimates,
        differences=differences,
        sensitivity=others,
        cells=_cells(tables, about, names),
        errors={names.get(arm, arm): n for arm, n in analysis.errors.items()},
        attrition=_attrition(tables, names),
        agent_failures={},
        empty_slots={},
        cost={},
        notes=tuple(_notes(analysis, about)),
        digests=dict(about.digests),
        reproduce=about.reproduce,
    )


def _names(about: About) -> dict[str, str]:
    """How arms of the analysis are called in the table."""
    return {} if about.conditioned or about.reference is None else {WITHOUT[0]: about.reference}


def _cells(tables: Mapping[str, CellTable], about: About, names: Mapping[str, str]) -> tuple[CellRow, ...]:
    """Rows, errors and mean score of each cell; every trial counts alike, as in a plain mean."""
    found = []
    for backbone, table in tables.items():
        for at, (arm, condition) in enumerate(table.cells):
            trials, errors = int(table.trials[:, at].sum()), int(table.errors[:, at].sum())
            scored = table.trials[:, at] - table.errors[:, at]
            total = float(np.where(scored > 0, table.means[:, at], 0.0) @ scored)
            found.append(
                CellRow(
                    backbone=backbone,
                    arm=names.get(arm, arm),
                    condition=condition if about.conditioned else "score",
                    n_trials=trials,
                    n_errors=errors,
                    score=total / (trials - errors) if trials > errors else None,
                )
            )
    return tuple(found)


def _attrition(tables: Mapping[str, CellTable], names: Mapping[str, str]) -> dict[str, Attrition]:
    """Rows and errors of each arm; empty where the table has no error."""
    counts: dict[str, list[int]] = {}
    for table in tables.values():
        for at, (arm, _) in enumerate(table.cells):
            count = counts.setdefault(names.get(arm, arm), [0, 0])
            count[0] += int(table.trials[:, at].sum())
            count[1] += int(table.errors[:, at].sum())
    if not any(errors for _, errors in counts.values()):
        return {}
    return {
        arm: Attrition(trials=trials, planned=None, errors=errors, share=errors / trials, causes={})
        for arm, (trials, errors) in counts.items()
    }


def _notes(analysis: Analysis, about: About) -> list[str]:
    """What a reader has to know besides the verdicts; of memory only where the table speaks of it."""
    notes = [*about.notes]
    missing = [row.n_missing for row in analysis.estimates if row.estimand in ("utility", "drop")]
    if most := max(missing, default=0):
        notes.append(
            f"some tasks lack a score in one of the cells compared and are left out of that comparison alone "
            f"(up to {how_many(most, 'task')}; each row says how many)"
        )
    return [*notes, *analysis.notes]
