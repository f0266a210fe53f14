"""`show`: the trials of a run, or everything that was said in one of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from loadbearing.cli.options import Json, Run
from loadbearing.cli.reading.show_diff import word_diff
from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.rows import CheckRow, EpisodeRow, TrialRow
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.trial_index import Listed, attempts, listing
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.escape import one_line
from loadbearing.reports.base.line_width import columns
from loadbearing.reports.base.numbers import dollars
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.folder.repair import raise_alarm
from loadbearing.runs.lock.unmask_log import note_raw
from loadbearing.runs.progress.standard_output import put, put_json, width_of

SHORT, SHORTEST = 12, 4
MOST = 50
HEADS = ("key", "arm", "condition", "task", "repeat", "status", "score", "cause")


def show(
    run_folder: Run,
    trial: Annotated[
        str | None,
        typer.Argument(help="The beginning of its key, or arm/condition/task/repeat.", metavar="TRIAL"),
    ] = None,
    arm: Annotated[str | None, typer.Option(help="Only trials of this arm.")] = None,
    condition: Annotated[str | None, typer.Option(help="Only trials of this condition.")] = None,
    task: Annotated[str | None, typer.Option(help="Only trials of this task.")] = None,
    ended: Annotated[
        Literal["success", "failure", "error"] | None, typer.Option("--status", help="Only these.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Rows of the table; 0 for all.")] = None,
    as_json: Json = False,
) -> None:
    """The trials of a run, or all that was said in one of them."""
    show_run(run_folder, trial, as_json, arm, condition, task, ended, limit)


def show_run(
    named: Path,
    trial: str | None,
    as_json: bool,
    arm: str | None = None,
    condition: str | None = None,
    task: str | None = None,
    status: str | None = None,
    limit: int | None = None,
) -> None:
    """Print a table of trials, or one trial.

    Args:
        trial: a unique beginning of its key, of at least 4 characters, or `arm/condition/task/repeat`, with
            `backbone/` before it where there are several; None for the table.
        limit: rows of the table; 50 unless given, 0 for all; all with `as_json`.

    Raises:
        SpecFault: there is no such run or trial, or several trials are named.
        RunFault: rows were changed; said after the others were shown.
    """
    with reading(named) as (folder, ledger):
        note_raw(folder, ledger, "show")
        if trial is not None:
            said = one_trial(ledger, trial, folder)
            put_json(said) if as_json else put("\n".join(_told(said)))
            raise_alarm(ledger.damage)
            return
        wanted = {"arm": arm, "condition": condition, "task": task, "status": status}
        asked = {name: value for name, value in wanted.items() if value is not None}
        listed = listing(ledger.connection)
        rows = [row for row in listed if all(getattr(row, name) == v for name, v in asked.items())]
        plan = plan_in_force(ledger)
    several = plan is not None and len(plan.backbones) > 1
    most = limit if limit is not None else 0 if as_json else MOST
    shown = rows[:most] if most else rows
    if as_json:
        put_json([asdict(row) for row in shown])
    else:
        table = [_heads(several), *(_cells(row, several) for row in shown)]
        put("\n".join(columns(table, width_of(sys.stdout))))
        if len(shown) < len(rows):
            put(f"{len(shown)} of {how_many(len(rows), 'trial')}; --limit 0 shows all")
    raise_alarm(ledger.damage)


def _heads(several: bool) -> tuple[str, ...]:
    return (HEADS[0], "backbone", *HEADS[1:]) if several else HEADS


def _cells(row: Listed, several: bool) -> tuple[str, ...]:
    score = "" if row.score is None else f"{row.score:.3f}"
    who = (row.backbone,) if several else ()
    place = (row.arm, row.condition, row.task, str(row.repeat))
    return (row.key[:SHORT], *who, *place, row.status, score, one_line(row.cause))


def one_trial(ledger: Ledger, named: str, folder: Path) -> dict[str, Any]:
    """Everything the ledger holds about one trial.

    Raises:
        SpecFault: no trial, or several, are named so.
        RunFault: none is named so, and rows were changed: it may be one that is left out.
    """
    row = _found(ledger, named, folder)
    check = _check(ledger, row)
    before = check.before if check is not None else row.slot
    episode = ledger.episode(row.key)
    return {
        "trial": asdict(row),
        "attempts": [asdict(one) for one in attempts(ledger.connection, row.key)],
        "slot": {"intact": ledger.slot(before), "shown": ledger.slot(row.slot)},
        "check": None if check is None else asdict(check),
        "said": None if episode is None else _said(episode),
        "steps": None if episode is None else list(episode.steps),
    }


def _found(ledger: Ledger, named: str, folder: Path) -> TrialRow:
    if "/" not in named and len(named) < SHORTEST:
        raise SpecFault(f"TRIAL needs at least {SHORTEST} characters of a key; got {named!r}")
    found = [row for row in listing(ledger.connection) if _is_named(row, named)]
    whole = ledger.trial(found[0].key) if len(found) == 1 else None
    if whole is not None:
        return whole
    if not found:
        raise_alarm(ledger.damage)
        raise SpecFault(
            f"TRIAL is the beginning of a key or arm/condition/task/repeat; {folder} has played none that is"
            f" {named!r}; `show` without TRIAL lists them"
        )
    some = ", ".join(f"{row.key[:SHORT]} ({row.backbone})" for row in found[:4])
    raise SpecFault(f"one TRIAL is needed; {len(found)} are named {named!r}, such as {some}")


def _is_named(row: Listed, named: str) -> bool:
    if "/" not in named:
        return row.key.startswith(named.lower())
    place = f"{row.arm}/{row.condition}/{row.task}/{row.repeat}"
    return named in (place, f"{row.backbone}/{place}")


def _check(ledger: Ledger, row: TrialRow) -> CheckRow | None:
    """The manipulation check of this very trial; None where nothing was damaged."""
    place = (row.backbone, row.arm, row.condition, row.task, row.repeat)
    for one in ledger.checks():
        if (one.backbone, one.arm, one.condition, one.task, one.repeat) == place:
            return one
    return None


def _said(episode: EpisodeRow) -> list[dict[str, Any]]:
    """Every message in order; a reply with the request it answers."""
    calls = iter(episode.calls)
    return [
        dict(message) | ({"request": next(calls, None)} if message["role"] == "assistant" else {})
        for message in episode.conversation
    ]


def _told(said: dict[str, Any]) -> Iterator[str]:
    row = said["trial"]
    yield f"{row['key']}"
    yield f"{row['backbone']}, {row['arm']}/{row['condition']}/{row['task']}/{row['repeat']}"
    score = "" if row["score"] is None else f", score {row['score']:.3f}"
    yield f"{row['status']}{score}{': ' if row['cause'] else ''}{one_line(row['cause'])}"
    for one in said["attempts"][:-1]:
        yield f"attempt {one['number']}: {one['status']}: {one_line(str(one['cause']))}"
    yield (
        f"{how_many(row['calls'], 'call')}, {row['cached']} of them from the cache,"
        f" {row['input_tokens']} tokens in,"
        f" {row['output_tokens']} out, {dollars(row['usd'])}"
    )
    lost = f"; {row['undelivered']} WITHOUT IT" if row["undelivered"] else ""
    yield f"memory was meant to stand in {how_many(row['carrying'], 'request')}{lost}"
    if row["followed"] is not None:
        yield f"{'did' if row['followed'] else 'did not'} what the intact items tell where that first applied"
    yield from _slot(said)
    for firing in row["firings"]:
        shown = "shown" if firing["shown"] else "shadow"
        yield f"firing: step {firing['step']}, item {firing['item']}, {shown}, {one_line(firing['why'])}"
    yield from _talk(said["said"])
    for number, step in enumerate(said["steps"] or ()):
        fault = f" [{step['fault']}]" if step.get("fault") else ""
        yield f"step {number}{fault}: {one_line(step['action'])} -> {one_line(step['observation'])}"


def _slot(said: dict[str, Any]) -> Iterator[str]:
    intact, shown = said["slot"]["intact"], said["slot"]["shown"]
    yield f"=== slot as shown, {said['trial']['slot'][:SHORT] or 'no digest'}"
    yield shown if shown else "(no memory)"
    if intact is not None and shown is not None and intact != shown:
        yield "=== slot intact"
        yield intact or "(no memory)"
        yield "=== what changed: [-taken out-] {+put in+}"
        yield word_diff(intact, shown)


def _talk(said: list[dict[str, Any]] | None) -> Iterator[str]:
    if said is None:
        yield "Nothing is kept of what was said."
        return
    number = 0
    for message in said:
        request = message.get("request")
        if message["role"] == "assistant":
            number += 1
            yield f"=== reply {number}{_delivery(request)}"
        else:
            yield f"=== {message['role']}"
        yield message["content"]


def _delivery(request: dict[str, Any] | None) -> str:
    if request is None:
        return ""
    whole = f", to {how_many(request['messages'], 'message')}, step {request['step']}"
    if not request["meant"]:
        return f"{whole}, no memory meant"
    stood = "stood there verbatim" if request["verbatim"] else "DID NOT STAND THERE VERBATIM"
    return f"{whole}, memory {request['meant'][:SHORT]} {stood}"
