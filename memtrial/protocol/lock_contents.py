"""What a lock froze, as far as a ledger tells it by itself: computed anew at every report."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from hashlib import sha256

from pydantic import JsonValue

from memtrial.ledger.review_facts import FACT, written_texts
from memtrial.ledger.rows import CheckRow, Json
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.grouping import group_by
from memtrial.protocols import LedgerStore

_APART = ("version", "digests", "clusters", "notes")
"""Keys of the plan that are frozen under a name of their own, or say nothing about what is done."""


def frozen_in(ledger: LedgerStore, plan: RunPlan, identity: Json) -> dict[str, JsonValue]:
    """Spec, plan in force, digests, clusters, slots, checks, traces and gate runs, from the ledger's rows."""
    checks = tuple(ledger.checks())
    traces = {
        backbone: digest_of([ledger.traces(backbone), ledger.lost_traces(backbone)])
        for backbone in plan.backbones
    }
    by_cell = group_by(checks, lambda check: f"{check.backbone}, {check.arm}, {check.condition}")
    written = written_texts(ledger)
    return as_json(
        {
            "spec": identity,
            "plan": {key: value for key, value in plan.facts.items() if key not in _APART},
            "digests": plan.digests,
            "clusters": plan.clusters,
            "slots": _slots(checks),
            "same text in both arms": _coincidence(checks, plan),
            "gate runs": _gate_runs(ledger),
            "checks": {
                name: digest_of(sorted(_canonical(asdict(check)) for check in own))
                for name, own in by_cell.items()
            },
            "traces": traces,
        }
        | ({FACT: written.digests} if written else {})
    )


def _slots(checks: Iterable[CheckRow]) -> Mapping[str, object]:
    """Sha256 of every damaged slot, and of the slot it was made of, by cell, task and repeat."""
    by_backbone: dict[str, dict[str, dict[str, dict[str, dict[str, str]]]]] = {}
    for check in checks:
        for condition, digest in (("intact", check.before), (check.condition, check.after)):
            cell = (
                by_backbone.setdefault(check.backbone, {}).setdefault(check.arm, {}).setdefault(condition, {})
            )
            cell.setdefault(check.task, {})[f"repeat {check.repeat}"] = digest
    return by_backbone


def _coincidence(checks: Iterable[CheckRow], plan: RunPlan) -> dict[str, float]:
    """Share of slots that both arms of a pair show damaged to the same text (STATISTICS 0b.1)."""
    after = {
        (check.backbone, check.condition, check.arm, check.task, check.repeat): check.after
        for check in checks
        if check.after
    }
    same: dict[str, list[bool]] = {}
    for treatment, control in plan.pairs:
        for (backbone, condition, arm, task, repeat), digest in after.items():
            other = after.get((backbone, condition, control, task, repeat))
            if arm == treatment and other is not None:
                same.setdefault(f"{treatment} - {control}, {condition}, {backbone}", []).append(
                    other == digest
                )
    return {name: round(sum(shares) / len(shares), 4) for name, shares in same.items()}


def _gate_runs(ledger: LedgerStore) -> dict[str, str]:
    """Sha256 over the drafts, findings and items of each condenser, and over the decision check."""
    rows = group_by(ledger.condensations(), lambda row: f"{row.condenser}, {row.backbone}, draw {row.draw}")
    made = {name: [_canonical([row.task, row.body]) for row in own] for name, own in rows.items()}
    names = ("backbone", "arm", "condition", "task", "repeat", "nth", "slot", "action", "fault")
    if asked := [json.dumps([getattr(decision, name) for name in names]) for decision in ledger.decisions()]:
        made["decision check"] = asked
    return {name: digest_of(sorted(own)) for name, own in made.items()}


def keys_of(keys: Iterable[tuple[str, str, str, str]]) -> dict[str, tuple[int, str]]:
    """By cell the number of trials and sha256 over their keys, from (backbone, arm, condition, key)."""
    cells = group_by(keys, lambda key: ", ".join(key[:3]))
    return {cell: (len(own), digest_of(sorted(key for *_, key in own))) for cell, own in cells.items()}


def digest_of(value: object) -> str:
    """Sha256 of the canonical JSON of a value."""
    return sha256(_canonical(value).encode()).hexdigest()


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def as_json(value: Mapping[str, object]) -> dict[str, JsonValue]:
    """The same as it is read back from JSON."""
    return dict(json.loads(json.dumps(value)))


def flat(value: Mapping[str, JsonValue], name: str = "") -> dict[str, JsonValue]:
    """Leaves by their full names: `first: second, third`. An empty mapping has none."""
    leaves: dict[str, JsonValue] = {}
    for key, inner in value.items():
        joined = key if not name else f"{name}{', ' if ': ' in name else ': '}{key}"
        leaves |= flat(inner, joined) if isinstance(inner, dict) else {joined: inner}
    return leaves


def list_changes(before: Json, after: Json) -> dict[str, tuple[JsonValue, JsonValue]]:
    """The keys that differ, those of `before` first, with both values; None where there is none."""
    keys = (*before, *(key for key in after if key not in before))
    pairs = {key: (before.get(key), after.get(key)) for key in keys}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}
