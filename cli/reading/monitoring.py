"""The monitoring part of `status`: the e-process and the looks, under the names that may be shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loadbearing.ledger.lock_facts import AMENDMENT, LOOK, UNMASKED, locked, numbered
from loadbearing.ledger.store import Ledger
from loadbearing.reports.base.numbers import probability
from loadbearing.reports.evidence.monitoring import look_from, monitoring
from loadbearing.reports.inputs.masking import Mask
from loadbearing.reports.inputs.planned import Plan
from loadbearing.reports.inputs.trials import read_played

NEEDED = ("primary", "pairs", "task_order", "alpha", "margin")


def monitored(ledger: Ledger, plan: Plan | None, mask: Mask) -> dict[str, Any]:
    """What is seen so far of the hypotheses.

    Args:
        plan: in force; None before the first trial.
        mask: of the arms' names.

    Returns:
        `lock`: whether there is one, its digest, and whether names are masked; `monitoring`: as in the
        results, each path by its last value; None where no hypothesis is planned or nothing is seen yet.
    """
    stated = locked(ledger)
    lock = None
    if stated is not None:
        lock = {
            "made": stated["made"],
            "digest": stated["digest"],
            "amendments": len(numbered(ledger, AMENDMENT)),
            "unmasked_looks": len(numbered(ledger, UNMASKED)),
            "masked": bool(mask),
        }
    found = None
    if plan is not None and plan["trials"] and all(plan.get(key) is not None for key in NEEDED):
        found = _found(ledger, plan, mask, stated is not None and not numbered(ledger, AMENDMENT))
    return {"lock": lock, "monitoring": found}


def _found(ledger: Ledger, plan: Plan, mask: Mask, stands: bool) -> dict[str, Any] | None:
    trials = mask.rows(read_played(ledger, plan))
    taken = tuple(look_from(one, mask) for one in numbered(ledger, LOOK))
    seen = monitoring(trials, mask.plan(plan), taken, stands)
    paths = [
        {key: value for key, value in one.items() if key not in ("tasks", "log10_e")} for one in seen["paths"]
    ]
    return seen | {"paths": paths} if paths else None


def stopped_early(seen: dict[str, Any], plan: Plan | None) -> bool:
    """A look ended the run before its last task."""
    taken = seen["looks"]["taken"]
    return plan is not None and bool(taken) and taken[-1]["stop"] and taken[-1]["tasks"] < plan["tasks"]


def monitored_lines(status: dict[str, Any]) -> Iterator[str]:
    """The same in words. Without a lock an e-value is shown and no decision is spoken of."""
    lock, seen = status["lock"], status["monitoring"]
    if lock is not None:
        changed = f", amended {lock['amendments']} times" if lock["amendments"] else ""
        names = "; arms are masked until the locked data are complete" if lock["masked"] else ""
        yield f"locked {lock['made']}, digest {lock['digest'][:12]}{changed}{names}"
    if seen is None:
        return
    yield f"e-process after {seen['tasks_complete']} complete tasks (against no effect, safe at any time):"
    for one in seen["paths"]:
        enough = ""
        if lock is not None and not lock["amendments"] and one["anytime_p"] <= 1 / seen["threshold"]:
            enough = f"; has passed 1/alpha = {seen['threshold']:g}"
        yield (
            f"  {one['backbone']}, {one['treatment']} - {one['control']}, {one['condition']}: E"
            f" {one['e']:.3g}, anytime p {probability(one['anytime_p'])}{enough}"
        )
    yield from _looks(seen["looks"])


def _looks(looks: dict[str, Any]) -> Iterator[str]:
    if looks["planned"] < 2:
        return
    if not looks["in_force"]:
        yield f"{looks['planned']} looks are asked for, and no lock stands that fixed them: none is taken"
        return
    taken = looks["taken"]
    for one in taken:
        boundary = looks["boundaries"][one["number"] - 1]
        crossed = sum(seen["crossed"] for seen in one["seen"])
        early = one["stop"] and one["number"] < looks["planned"]
        ended = "; the run stopped here" if early else ""
        edge = "no boundary" if boundary is None else f"boundary |z| {boundary:.3f}"
        yield (
            f"look {one['number']} of {looks['planned']}, {one['tasks']} tasks: {crossed} of"
            f" {len(one['seen'])} hypotheses over their {edge}{ended}"
        )
    if looks["next"] is not None:
        number = len(taken) + 1
        boundary = looks["boundaries"][number - 1]
        edge = (
            "" if boundary is None else f", boundary |z| {boundary:.3f} (p {looks['levels'][number - 1]:.2g})"
        )
        yield f"next look: {number} of {looks['planned']}, after {looks['next']} tasks{edge}"
