"""`compare`: two runs side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.store import Ledger
from loadbearing.reports.base.line_width import columns
from loadbearing.reports.base.lookup import Results, rows
from loadbearing.reports.base.numbers import count, dollars, interval, signed
from loadbearing.reports.evidence.untrusted import untrusted_alarm
from loadbearing.reports.results.results import results
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.lock.freeze import beside_of
from loadbearing.runs.progress.standard_output import put, put_json, width_of

ROW = ("estimand", "backbone", "arm", "versus", "condition", "share")
NUMBERS = ("estimate", "low", "high", "n_tasks", "n_clusters", "verdict")
NO_VERDICT = (
    "A verdict that differs is no verdict on the difference: one run may have been larger, or lucky. To learn"
    " whether two arms differ, play them in one run and read its contrast."
)


def compare_runs(first: Path, second: Path, as_json: bool) -> None:
    """Print what two runs have in common and where they differ.

    Raises:
        SpecFault: one of them is no run, or has not come as far as its first trial.
        RunFault: rows of one of them were changed; said after all was shown.
    """
    one, other = _read(first), _read(second)
    said = comparison(*one, *other)
    if as_json:
        put_json(said)
    else:
        put("\n".join(_told(said, width_of(sys.stdout))))
    for folder, _, result, _ in (one, other):
        if alarm := untrusted_alarm(result["untrusted"]):
            raise RunFault(f"{folder}: {alarm}")


def _read(named: Path) -> tuple[str, dict[str, Any], Results, frozenset[str]]:
    """A run's folder, identity, results and tasks."""
    with reading(named) as (folder, ledger):
        if plan_in_force(ledger) is None:
            raise SpecFault(f"compare needs two runs with trials; {folder} has not come as far as its first")
        identity = ledger.fact("identity")
        if not isinstance(identity, dict):
            raise SpecFault(f"compare needs runs that state what they are; the ledger of {folder} does not")
        return (
            str(folder),
            identity,
            results(ledger, beside_of(folder, ledger)).model_dump(mode="json"),
            _tasks(ledger),
        )


def _tasks(ledger: Ledger) -> frozenset[str]:
    return frozenset(task for (task,) in ledger.connection.execute("SELECT DISTINCT task FROM trials"))


def comparison(
    one: str,
    identity: dict[str, Any],
    result: Results,
    tasks: frozenset[str],
    other: str,
    their_identity: dict[str, Any],
    their_result: Results,
    their_tasks: frozenset[str],
) -> dict[str, Any]:
    """Both sides of everything; in each pair the first run stands first."""
    keys = sorted(identity.keys() | their_identity.keys())
    return {
        "runs": [one, other],
        "simulated": [result["simulated"], their_result["simulated"]],
        "identity": {
            key: [identity.get(key), their_identity.get(key)]
            for key in keys
            if identity.get(key) != their_identity.get(key)
        },
        "tasks": {
            "first": len(tasks),
            "second": len(their_tasks),
            "shared": len(tasks & their_tasks),
        },
        "notes": [_pairing(len(tasks), len(their_tasks), len(tasks & their_tasks)), NO_VERDICT],
        "estimates": _estimates(result, their_result),
        "errors": _both(result["errors"], their_result["errors"]),
        "cost": _both(result["cost"], their_result["cost"]),
    }


def _pairing(n: int, theirs: int, shared: int) -> str:
    if not shared:
        return "The runs share no task: nothing is paired, and tasks may differ in how hard they are."
    return (
        f"The runs share {shared} tasks of {n} and {theirs}. This is still no paired test: the estimates"
        " stand as each run computed them, over all of its own tasks."
    )


def _estimates(result: Results, theirs: Results) -> list[dict[str, Any]]:
    """Every row of either run, the first run's order first."""
    mine = {tuple(row.get(key) for key in ROW): row for row in rows(result, "estimates")}
    other = {tuple(row.get(key) for key in ROW): row for row in rows(theirs, "estimates")}
    lines = []
    for place in dict.fromkeys((*mine, *other)):
        pair = (mine.get(place), other.get(place))
        known = [row["estimate"] for row in pair if row is not None and row["estimate"] is not None]
        words = [None if row is None else row["verdict"] for row in pair]
        lines.append(
            dict(zip(ROW, place, strict=True))
            | {
                "runs": [None if row is None else {key: row.get(key) for key in NUMBERS} for row in pair],
                "difference": known[1] - known[0] if len(known) == 2 else None,
                "verdict": "one run only" if None in words else "same" if words[0] == words[1] else "changed",
            }
        )
    return lines


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, list[Any]]:
    return {arm: [one.get(arm), other.get(arm)] for arm in dict.fromkeys((*one, *other))}


def _told(said: dict[str, Any], width: int | None) -> Iterator[str]:
    yield f"first:  {said['runs'][0]}"
    yield f"second: {said['runs'][1]}"
    if any(said["simulated"]):
        yield "Simulated participants: this is no evidence about any language model."
    if said["identity"]:
        yield f"They differ in {len(said['identity'])} keys:"
        yield from (f"  {key}: {one!r} -> {other!r}" for key, (one, other) in said["identity"].items())
    else:
        yield "They are the same experiment, key by key."
    yield from said["notes"]
    yield ""
    yield from columns([("estimate", "first", "second", "difference", "verdict"), *_lines(said)], width)
    yield ""
    yield from columns([("arm", "errors", "calls", "cost"), *_costs(said)], width)


def _lines(said: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for row in said["estimates"]:
        share = f" {row['share']:.0%}" if row["share"] is not None else ""
        name = (
            f"{row['estimand']}{share} {row['backbone']} {row['arm']} - {row['versus']}, {row['condition']}"
        )
        shown = ["not there" if one is None else interval(one) for one in row["runs"]]
        words = ["no row" if one is None else one["verdict"] for one in row["runs"]]
        verdict = f"same: {words[0]}" if row["verdict"] == "same" else f"CHANGED: {words[0]} -> {words[1]}"
        difference = signed(row["difference"])
        yield (name, *shown, difference, f"{words[0]} | {words[1]}" if None in row["runs"] else verdict)


def _costs(said: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for arm in dict.fromkeys((*said["errors"], *said["cost"])):
        errors = said["errors"].get(arm, [None, None])
        cost = [one or {} for one in said["cost"].get(arm, [None, None])]
        yield (
            arm,
            " | ".join(count(one) for one in errors),
            " | ".join(count(one.get("calls")) for one in cost),
            " | ".join(dollars(one.get("usd")) for one in cost),
        )
