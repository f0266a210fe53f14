"""What a lock froze, as far as a ledger tells it by itself: computed anew at every report."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger

APART = ("version", "digests", "clusters", "notes")
"""Keys of the plan that are frozen under a name of their own, or say nothing about what is done."""

Frozen = dict[str, Any]
"""Name → value, or → names and values below it, down to texts, numbers, lists and digests."""


def frozen_in(ledger: Ledger, plan: RunPlan, identity: Mapping[str, Any]) -> Frozen:
    """Spec, plan, digests, clusters, slots, checks, traces and gate runs, from the ledger's rows.

    Args:
        plan, identity: in force.
    """
    return {
        "spec": dict(identity),
        "plan": {key: value for key, value in plan.facts.items() if key not in APART},
        "digests": dict(plan.digests),
        "clusters": dict(plan.clusters),
        "slots": slots_of(ledger),
        "same text in both arms": coincidence(ledger, plan),
        "gate runs": gate_runs(ledger),
        "checks": checks_of(ledger),
        "traces": traces_of(ledger, plan),
    }


def slots_of(ledger: Ledger) -> Frozen:
    """Sha256 of every damaged slot, and of the slot it was made of, by cell, task and repeat."""
    found: Frozen = {}
    for check in ledger.checks():
        for condition, digest in (("intact", check.before), (check.condition, check.after)):
            cell = found.setdefault(check.backbone, {}).setdefault(check.arm, {}).setdefault(condition, {})
            cell.setdefault(check.task, {})[f"repeat {check.repeat}"] = digest
    return found


def coincidence(ledger: Ledger, plan: RunPlan) -> Frozen:
    """Share of slots that both arms of a pair show damaged to the same text (STATISTICS 0b.1)."""
    after = {
        (check.backbone, check.condition, check.arm, check.task, check.repeat): check.after
        for check in ledger.checks()
        if check.after
    }
    same: dict[str, list[bool]] = defaultdict(list)
    for treatment, control in plan.pairs:
        for (backbone, condition, arm, task, repeat), digest in after.items():
            other = after.get((backbone, condition, control, task, repeat))
            if arm == treatment and other is not None:
                same[f"{treatment} - {control}, {condition}, {backbone}"].append(other == digest)
    return {name: round(sum(found) / len(found), 4) for name, found in same.items()}


def gate_runs(ledger: Ledger) -> Frozen:
    """Sha256 over the drafts, findings and items of each condenser, and over the decision check."""
    made: dict[str, list[str]] = defaultdict(list)
    for row in ledger.condensations():
        body = json.dumps([row.task, row.body], sort_keys=True, ensure_ascii=False)
        made[f"{row.condenser}, {row.backbone}, draw {row.draw}"].append(body)
    asked = (
        [one.backbone, one.arm, one.condition, one.task, one.repeat, one.nth, one.slot, one.action, one.fault]
        for one in ledger.decisions()
    )
    decided = [json.dumps(one) for one in asked]
    if decided:
        made["decision check"] = decided
    return {name: digest_of(sorted(rows)) for name, rows in made.items()}


def checks_of(ledger: Ledger) -> Frozen:
    """Sha256 over whole rows of the manipulation check, by cell: verdict, figures and both slots."""
    made: dict[str, list[str]] = defaultdict(list)
    for check in ledger.checks():
        body = json.dumps(asdict(check), sort_keys=True, ensure_ascii=False)
        made[f"{check.backbone}, {check.arm}, {check.condition}"].append(body)
    return {name: digest_of(sorted(rows)) for name, rows in made.items()}


def traces_of(ledger: Ledger, plan: RunPlan) -> Frozen:
    """Sha256 over the trajectories that memory was made of, and over those that were lost, by backbone."""
    found = {one: (ledger.traces(one), ledger.lost_traces(one)) for one in plan.backbones}
    return {backbone: digest_of(list(traces)) for backbone, traces in found.items()}


def shown_otherwise(trials: Iterable[TrialRow], slots: Frozen) -> dict[str, tuple[str, str]]:
    """Trials whose slot is not the frozen one: by name, the frozen digest and the one shown."""
    found = {}
    for trial in trials:
        cell = slots.get(trial.backbone, {}).get(trial.arm, {}).get(trial.condition, {})
        wanted = cell.get(trial.task, {}).get(f"repeat {trial.repeat}")
        if wanted is not None and wanted != trial.slot:
            place = (trial.backbone, trial.arm, trial.condition, trial.task, f"repeat {trial.repeat}")
            found[f"slots: {', '.join(place)}"] = (wanted, trial.slot)
    return found


def keys_of(keys: Iterable[tuple[str, str, str, str]]) -> dict[str, list[Any]]:
    """By cell, how many trials there are and sha256 over their keys.

    Args:
        keys: backbone, arm, condition and key of each trial.
    """
    cells: dict[str, list[str]] = defaultdict(list)
    for backbone, arm, condition, key in keys:
        cells[f"{backbone}, {arm}, {condition}"].append(key)
    return {cell: [len(found), digest_of(sorted(found))] for cell, found in cells.items()}


def digest_of(value: Any) -> str:
    """Sha256 of the canonical JSON of a value."""
    return sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def flat(value: Any, name: str = "") -> dict[str, Any]:
    """Leaves by their full names: `first: second, third`. An empty mapping has none."""
    if not isinstance(value, dict):
        return {name: value}
    found: dict[str, Any] = {}
    for key, inner in value.items():
        joined = key if not name else f"{name}{', ' if ': ' in name else ': '}{key}"
        found |= flat(inner, joined)
    return found
