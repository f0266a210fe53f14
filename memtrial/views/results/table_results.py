"""Results of anyone's outcome table, in the shape of a run's: what is not known of a table is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.result import Analysis
from memtrial.analysis.verdicts.facts import RunFacts
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.outcome_table import OutcomeTable
from memtrial.outcomes.outcomes import WITHOUT, CellTable
from memtrial.views.evidence.contrast_rows import difference_rows, sensitivity_rows
from memtrial.views.evidence.group_evidence import begin_families
from memtrial.views.rows.play_rows import Attrition, CellRow
from memtrial.views.rows.results import Results, TableAbout


def table_results(
    about: OutcomeTable,
    plan: AnalysisPlan,
    name: str,
    question: str,
    digests: Mapping[str, str],
    reproduce: tuple[str, ...],
) -> Results:
    """Analyse a table; in its outcomes the reference stands as arm `none`, condition `without`."""
    outcomes, said = about.outcomes, dict(about.said)
    reference = "" if about.conditioned else about.reference or WITHOUT[0]
    analysis = analyse(outcomes, plan, RunFacts(fluent=frozenset(), reference=reference, of_table=True))
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    names = {} if about.conditioned or about.reference is None else {WITHOUT[0]: about.reference}
    estimates = analysis.estimates
    differences, others = difference_rows(outcomes, plan), sensitivity_rows(outcomes, plan)
    if reference:
        estimates = tuple(replace(row, versus=reference) for row in estimates)
        differences = tuple(row.model_copy(update={"versus": reference}) for row in differences)
        others = tuple(row.model_copy(update={"versus": reference}) for row in others)
    arms = (WITHOUT[0], *plan.arms) if about.reference else plan.arms
    cells, by_family = _cells(tables, about, names), begin_families(outcomes, plan, about.families)()
    return Results(
        name=name,
        question=question,
        seed=plan.rules.seed,
        simulated=about.simulated,
        control="",
        outcome=said["score"],
        status="exploratory",
        backbones=outcomes.backbones,
        arms=tuple(names.get(arm, arm) for arm in arms),
        conditions=plan.conditions,
        effects=dict(plan.effects),
        tasks=len(outcomes.tasks),
        repeats=max(table.repeats for table in tables.values()),
        margin=plan.rules.margin,
        alpha=plan.rules.alpha,
        cluster=said["cluster"] if about.clustered else "task",
        table=TableAbout(reference=about.reference, conditioned=about.conditioned, said=said),
        verdicts=analysis.verdicts,
        utility=analysis.utility,
        hypotheses=analysis.hypotheses(plan.primary or plan.conditions, plan.channel_pairs),
        estimates=estimates,
        differences=differences,
        sensitivity=others,
        task_families=by_family.rows,
        heterogeneity=by_family.spreads,
        cells=tuple(cells),
        errors={names.get(arm, arm): n for arm, n in analysis.errors.items()},
        attrition=_attrition(cells),
        agent_failures={},
        empty_slots={},
        cost={},
        notes=(*analysis.notes, *about.notes, *_missing_parts(analysis)),
        digests=dict(digests),
        reproduce=reproduce,
    )


def _cells(tables: Mapping[str, CellTable], about: OutcomeTable, names: Mapping[str, str]) -> list[CellRow]:
    """Rows, errors and mean score of each cell; every trial counts alike, as in a plain mean."""
    cells_counted = []
    for backbone, table in tables.items():
        for number, (arm, condition) in enumerate(table.cells):
            trials, errors = int(table.trials[:, number].sum()), int(table.errors[:, number].sum())
            scored = table.trials[:, number] - table.errors[:, number]
            total = float(np.where(scored > 0, table.means[:, number], 0.0) @ scored)
            cells_counted.append(
                CellRow(
                    backbone=backbone,
                    arm=names.get(arm, arm),
                    condition=condition if about.conditioned else "score",
                    n_trials=trials,
                    n_errors=errors,
                    score=total / (trials - errors) if trials > errors else None,
                )
            )
    return cells_counted


def _attrition(cells: Sequence[CellRow]) -> dict[str, Attrition]:
    attrition = {}
    for arm, own in group_by(cells, lambda cell: cell.arm).items():
        n, errors = sum(cell.n_trials for cell in own), sum(cell.n_errors for cell in own)
        attrition[arm] = Attrition(trials=n, planned=None, errors=errors, share=errors / n, causes={})
    return attrition if any(arm_attrition.errors for arm_attrition in attrition.values()) else {}


def _missing_parts(analysis: Analysis) -> list[str]:
    missing = [row.n_missing for row in analysis.estimates if row.estimand in ("utility", "drop")]
    most = how_many(max(missing, default=0), "task")
    lack = "some tasks lack a score in one of the cells compared and are left out of that comparison alone"
    return [f"{lack} (up to {most}; each row says how many)"] if any(missing) else []
