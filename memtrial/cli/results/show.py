"""`show`: the trials of a run, or everything that was said in one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtrial.cli.options import Json, Run
from memtrial.console.escape import one_line
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put, put_either, put_json, width_of
from memtrial.faults import SpecFault
from memtrial.outcomes.count_words import how_many
from memtrial.runs.run_folder.folder import open_for_reading, raise_alarm

if TYPE_CHECKING:
    from memtrial.ledger.rows import EpisodeRow, TrialRow
    from memtrial.protocols import LedgerStore

SHORT, SHORTEST = 12, 4
MOST = 50
HEADS = ("key", "arm", "condition", "task", "repeat", "status", "score", "cause")


def show_run(
    named: Run,
    trial: Annotated[
        str | None,
        typer.Argument(help="The beginning of its key, or arm/condition/task/repeat.", metavar="TRIAL"),
    ] = None,
    as_json: Json = False,
    arm: Annotated[str | None, typer.Option(help="Only trials of this arm.")] = None,
    condition: Annotated[str | None, typer.Option(help="Only trials of this condition.")] = None,
    task: Annotated[str | None, typer.Option(help="Only trials of this task.")] = None,
    family: Annotated[str | None, typer.Option(help="Only trials of this family of tasks.")] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Rows of the table; 0 for all.")] = None,
) -> None:
    """Print a table of trials, or one trial."""
    from memtrial.ledger.shards.shard_facts import read_shard
    from memtrial.runs.run_folder.unmasked_look import note_raw

    with open_for_reading(named, glance=True) as (folder, ledger):
        note_raw(folder, ledger, "show")
        if trial is not None:
            said = _one_trial(ledger, trial, folder)
            put_either(said, _trial_lines(said), as_json)
        else:
            wanted = {"arm": arm, "condition": condition, "task": task, "family": family}
            asked = [(name, value) for name, value in wanted.items() if value is not None]
            most = limit if limit is not None else 0 if as_json else MOST
            _print_table(_choose_rows(ledger, dict(asked), most), as_json)
            if (shard := read_shard(ledger)) is not None and not as_json:
                put(f"Shard {shard.name} of a run: `memtrial merge` makes one run of all {shard.of}.")
        raise_alarm(ledger.damage)


@dataclass(frozen=True, slots=True)
class _ShownTrials:
    """The rows that are shown of those that were asked for, and what there is in all of these."""

    shown: Sequence[TrialRow]
    asked: int
    backbones: int
    tasks: int
    families: int


def _choose_rows(ledger: LedgerStore, wanted: Mapping[str, str], most: int) -> _ShownTrials:
    """The first of the trials with these values, all for 0; only what is shown is read whole."""
    family = wanted.get("family")
    values = [(name, value) for name, value in wanted.items() if name != "family"]
    rows = [row for row in ledger.scores() if all(getattr(row, name) == value for name, value in values)]
    # a task is of one family, which any of its trials tells
    firsts = {row.task: row.key for row in reversed(rows)}
    read = ((task, ledger.trial(key)) for task, key in firsts.items())
    families = {task: trial.family for task, trial in read if trial is not None}
    if family is not None:
        rows = [row for row in rows if families.get(row.task) == family]
    some = rows[:most] if most else rows
    tasks = {row.task for row in rows}
    if len(some) * 4 < len(rows):
        shown = [trial for row in some if (trial := ledger.trial(row.key)) is not None]
    else:
        keys = {row.key for row in some}
        shown = [row for row in ledger.trials() if row.key in keys]
    there = {families.get(task, "") for task in tasks} - {""}
    return _ShownTrials(shown, len(rows), len({row.backbone for row in rows}), len(tasks), len(there))


def _print_table(chosen: _ShownTrials, as_json: bool) -> None:
    shown = chosen.shown
    if as_json:
        put_json([{name: getattr(row, name) for name in ("backbone", *HEADS, "family")} for row in shown])
        return
    several = chosen.backbones > 1
    # a family of one task says no more than the task
    grouped = 1 < chosen.families < chosen.tasks
    table = [(HEADS[0], *["backbone"] * several, *["family"] * grouped, *HEADS[1:])]
    for row in shown:
        score = "" if row.score is None else f"{row.score:.3f}"
        groups = (*[row.backbone] * several, *[row.family] * grouped)
        place = (*groups, row.arm, row.condition, row.task, str(row.repeat))
        table.append((row.key[:SHORT], *place, row.status, score, one_line(row.cause)))
    put("\n".join(columns(table, width_of())))
    if len(shown) < chosen.asked:
        put(f"{len(shown)} of {how_many(chosen.asked, 'trial')}; --limit 0 shows all")


def _one_trial(ledger: LedgerStore, named: str, folder: Path) -> dict[str, Any]:
    row = _find_trial(ledger, named, folder)
    place = (row.backbone, row.arm, row.condition, row.task, row.repeat)
    checks = {
        (value.backbone, value.arm, value.condition, value.task, value.repeat): value
        for value in ledger.checks()
    }
    check = checks.get(place)
    episode = ledger.episode(row.key)
    return {
        "trial": asdict(row),
        "attempts": [
            {"number": n, "status": status, "cause": cause} for n, status, cause in ledger.attempts(row.key)
        ],
        "slot": {
            "intact": ledger.slot(check.before if check is not None else row.slot),
            "shown": ledger.slot(row.slot),
        },
        "check": None if check is None else asdict(check),
        "said": None if episode is None else _messages_of(episode),
        "steps": None if episode is None else list(episode.steps),
    }


def _find_trial(ledger: LedgerStore, named: str, folder: Path) -> TrialRow:
    """The one trial of a name.

    Raises:
        SpecFault: no trial, or several, are named so.
        RunFault: none is named so, and rows were changed: it may be one that is left out.
    """
    if "/" not in named and len(named) < SHORTEST:
        raise SpecFault(f"TRIAL needs at least {SHORTEST} characters of a key; got {named!r}")
    matching = []
    for row in ledger.scores():
        place = f"{row.arm}/{row.condition}/{row.task}/{row.repeat}"
        by_key = "/" not in named and row.key.startswith(named.lower())
        if by_key or named in (place, f"{row.backbone}/{place}"):
            matching.append(row)
    if len(matching) == 1 and (read := ledger.trial(matching[0].key)) is not None:
        return read
    if not matching:
        raise_alarm(ledger.damage)
        raise SpecFault(
            f"TRIAL is the beginning of a key or arm/condition/task/repeat; {folder} has played none that is"
            f" {named!r}; `show` without TRIAL lists them"
        )
    some = ", ".join(f"{row.key[:SHORT]} ({row.backbone})" for row in matching[:4])
    raise SpecFault(f"one TRIAL is needed; {len(matching)} are named {named!r}, such as {some}")


def _messages_of(episode: EpisodeRow) -> list[dict[str, Any]]:
    """Every message in order; a reply with the request it answers."""
    calls = iter(episode.calls)
    return [
        dict(message) | ({"request": next(calls, None)} if message["role"] == "assistant" else {})
        for message in episode.conversation
    ]


def _trial_lines(facts: dict[str, Any]) -> Iterator[str]:
    from memtrial.views.numbers import dollars

    row = facts["trial"]
    yield row["key"]
    yield f"{row['backbone']}, {row['arm']}/{row['condition']}/{row['task']}/{row['repeat']}"
    score = "" if row["score"] is None else f", score {row['score']:.3f}"
    whose = "" if row["boundary"] is None else f" of the {row['boundary']}"
    yield f"{row['status']}{whose}{score}{': ' if row['cause'] else ''}{one_line(row['cause'])}"
    for attempt in facts["attempts"][:-1]:
        yield f"attempt {attempt['number']}: {attempt['status']}: {one_line(str(attempt['cause']))}"
    yield (
        f"{how_many(row['calls'], 'call')}, {row['cached']} of them from the cache,"
        f" {row['input_tokens']} tokens in, {row['output_tokens']} out, {dollars(row['usd'])}"
    )
    lost = f"; {row['undelivered']} WITHOUT IT" if row["undelivered"] else ""
    yield f"memory was meant to stand in {how_many(row['carrying'], 'request')}{lost}"
    if row["followed"] is not None:
        yield f"{'did' if row['followed'] else 'did not'} what the intact items tell where that first applied"
    if row["broken"] or row["withheld"]:
        proposed = f"{how_many(row['broken'], 'proposed action')} broke a check"
        yield f"{proposed}; {row['withheld']} withheld, {row['changed']} of them then replaced"
    intact, shown = facts["slot"]["intact"], facts["slot"]["shown"]
    yield f"=== slot as shown, {row['slot'][:SHORT] or 'no digest'}"
    yield shown or "(no memory)"
    if intact is not None and shown is not None and intact != shown:
        yield f"=== slot intact\n{intact or '(no memory)'}"
    for firing in row["firings"]:
        how = "shown" if firing["shown"] else "shadow"
        yield f"firing: step {firing['step']}, item {firing['item']}, {how}, {one_line(firing['why'])}"
    if facts["said"] is None:
        yield "Nothing is kept of what was said."
    replies = 0
    for message in facts["said"] or ():
        replies += message["role"] == "assistant"
        delivered = _delivery(message.get("request"))
        yield (
            f"=== reply {replies}{delivered}" if message["role"] == "assistant" else f"=== {message['role']}"
        )
        yield message["content"]
    for number, step in enumerate(facts["steps"] or ()):
        fault = f" [{step['fault']}]" if step.get("fault") else ""
        yield f"step {number}{fault}: {one_line(step['action'])} -> {one_line(step['observation'])}"


def _delivery(request: dict[str, Any] | None) -> str:
    if request is None:
        return ""
    messages = request["messages"] - request.get("since", 0)
    whole = f", to {how_many(messages, 'message')}, step {request['step']}"
    if not request["meant"]:
        return f"{whole}, no memory meant"
    stood = "stood there verbatim" if request["verbatim"] else "DID NOT STAND THERE VERBATIM"
    return f"{whole}, memory {request['meant'][:SHORT]} {stood}"
