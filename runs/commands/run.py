"""`run`: carry out a spec, print the table, write the report."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from ledger.store import Ledger, LedgerFault
from runs.commands.report import show, write_reports
from runs.display import Display, Mode
from runs.experiment import Experiment, begin, carry_out, check_spec
from runs.fault import RunFault, SpecFault
from runs.folder import LOCK, alone_in, folder_of, point_latest, write_whole
from runs.folder import clean as remove
from runs.spec import Spec

UNDECIDED = ("inconclusive", "untestable", "insensitive")


def run_spec(
    spec: Spec,
    out: Path | None,
    clean: bool,
    limit: int | None,
    mode: Mode,
    as_json: bool,
    require_decision: bool,
) -> int:
    """Carry out a spec; the exit code.

    Raises:
        SpecFault: the spec, or the folder it would go on in, is wrong; nothing was written.
        RunFault: the run cannot go on.
    """
    begun = time.monotonic()
    experiment = check_spec(spec)
    folder = folder_of(spec, out)
    if clean:
        remove(folder)
    _make(folder)
    with alone_in(folder):
        ledger = _open(folder, experiment)
        try:
            write_whole(folder / "spec.resolved.yaml", _resolved(spec))
            point_latest(folder)
            asyncio.run(carry_out(experiment, ledger, Display(mode), limit))
            results = write_reports(folder, ledger)
        except LedgerFault as fault:
            raise RunFault(f"{folder} was begun by another version: {fault}; --clean begins anew") from fault
        finally:
            ledger.close()
    show(results, folder, as_json, f"{time.monotonic() - begun:.0f} s. ")
    return 3 if require_decision and _undecided(results) else 0


def _make(folder: Path) -> None:
    """A folder for the run; one of something else stays untouched."""
    if folder.exists() and not folder.is_dir():
        raise SpecFault(f"a run needs a folder; {folder} is a file")
    fresh = not (folder / "ledger.sqlite").exists()
    if fresh and folder.exists() and any(path.name != LOCK for path in folder.iterdir()):
        raise SpecFault(f"a run needs a folder of its own; {folder} holds other files and no ledger")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise SpecFault(f"a run needs a folder that can be made; {folder}: {fault}") from fault


def _open(folder: Path, experiment: Experiment) -> Ledger:
    """The folder's ledger, begun if new."""
    try:
        ledger = Ledger(folder / "ledger.sqlite")
    except LedgerFault as fault:
        raise SpecFault(str(fault)) from fault
    try:
        begin(experiment, ledger, folder)
    except SpecFault:
        ledger.close()
        raise
    return ledger


def _resolved(spec: Spec) -> str:
    import yaml

    return yaml.safe_dump(json.loads(spec.model_dump_json()), sort_keys=False, allow_unicode=True)


def _undecided(results: dict[str, Any]) -> bool:
    primary = [one["verdict"] for one in results["hypotheses"]]
    if not primary:
        print("--require-decision: the spec compares no two arms, so nothing is decided", file=sys.stderr)
    return not primary or any(verdict in UNDECIDED for verdict in primary)
