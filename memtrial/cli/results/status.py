"""`status`: how far a run has come, what it cost, how it ended, and what to do next."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from memtrial.cli.options import Json, Run, Unmask
from memtrial.cli.results.monitoring_lines import monitoring_lines, watch_here
from memtrial.cli.standard_streams import has_no_reader
from memtrial.console.display import duration, money, pace
from memtrial.console.escape import one_line
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put_either, put_json, put_line, width_of
from memtrial.faults import RunFault
from memtrial.ledger.blocks.block_outcomes import TrialCounts, count_trials
from memtrial.ledger.review_facts import count_waiting
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import (
    Amendment,
    RunPlan,
    UnmaskedLook,
    attempts,
    plan_in_force,
    read_lock,
    read_numbered,
)
from memtrial.ledger.shards.shard_facts import plan_here, read_shard, read_shard_blocks
from memtrial.outcomes.count_words import how_many
from memtrial.protocol.hidden_names import hidden_names
from memtrial.protocol.masking import NOTHING_MASKED, Mask
from memtrial.runs.run_folder.folder import find_run, going_on, open_for_reading
from memtrial.runs.run_folder.unmasked_look import note_unmasked
from memtrial.views.evidence.untrusted import find_untrusted, untrusted_alarm
from memtrial.views.rows.play_rows import Untrusted

MOST_CAUSES = 10
STATUSES = ("success", "failure", "error")
TOKENS = ("input_tokens", "output_tokens")
UNKNOWN = "cost unknown"


def show_status(
    named: Run = Path("logs/latest"),
    as_json: Json = False,
    watch: Annotated[bool, typer.Option("--watch", help="A line a change, until the run ends.")] = False,
    every_s: Annotated[float, typer.Option("--every", min=0.1, help="Seconds between two looks.")] = 2.0,
    unmask: Unmask = False,
) -> None:
    """Print how a run stands, once or again and again until it ends.

    Raises SpecFault: there is no such run; RunFault, after all was shown: rows were changed.
    """
    if unmask:
        note_unmasked(find_run(named), "status")
    if watch:
        with suppress(KeyboardInterrupt):  # who looks on stops looking; the run itself goes on
            _watch(named, as_json, every_s, unmask)
        return
    status = status_of(named, unmask)
    put_either(status, _lines(status, width_of()), as_json)
    if alarm := untrusted_alarm(Untrusted.model_validate(status["untrusted"])):
        raise RunFault(alarm)


def _watch(named: Path, as_json: bool, every_s: float, unmask: bool) -> None:
    """A line each time something changed, until the run does not go on any more."""
    counts_said = None
    while True:
        status = status_of(named, unmask)
        # the pace changes at every look
        counts = [status[key] for key in ("state", "trials", "blocks", "calls")]
        if as_json and counts != counts_said:
            put_json(status, indent=None)
        elif counts != counts_said:
            put_line(f"{status['state']}: {_progress(status)}; {_calls(status)}")
        sys.stdout.flush()
        counts_said = counts
        if status["state"] != "running" or has_no_reader(sys.stdout):
            return
        time.sleep(every_s)


def status_of(named: Path, unmask: bool = False) -> dict[str, Any]:
    """How a run stands, from its folder alone; with `unmask` under the names of its arms."""
    with open_for_reading(named, glance=True) as (folder, ledger):
        running = going_on(folder)
        plan, shard, own_blocks = plan_in_force(ledger), read_shard(ledger), read_shard_blocks(ledger)
        plan = None if plan is None else plan_here(ledger, plan)
        now, sent, blocks = ledger.accounts.counts(), ledger.accounts.network_use(), ledger.block_outcomes()
        ended = count_trials(blocks)
        causes = ledger.accounts.error_causes() if ended.errors else {}
        never, undecided = ledger.accounts.unplayed_trials(), count_waiting(ledger)
        mask = NOTHING_MASKED if unmask else hidden_names(ledger)
        stated, amended = read_lock(ledger), len(read_numbered(ledger, Amendment))
        unmasked, seen = len(read_numbered(ledger, UnmaskedLook)), watch_here(ledger, blocks, plan, mask)
        sessions, written = ledger.sessions(), attempts(ledger) if running else 0
        left_out = find_untrusted(ledger.damage)
        own = _own_calls(ledger.trials()) if plan and plan.reported else None
    counts = {"amendments": amended, "unmasked_looks": unmasked, "masked": bool(mask)}
    lock = {"made": stated.made, "digest": stated.digest, **counts} if stated else None
    n_blocks = len(plan.backbones) * plan.tasks * plan.repeats if plan else None
    n_blocks = len(own_blocks.blocks) if own_blocks else n_blocks
    planned = plan.trials - sum(never.values()) if plan else None
    last = seen.looks.taken[-1] if seen and seen.looks.taken else None
    early = plan is not None and last is not None and last.stop and last.tasks < plan.tasks
    over = planned is not None and (early or ended.played >= planned)
    state = "running" if running else "finished" if over else "stopped"
    ends: list[tuple[str | None, str]] = [
        (entry.how, entry.why) if entry.ended else ("killed", "") for entry in sessions
    ]
    rate = None
    if running and sessions and not sessions[-1].ended:
        ends[-1] = (None, "")
        took = (datetime.now(UTC) - datetime.fromisoformat(sessions[-1].begun)).total_seconds()
        rate = max(written - sessions[-1].attempts, 0) / max(took, 1.0)
    waits = undecided if plan is None else 0
    retry = bool(ended.errors) and not (plan is not None and plan.mode == "stream")
    if waits and running:
        step = "It waits for a person: open the address that it printed."
    elif waits:
        command = f"memtrial review {shlex.quote(str(folder))}"
        step = f"`{command}` serves them; then the same `run` command goes on."
    else:
        step = _next("shard" if over and shard else state, ends[-1] if ends else (None, ""), retry, sent.open)
    return {
        "run": str(folder),
        "name": plan.name if plan else folder.name,
        "simulated": plan.simulated if plan else None,
        "state": state,
        "trials": {"planned": planned, "played": ended.played, "errors": ended.errors},
        "shard": {"number": shard.number, "of": shard.of} if shard else None,
        "blocks": {"planned": n_blocks, "done": ended.blocks},
        "by_arm": _by_arm(ended, plan, never, mask),
        "untrusted": left_out.model_dump(),
        "lock": lock,
        "monitoring": seen,
        "errors": causes,
        "waiting_for_review": waits,
        "prepared": {"traces": now.traces, "condensations": now.condensations},
        "calls": asdict(sent) | {"kept": now.answers},
        "tokens": now.tokens,
        "own_calls": own,
        "cost_usd": now.usd,
        "unpriced_calls": now.unpriced,
        "budget_usd": sessions[-1].max_cost_usd if sessions else None,
        "budget_calls": sessions[-1].max_calls if sessions else None,
        "budget_hours": sessions[-1].max_hours if sessions else None,
        "per_minute": 60 * rate if rate else None,
        "left_s": (planned - ended.played) / rate if rate and planned is not None else None,
        "sessions": [
            {
                "number": entry.number,
                "begun": entry.begun,
                "ended": entry.ended or None,
                "how": how,
                "why": why,
            }
            for entry, (how, why) in zip(sessions, ends, strict=True)
        ],
        "next": step,
    }


def _by_arm(
    ended: TrialCounts, plan: RunPlan | None, never: dict[str, int], mask: Mask
) -> dict[str, dict[str, int]]:
    planned = plan.planned if plan else {}
    by_arm = {
        mask.of(arm): {"planned": planned.get(arm, 0) - never.get(arm, 0)}
        | {entry: ended.by_arm.get(arm, {}).get(entry, 0) for entry in STATUSES}
        for arm in dict.fromkeys((*(plan.arms if plan else ()), *ended.by_arm))
    }
    # the order of the plan would tell what a mask hides
    names = sorted(by_arm, key=lambda arm: (arm != "none", arm)) if mask else list(by_arm)
    return {arm: by_arm[arm] for arm in names}


def _next(state: str, ended: tuple[str | None, str], retry: bool, in_flight: int) -> str:
    """What to do; `ended`: how the last session did, and why; `retry`: there are errors, and they can be
    played again."""
    how, why = ended
    if state == "running":
        return "It is going on; nothing to do."
    if state == "shard":
        return "All its trials have been played: `memtrial merge` makes one run of all shards."
    if state == "finished" and how == "boundary":
        return f"It {why}: `memtrial report` says what was found."
    if state == "finished":
        again = " `run --retry-errors` plays the errors again." if retry else ""
        return f"All trials have been played: `memtrial report` says what was found.{again}"
    if how == "budget":
        return f"The budget is spent: {why}. The same command with a larger budget goes on."
    if how == "errors":
        again = " with --retry-errors" if retry else ""
        return f"Too many errors: fix their cause, then run the same command{again} to resume."
    if how == "halted":
        return f"It was stopped: {why}."
    lost = f" {how_many(in_flight, 'request')} in flight at its end may be paid again." if in_flight else ""
    return f"Run the same command to resume.{lost}"


def _lines(status: dict[str, Any], width: int | None) -> Iterator[str]:
    room = None if width is None else width - 2
    simulated = ", simulated participants" if status["simulated"] else ""
    yield f"{status['run']}: {status['state']}{simulated}"
    if shard := status["shard"]:
        place = f"{shard['number']}/{shard['of']}"
        yield f"Shard {place} of {status['name']}: a part of its blocks, without results of its own."
    yield _progress(status)
    if alarm := untrusted_alarm(Untrusted.model_validate(status["untrusted"])):
        yield alarm
    if status["trials"]["planned"] is None:
        yield from (f"collected by {name}: {n}" for name, n in status["prepared"]["traces"].items())
        if waits := status["waiting_for_review"]:
            yield f"waiting for review: {how_many(waits, 'draft')}"
        yield from (f"condensed, {name}: {n}" for name, n in status["prepared"]["condensations"].items())
    if status["trials"]["played"]:
        heads = ("arm", "planned", "success", "failure", "errors")
        counts = [(arm, *map(str, n.values())) for arm, n in status["by_arm"].items()]
        yield from (f"  {line}" for line in columns([heads, *counts], room))
    if lock := status["lock"]:
        changed = f", amended {lock['amendments']} times" if lock["amendments"] else ""
        names = "; arms are masked until the locked data are complete" if lock["masked"] else ""
        yield f"locked {lock['made']}, digest {lock['digest'][:12]}{changed}{names}"
    if seen := status["monitoring"]:
        yield from monitoring_lines(seen, room)
    causes = list(status["errors"].items())
    for cause, count in causes[:MOST_CAUSES]:
        yield f"error x {count}: {one_line(str(cause))}"
    if len(causes) > MOST_CAUSES:
        yield f"and {len(causes) - MOST_CAUSES} more causes, all of them with --json"
    yield _calls(status)
    if own := status["own_calls"]:
        usd = UNKNOWN if own["usd"] is None else money(own["usd"])
        used = f"{own['calls']:,} calls, {own['input_tokens']:,} tokens in, {own['output_tokens']:,} out"
        yield f"calls of the agent, as its trials count them: {used}, {usd}"
    for session in status["sessions"][-5:]:
        until = session["ended"] or "no end noted"
        end = ": ".join(filter(None, (session["how"], session["why"]))) or "going on"
        yield f"session {session['number']}: {session['begun']} to {until}, {end}"
    yield status["next"]


def _progress(status: dict[str, Any]) -> str:
    trials, blocks = status["trials"], status["blocks"]
    if trials["planned"] is None:
        return "Not at its first trial yet: it collects and condenses."
    done = f"{blocks['done']}/{blocks['planned']} blocks, {trials['played']}/{trials['planned']} trials"
    left = ""
    if status["per_minute"] is not None:
        left = f", {pace(status['per_minute'] / 60)}, about {duration(status['left_s'])} left"
    return f"{done}, {how_many(trials['errors'], 'error')}{left}"


def _own_calls(trials: Iterable[TrialRow]) -> dict[str, Any]:
    """What an agent used that asks by itself: requests through the proxy, or what it reports."""
    rows = tuple(trials)
    usd = [row.usd for row in rows if row.usd is not None]
    counts = {name: sum(getattr(row, name) for row in rows) for name in ("calls", *TOKENS)}
    return {**counts, "usd": sum(usd) if len(usd) == len(rows) else None}


def _calls(status: dict[str, Any]) -> str:
    calls, tokens = status["calls"], status["tokens"]
    budget = "" if status["budget_usd"] is None else f" of {money(status['budget_usd'])}"
    unknown = f" and {status['unpriced_calls']} calls without a known price" * bool(status["unpriced_calls"])
    faults = "".join(f", {kind} {count}" for kind, count in calls["faults"].items())
    bounds = (("budget_calls", "requests"), ("budget_hours", "hours"))
    most = "".join(f", at most {status[key]:g} {noun}" for key, noun in bounds if status[key] is not None)
    return (
        f"{calls['kept']} calls answered, {tokens['input_tokens']} tokens in, {tokens['output_tokens']} out,"
        f" {money(status['cost_usd'])}{budget}{unknown}{most}; requests: {calls['sent']} sent,"
        f" {calls['answered']} answered, {calls['open']} open{faults}"
    )
