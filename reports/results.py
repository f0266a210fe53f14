"""results.json: everything a run says, computed from its ledger and from nothing else.

It holds no time, no path and no count of attempts, so that the same trials give the same bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from analysis.estimates import analyse
from analysis.plan import AnalysisPlan
from ledger.outcomes import OutcomeRow, Outcomes
from ledger.rows import CheckRow, CondensationRow, TrialRow
from ledger.store import Ledger

NONE, WITHOUT, INTACT = "none", "without", "intact"
MEASURED = ("words_changed", "content_words_left", "length_ratio", "flips")


def results(ledger: Ledger) -> dict[str, Any]:
    """The results of a run, in the shape of DESIGN 6 and more."""
    plan = ledger.fact("plan")
    # blocks were played in a random order, perhaps several at a time; the results keep the plan's
    rank = {name: place for key in ("backbones", "arms") for place, name in enumerate(plan[key])}
    trials = sorted(
        ledger.trials(), key=lambda t: (rank[t.backbone], t.task, t.repeat, rank[t.arm], t.condition)
    )
    analysis = analyse(_outcomes(trials, plan), _analysis_plan(plan))
    played, planned = len(trials), plan["trials"]
    notes = [*plan["notes"], *analysis.notes]
    if played < planned:
        notes.insert(0, f"The run is not finished: {played} of {planned} trials have been played.")
    estimates = [asdict(estimate) for estimate in analysis.estimates]
    return {
        **{
            key: plan[key] for key in ("name", "question", "seed", "simulated", "control", "world", "outcome")
        },
        "status": "exploratory",
        **{
            key: plan[key]
            for key in ("backbones", "arms", "conditions", "tasks", "repeats", "margin", "alpha", "cluster")
        },
        "verdicts": analysis.verdicts,
        "utility": analysis.utility,
        "hypotheses": [one for one in analysis.hypotheses if one["condition"] in plan["primary"]],
        "estimates": estimates,
        "cells": _cells(trials, plan),
        "errors": analysis.errors,
        "empty_slots": analysis.empty_slots,
        "manipulation": _manipulation(ledger.checks()),
        "firings": _firings(trials),
        "condensation": _condensation(ledger.condensations()),
        "shared_cells": _shared(trials, plan),
        "notes": notes,
        "cost": _cost(trials, plan["simulated"]),
        "digests": plan["digests"],
        "reproduce": ["loadbearing run spec.resolved.yaml", "loadbearing report ."],
    }


def _outcomes(trials: Iterable[TrialRow], plan: Mapping[str, Any]) -> Outcomes:
    clusters = plan["clusters"]
    return Outcomes(
        tuple(
            OutcomeRow(
                backbone=trial.backbone,
                arm=trial.arm,
                condition=trial.condition,
                task=trial.task,
                cluster=clusters.get(trial.task, ""),
                repeat=trial.repeat,
                score=_score(trial, plan["outcome"]),
                slot=trial.slot,
                empty_slot=trial.empty_slot,
            )
            for trial in trials
        )
    )


def _score(trial: TrialRow, outcome: str) -> float | None:
    if trial.status == "error":
        return None
    return trial.score if outcome == "score" else float(trial.status == "success")


def _analysis_plan(plan: Mapping[str, Any]) -> AnalysisPlan:
    return AnalysisPlan(
        arms=tuple(arm for arm in plan["arms"] if arm != NONE),
        conditions=tuple(name for name in plan["conditions"] if name not in (WITHOUT, INTACT)),
        pairs=tuple((treatment, control) for treatment, control in plan["pairs"]),
        margin=plan["margin"],
        alpha=plan["alpha"],
        flips=plan["flips"],
        seed=plan["seed"],
        primary=tuple(plan["primary"]),
    )


def _cells(trials: Iterable[TrialRow], plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str, str], list[float | None]] = defaultdict(list)
    for trial in trials:
        groups[trial.backbone, trial.arm, trial.condition].append(_score(trial, plan["outcome"]))
    cells = []
    for (backbone, arm, condition), scores in _in_order(groups, plan):
        scored = [score for score in scores if score is not None]
        cells.append(
            {
                "backbone": backbone,
                "arm": arm,
                "condition": condition,
                "n_trials": len(scores),
                "n_errors": len(scores) - len(scored),
                "score": fmean(scored) if scored else None,
            }
        )
    return cells


def _in_order(
    groups: Mapping[tuple[str, str, str], list[float | None]], plan: Mapping[str, Any]
) -> list[tuple[tuple[str, str, str], list[float | None]]]:
    """By the plan's order: blocks were played in a random one."""
    conditions = [WITHOUT, INTACT, *(name for name in plan["conditions"] if name not in (WITHOUT, INTACT))]
    arms = [NONE, *(arm for arm in plan["arms"] if arm != NONE)]
    places = [(b, a, c) for b in plan["backbones"] for a in arms for c in conditions]
    return [(place, groups[place]) for place in places if place in groups]


def _manipulation(checks: Iterable[CheckRow]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], list[CheckRow]] = defaultdict(list)
    for check in checks:
        groups[check.arm, check.condition].append(check)
    rows = []
    for (arm, condition), group in groups.items():
        applicable = [check for check in group if check.applicable]
        means = {
            name: round(fmean(float(check.measured[name]) for check in applicable), 4) if applicable else None
            for name in MEASURED
        }
        passed = sum(check.passed for check in applicable)
        reasons = sorted({check.reason for check in group if not check.applicable})
        rows.append(
            {
                "arm": arm,
                "condition": condition,
                "n": len(group),
                "applicable": len(applicable),
                "passed": passed,
            }
            | means
            | {"not_applicable_because": reasons}
        )
    return rows


def _firings(trials: Iterable[TrialRow]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for trial in trials:
        shown = any(firing["shown"] for firing in trial.firings)
        shadow = any(not firing["shown"] for firing in trial.firings)
        groups[trial.backbone, trial.arm, trial.condition].append((shown, shadow))
    return [
        {
            "backbone": backbone,
            "arm": arm,
            "condition": condition,
            "shown": round(fmean(one for one, _ in group), 4),
            "shadow": round(fmean(other for _, other in group), 4),
        }
        for (backbone, arm, condition), group in sorted(groups.items())
    ]


def _condensation(rows: Iterable[CondensationRow]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row.backbone, row.condenser].append(row.body)
    return [
        {
            "backbone": backbone,
            "condenser": condenser,
            "traces": len(bodies),
            "items": sum(len(body["items"]) for body in bodies),
            "drafts": sum(len({finding["draft"] for finding in body["findings"]}) for body in bodies),
            "flagged": sum(len(_flagged(body)) for body in bodies),
            "passed_after_revision": sum(_passed_later(body) for body in bodies),
            "dropped": sum(len(body["dropped"]) for body in bodies),
            "faults": sum(len(body["faults"]) for body in bodies),
        }
        for (backbone, condenser), bodies in groups.items()
    ]


def _flagged(body: Mapping[str, Any]) -> set[str]:
    """Drafts that some gate warned of or failed."""
    return {one["draft"] for one in body["findings"] if one["finding"] in ("WARN", "FAIL")}


def _passed_later(body: Mapping[str, Any]) -> int:
    """Revised drafts that no gate flagged any more."""
    revised = {one["draft"] for one in body["findings"] if one["round"] > 0}
    return len(revised - _flagged(body))


def _shared(trials: Sequence[TrialRow], plan: Mapping[str, Any]) -> list[str]:
    """Which cells answer from the same prompts."""
    sentences = ["'none' and 'without' are one cell, shared by every arm."]
    empty: dict[str, int] = defaultdict(int)
    blocks: dict[tuple[str, str, int, str], list[str]] = defaultdict(list)
    for trial in trials:
        empty[trial.arm] += trial.empty_slot
        if plan["injections"].get(trial.arm) == "prepend" and not trial.empty_slot:
            blocks[trial.backbone, trial.task, trial.repeat, trial.slot].append(
                f"{trial.arm}/{trial.condition}"
            )
    waiting = [t for t in trials if plan["injections"].get(t.arm) == "trigger" and not t.empty_slot]
    silent = sum(not any(firing["shown"] for firing in trial.firings) for trial in waiting)
    if silent:
        sentences.append(
            f"In {silent} of {len(waiting)} trials with injection by trigger no item came up; they share the"
            " prompts and answers of 'without'."
        )
    for arm, count in sorted(empty.items()):
        if count:
            sentences.append(
                f"{count} trials of arm '{arm}' had an empty slot and share the prompts of 'without'."
            )
    pairs: dict[str, int] = defaultdict(int)
    for cells in blocks.values():
        if len(cells) > 1:
            pairs[" and ".join(sorted(cells))] += 1
    sentences += [
        f"{names} showed the same text in {count} blocks." for names, count in sorted(pairs.items())
    ]
    return sentences


def _cost(trials: Iterable[TrialRow], simulated: bool) -> dict[str, dict[str, Any]]:
    cost: dict[str, dict[str, Any]] = {}
    for trial in trials:
        # calls answered from the cache count too: how many they are depends on when a run was broken off
        sums = cost.setdefault(
            trial.arm,
            {
                "calls": 0,
                "input_tokens": 0,
                "output_tokens": 0,
                "usd": 0.0 if simulated else None,
            },
        )
        for name in ("calls", "input_tokens", "output_tokens"):
            sums[name] += getattr(trial, name)
    return dict(sorted(cost.items()))
