"""`worker`: take blocks of runs that are kept in a database, until none is left."""

import sys
from contextlib import redirect_stdout
from typing import Annotated

import typer

from memtrial.cli.options import BaseUrl, Ledger, Mode
from memtrial.console.display import Display
from memtrial.console.standard_output import complain, put
from memtrial.faults import RESUME
from memtrial.ledger.postgres.lease_time import LEASE_S


def worker(
    ledger: Ledger,
    run: Annotated[
        str | None,
        typer.Option("--run", help="The run to work for; default all that are there.", metavar="NAME"),
    ] = None,
    lease: Annotated[
        float, typer.Option("--lease", min=1, help="Seconds of silence after which others take its blocks.")
    ] = LEASE_S,
    base_url: BaseUrl = None,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "log",
) -> int:
    """Play blocks of the runs of a database beside other workers, until none is left."""
    from memtrial.api.shared.shared_play import STOPPED, WorkerTerms, work_on

    terms = WorkerTerms(run, lease, tuple(base_url or ()))
    with redirect_stdout(sys.stderr):
        worked = work_on(ledger, terms, Display(display))
    if not worked:
        put("nothing is left to play")
    for done in worked:
        put(f"{done.name}: {done.ending.how}")
        if done.ending.how in STOPPED:
            complain(f"{done.name} stopped: {done.ending.why}; {RESUME}")
    if any(done.ending.how == "interrupted" for done in worked):
        return 130
    return int(any(done.ending.how in STOPPED for done in worked))
