"""`view`: runs, their tasks and trials on a local page."""

import time
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from memtrial.cli.options import Unmask
from memtrial.console.standard_output import put
from memtrial.faults import SpecFault
from memtrial.runs.run_folder.folder import LOGS, find_ledger

LOOK_S = 0.2


def view_runs(
    named: Annotated[
        Path, typer.Argument(help="A run, its name below logs, or a folder of runs.", metavar="RUN|FOLDER")
    ] = LOGS,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of this machine; 0: any that is free.")] = 0,
    by: Annotated[str, typer.Option(help="Who decides at the desks of the runs.")] = "",
    unmask: Unmask = False,
) -> None:
    """Serve the pages until the command is interrupted.

    Raises SpecFault: there is no such run or folder, or the port is taken.
    """
    from memtrial.pages.page_address import PageAddress
    from memtrial.pages.page_server import serve_app
    from memtrial.pages.view.run_shelf import RunShelf
    from memtrial.pages.view.view_app import build_view_app
    from memtrial.runs.run_folder.unmasked_look import note_unmasked

    shelf = RunShelf(_find_place(named), unmask)
    if unmask:
        for folder in shelf.runs().values():
            note_unmasked(folder, "view")
    try:
        with (
            closing(shelf),
            serve_app(lambda served: build_view_app(shelf, served, by), PageAddress(port), "view") as address,
        ):
            put(f"Open {address}  Ctrl-C ends it.")
            while True:  # a signal that another thread takes does not end a wait without an end
                time.sleep(LOOK_S)
    except KeyboardInterrupt:
        return
    except OSError as fault:
        raise SpecFault(f"--port needs one that is free; {port}: {fault.strerror}") from fault


def _find_place(named: Path) -> Path:
    """The folder of a run, or one that holds runs; SpecFault where it is neither."""
    if named.is_dir() and any(named.glob("*/ledger.sqlite")):
        return named
    return find_ledger(named)
