"""results.json: everything a run says, computed from its ledger and from nothing else.

It holds no time, no path and no count of attempts, so that the same trials give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from analysis.estimates import analyse
from analysis.result import Analysis
from ledger.calls import answering, spending
from ledger.rows import TrialRow
from ledger.standing import unplayed
from ledger.store import Ledger
from reports.applying import inapplicable, say_inapplicable
from reports.attrition import agent_failures, attrition
from reports.cells import cell_rows, outcome_table
from reports.costs import cost_by_arm, model_notes, model_rows, preparation_costs
from reports.delivery import delivery, delivery_alarm, lost_requests, withdraw
from reports.examples import worked_examples
from reports.planned import Plan, analysis_plan, planned_only
from reports.played import read_played
from reports.preparation import condensation_rows, manipulation_rows
from reports.reading import PLACEBO
from reports.sharing import firing_rows, shared_cells

_SAID = ("name", "question", "seed", "simulated", "control", "world", "outcome")
_DESIGN = ("backbones", "arms", "conditions", "tasks", "repeats", "margin", "alpha", "cluster")


def results(ledger: Ledger) -> dict[str, Any]:
    """The results of a run, in the shape of DESIGN 6 and more.

    Trials are read once, without what was said in them; episodes are opened for the examples alone.
    """
    plan: Plan = ledger.fact("plan")
    trials = read_played(ledger, plan)
    rules = analysis_plan(plan)
    analysis = planned_only(analyse(outcome_table(trials, plan), rules), plan)
    analysis = withdraw(analysis, lost_requests(trials), rules)
    checks = tuple(ledger.checks())
    analysis = say_inapplicable(analysis, inapplicable(checks))
    spent, answered = spending(ledger.connection), answering(ledger.connection)
    delivered, never = delivery(trials), unplayed(ledger.connection)
    notes = [
        *_notes(trials, plan, analysis, delivered, sum(never.values())),
        *model_notes(answered, spent, plan),
    ]
    return {
        **{key: plan[key] for key in _SAID},
        "status": "exploratory",
        **{key: plan[key] for key in _DESIGN},
        "verdicts": analysis.verdicts,
        "utility": analysis.utility,
        "hypotheses": [one for one in analysis.hypotheses if one["condition"] in plan["primary"]],
        "estimates": [asdict(estimate) for estimate in analysis.estimates],
        "cells": cell_rows(trials, plan),
        "errors": analysis.errors,
        "attrition": attrition(trials, plan, never),
        "agent_failures": agent_failures(trials, plan),
        "delivery": delivered,
        "empty_slots": analysis.empty_slots,
        "manipulation": manipulation_rows(checks),
        "firings": firing_rows(trials),
        "condensation": condensation_rows(ledger.condensations()),
        "shared_cells": shared_cells(trials, plan),
        "examples": worked_examples(ledger, trials, plan),
        "notes": notes,
        "cost": cost_by_arm(trials),
        "preparation": preparation_costs(spent),
        "models": model_rows(answered),
        "digests": plan["digests"],
        "reproduce": ["loadbearing run spec.resolved.yaml", "loadbearing report ."],
    }


def _notes(
    trials: Sequence[TrialRow], plan: Plan, analysis: Analysis, delivered: dict[str, Any], never: int
) -> list[str]:
    """What a reader has to know besides the verdicts, the worst first.

    Args:
        never: trials of the plan that are never to be played.
    """
    notes = []
    alarm = delivery_alarm(delivered)
    if alarm:
        notes.append(alarm)
    played, planned = len(trials), plan["trials"] - never
    if played < planned:
        notes.append(f"The run is not finished: {played} of {planned} trials have been played.")
    return [*notes, *plan["notes"], *analysis.notes, *_moved_by_wording(analysis)]


def _moved_by_wording(analysis: Analysis) -> list[str]:
    """Where a rewording that keeps the meaning was load-bearing."""
    return [
        f"{e.backbone}, {e.arm}: {PLACEBO} is a placebo and load-bearing here: wording alone moved the agent"
        for e in analysis.estimates
        if e.estimand == "drop" and e.condition == PLACEBO and e.verdict == "load-bearing"
    ]
