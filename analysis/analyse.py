"""The whole analysis: outcomes and a plan in, estimates with verdicts out."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.analysis.estimation import measured
from loadbearing.analysis.families import families_of, follow_families
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Analysis
from loadbearing.analysis.verdicts.facts import NOTHING_KNOWN, Facts, RunFacts
from loadbearing.analysis.verdicts.guards.order import guarded
from loadbearing.analysis.verdicts.guards.run import control_notes
from loadbearing.analysis.verdicts.rules import ruled
from loadbearing.analysis.verdicts.sentences import worded
from loadbearing.outcomes.outcomes import WITHOUT, Outcomes


def analyse(
    outcomes: Outcomes, plan: AnalysisPlan, run: RunFacts = NOTHING_KNOWN, acts: Outcomes | None = None
) -> Analysis:
    """Estimate and judge every contrast of a run, or of somebody else's table.

    The rule gives a word from a row's own numbers, the guards take words away in their order, and at the
    very end a sentence is made for each. With two backbones or more, each family comes once more for the
    mean over them.

    Args:
        outcomes: all trials; arms and conditions outside the plan are left out of the tests.
        plan: what is compared, and by which rules.
        run: what is known beside the scores.
        acts: a table whose score is 1 where the agent did the action that the intact item advises, at the
            first state where it applies, and 0 where it did not; None where no advised action is known.
    """
    found = measured(outcomes, plan, families_of(plan, outcomes.backbones))
    if acts is not None:
        told = measured(acts, plan, follow_families(plan, acts.backbones))
        found += tuple(one for one in told if one[0].n_tasks)
    facts = Facts(plan, {}, {row.key: beside for row, beside in found}, run)
    rows = worded(guarded([ruled(row, plan) for row, _ in found], facts), facts)
    errors = outcomes.errors()
    # of the positive control of memory, a table that only compares arms is not told
    notes = () if run.reference else control_notes(rows, plan)
    return Analysis(rows, errors, outcomes.empty_slots(), notes + _faults(errors, run.reference))


def _faults(errors: Mapping[str, int], reference: str) -> tuple[str, ...]:
    names = {WITHOUT[0]: reference} if reference else {}
    named = ", ".join(f"{names.get(arm, arm)} {count}" for arm, count in errors.items() if count)
    if not named:
        return ()
    return (
        f"infrastructure errors per arm: {named}; they are in no mean, and worst-case bounds stand beside",
    )
