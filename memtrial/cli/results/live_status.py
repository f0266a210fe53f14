"""`status`: how a run stands, from its folder, or from the database in which workers play it now."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtrial.cli.options import Json, Run, Unmask
from memtrial.console.display import duration, money
from memtrial.console.escape import one_line
from memtrial.console.line_width import columns
from memtrial.console.standard_output import complain, put, put_json, put_line, width_of
from memtrial.faults import SpecFault, refused
from memtrial.outcomes.count_words import how_many
from memtrial.private_file import ForeignFault, refuse_foreign
from memtrial.runs.run_folder.folder import ELSEWHERE_KEPT, LEDGER, LOGS

if TYPE_CHECKING:
    from memtrial.ledger.postgres.run_progress import RunProgress

LATEST = Path("logs/latest")
LONGEST_ADDRESS = 65_536


def tell_status(
    named: Run = LATEST,
    as_json: Json = False,
    watch: Annotated[bool, typer.Option("--watch", help="A line a change, until the run ends.")] = False,
    every_s: Annotated[float, typer.Option("--every", min=0.1, help="Seconds between two looks.")] = 2.0,
    unmask: Unmask = False,
    ledger: Annotated[
        str | None,
        typer.Option(
            "--ledger", help="Runs of this database, or the one of this name.", metavar="postgresql://…"
        ),
    ] = None,
) -> None:
    """Print how a run stands, once or again and again until it ends.

    Raises SpecFault: there is no such run; RunFault, after all was shown: rows were changed.
    """
    from memtrial.cli.results.status import show_status, status_of

    if ledger is not None:
        name = None if named == LATEST else named.name
        _show(ledger, name, as_json, every_s if watch else None)
    elif (kept := _kept_elsewhere(named)) is None:
        show_status(named, as_json, watch, every_s, unmask)
    else:
        folder, address, name = kept
        copied = (folder / LEDGER).exists()
        try:
            stands = _look(address, name)[0]
        except SpecFault as fault:
            if not copied:
                raise
            complain(f"{fault}; what follows is the copy in {folder}, as new as the last end of `run`")
        else:
            whole = copied and stands.state != "running"
            if not (whole and status_of(folder)["trials"]["played"] == stands.trials[0]):
                _show(address, name, as_json, every_s if watch else None)
                return
        show_status(folder, as_json, watch, every_s, unmask)


def _kept_elsewhere(named: Path) -> tuple[Path, str, str] | None:
    """A run folder whose rows are in a database, with its address and the name of the run there."""
    for folder in (named, LOGS / named):
        path = folder / ELSEWHERE_KEPT
        if not path.exists():
            continue
        with refused(ForeignFault):
            refuse_foreign(path)
        try:
            if path.stat().st_size > LONGEST_ADDRESS:
                raise ValueError("it is too long")
            body = json.loads(path.read_text(encoding="utf-8"))
            return folder, str(body["ledger"]), str(body["run"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as fault:
            raise SpecFault(
                f"{path} says where a run is kept, as `run --ledger` wrote it: {fault}"
            ) from fault
    return None


def _look(address: str, name: str | None) -> list[RunProgress]:
    from memtrial.ledger.postgres.database_address import refuse_address
    from memtrial.ledger.postgres.run_progress import look_at_runs
    from memtrial.ledger.row_text import LedgerFault

    refuse_address(address)
    with refused(LedgerFault):
        return look_at_runs(address, name)


def _show(address: str, name: str | None, as_json: bool, every_s: float | None) -> None:
    """Print the runs of a database; with `every_s` whenever something changed, until nobody works at them."""
    before: list[dict[str, Any]] = []
    with suppress(KeyboardInterrupt):  # who looks on stops looking; the runs themselves go on
        while True:
            runs = _look(address, name)
            bodies = [body_of(run) for run in runs]
            changed = bodies != before
            before = bodies
            if changed and as_json:
                shown = bodies[0] if name is not None else bodies
                put_json(shown, **({} if every_s is None else {"indent": None}))
            elif changed and every_s is None:
                put("\n".join(line for run in runs for line in lines_of(run, width_of())))
            elif changed:
                for run in runs:
                    put_line(f"{run.name}: {run.state}: {_progress(run)}; {_requests(run)}")
            sys.stdout.flush()
            if every_s is None or all(run.state != "running" for run in runs):
                return
            time.sleep(every_s)


def body_of(run: RunProgress) -> dict[str, Any]:
    """A run under way, for programs; the keys that `status` of a folder has mean the same here."""
    laid, done, playing = run.blocks
    played, errors = run.trials
    budget = run.spec.get("budget")
    limits = budget if isinstance(budget, dict) else {}
    return {
        "run": run.name,
        "state": run.state,
        "trials": {"planned": _planned(run), "played": played, "errors": errors},
        "blocks": {"planned": laid or None, "done": done, "playing": playing, "left": laid - done - playing},
        "preparing": None if run.plan is not None else run.preparer,
        "calls": {"sent": sum(worker.requests for worker in run.workers), "asking": run.asking},
        "cost_usd": _cost(run),
        "unpriced_calls": sum(worker.unpriced for worker in run.workers),
        "budget_usd": limits.get("max_cost_usd"),
        "budget_calls": limits.get("max_calls"),
        "workers": [asdict(worker) for worker in run.workers],
        "rates": [asdict(rate) | {"closed_s": round(rate.closed_s, 1)} for rate in run.rates],
        "last_end": dict(zip(("ended", "how", "why"), run.ended, strict=True)) if run.ended[0] else None,
    }


def lines_of(run: RunProgress, width: int | None) -> Iterator[str]:
    """A run under way, for people."""
    room = None if width is None else width - 2
    simulated = ", simulated participants" if (run.plan or {}).get("simulated") else ""
    alive = sum(worker.alive for worker in run.workers)
    yield f"{run.name}: {run.state}, {how_many(alive, 'worker')} at work{simulated}"
    yield _progress(run)
    heads = ("worker", "place", "since", "", "done", "playing", "requests", "cost")
    rows = [
        (str(worker.id), one_line(worker.place), worker.begun, "at work" if worker.alive else "gone",
         str(worker.done), str(worker.playing), str(worker.requests), money(worker.usd))
        for worker in run.workers
    ]  # fmt: skip
    yield from (f"  {line}" for line in columns([heads, *rows], room))
    for rate in run.rates:
        part = "" if rate.part >= 1 else f", {rate.part:.0%} of what the spec allows: it said too many"
        closed = f"; nothing is sent for {duration(rate.closed_s)}" if rate.closed_s else ""
        yield f"{one_line(rate.provider)}: {rate.connections} requests at once{part}{closed}"
    yield _requests(run)
    ended, how, why = run.ended
    if ended:
        yield f"a session ended {ended}: {': '.join(filter(None, (how, one_line(why))))}"
    if run.state == "finished":
        yield "All blocks are done: `memtrial run SPEC --ledger` writes the copy and the report."
    elif run.state == "stopped":
        yield "`memtrial run SPEC --ledger` goes on with it, and `memtrial worker --ledger` beside."


def _progress(run: RunProgress) -> str:
    laid, done, playing = run.blocks
    played, errors = run.trials
    if run.plan is None:
        return "Not at its first trial yet: it collects and condenses."
    return (
        f"{done}/{laid} blocks done, {playing} being played, {laid - done - playing} left;"
        f" {played}/{_planned(run)} trials, {how_many(errors, 'error')}"
    )


def _planned(run: RunProgress) -> int | None:
    planned = (run.plan or {}).get("trials")
    return planned if isinstance(planned, int) else None


def _cost(run: RunProgress) -> float:
    """US dollars of all workers, as far as prices are known, and those that agents reported."""
    return sum(worker.usd for worker in run.workers) + run.reported_usd


def _requests(run: RunProgress) -> str:
    sent = sum(worker.requests for worker in run.workers)
    unpriced = sum(worker.unpriced for worker in run.workers)
    unknown = f" and {how_many(unpriced, 'call')} without a known price" if unpriced else ""
    return f"requests: {sent} sent, {run.asking} being asked; {money(_cost(run))}{unknown}"
