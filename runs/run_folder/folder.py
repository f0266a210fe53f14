"""The run folder: found, made, refused where it holds another experiment, and opened to be read."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtrial.faults import RunFault, SpecFault, refused
from memtrial.private_file import (
    DRAFT,
    FOLDER,
    ForeignFault,
    database_files,
    private,
    refuse_foreign,
    refuse_foreign_folder,
)

if TYPE_CHECKING:
    from pydantic import JsonValue

    from memtrial.ledger.sqlite.audit import Damage
    from memtrial.protocols import LedgerStore
    from memtrial.runs.spec.spec import Spec

LOGS = Path("logs")
LOCK = ".lock"
LEDGER = "ledger.sqlite"
ELSEWHERE_KEPT = "ledger.address"
"""Says in which database the ledger is, of which the one in the folder is a copy then."""
SPEC = "spec.resolved.yaml"
CHECKPOINTS = "checkpoints.sqlite"
"""Loops of condensers that were interrupted for a person (LangGraph)."""
EVOLUTION, EVOLUTION_RESULTS = "evolve.json", "evolution.json"
"""Of an evolution, whose folder has a ledger of calls and no trials: its spec, and what it says."""
INDEX = "index"
"""The folder of FAISS indices, of the texts of its banks."""
REVIEW_ADDRESS = "review_address"
"""Port and token of the page on which a person decides."""
WHOLE = (REVIEW_ADDRESS, ELSEWHERE_KEPT, SPEC, "lock.json", "results.json", "report.html", "report.md")
"""Files that are written anew each time; the ledger, its lock and the logs are written into."""
ANEW = "Give the spec another name, use --out with a new folder, or --clean to begin anew"
OUTSIDE_IDENTITY = frozenset({"budget", "engine", "display"})


def folder_of(spec: Spec, out: Path | None) -> Path:
    """Where the run lives. Another seed is a replicate and gets a folder of its own."""
    return out if out is not None else LOGS / f"{spec.name}_s{spec.seed}"


def identity_of(spec: Spec) -> dict[str, JsonValue]:
    """All of the spec that determines the trials, flat."""
    return flat_of(json.loads(spec.model_dump_json(exclude=set(OUTSIDE_IDENTITY))))


def flat_of(raw: dict[str, Any], prefix: str = "") -> dict[str, JsonValue]:
    """A nested mapping by full names, `first.second`."""
    flat: dict[str, JsonValue] = {}
    for key, value in raw.items():
        flat |= flat_of(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def refuse_changed(
    folder: Path, before: dict[str, JsonValue] | None, now: dict[str, JsonValue], ways: str = ANEW
) -> None:
    """A folder goes on only with the experiment it was begun with; SpecFault names the changed keys.

    Args:
        ways: what the user may do then.
    """
    if before is None:
        return
    changed = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    if changed:
        what = ", ".join(f"{key} ({before.get(key)!r} -> {now.get(key)!r})" for key in changed[:5])
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        raise SpecFault(f"{folder} holds another experiment; changed: {what}{more}. {ways}")


def refuse_links(folder: Path) -> None:
    """Every file of a run is a plain one, before anything of it is opened; the folder itself may be a link.

    SpecFault where one is a link, a pipe or the like, or one that is written into has a second name.
    """
    with refused(ForeignFault):
        databases = (*database_files(folder / LEDGER), *database_files(folder / CHECKPOINTS))
        for file in (folder / LOCK, *databases):
            refuse_foreign(file, writing=True)
        for name in WHOLE:
            refuse_foreign(folder / name)
        for name in ("logs", INDEX):
            refuse_foreign_folder(folder / name)
        for file in (folder / INDEX).glob("*"):
            refuse_foreign(file)


def refuse_kept_elsewhere(folder: Path) -> None:
    """The ledger of the folder is no copy of one in a database, which alone may grow; else SpecFault."""
    if (folder / ELSEWHERE_KEPT).exists():
        raise SpecFault(
            f"the rows of {folder} are kept in a database, which {folder / ELSEWHERE_KEPT} names: add"
            " --ledger with its address, or use --out with a folder of its own"
        )


def make(folder: Path) -> None:
    """A folder for the run; SpecFault where it is a file, holds something else, or cannot be made.

    One that becomes a run's folder now is shut to others, whoever made it. One that holds a run keeps its
    mode: its owner may have opened it since.
    """
    if folder.exists() and not folder.is_dir():
        raise SpecFault(f"a run needs a folder; {folder} is a file")
    fresh = not any((folder / name).exists() for name in (LEDGER, ELSEWHERE_KEPT))
    if fresh and folder.exists() and any(path.name != LOCK for path in folder.iterdir()):
        raise SpecFault(f"a run needs a folder of its own; {folder} holds other files and no ledger")
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
        folder.mkdir(FOLDER, parents=True, exist_ok=True)
        if fresh:
            with suppress(PermissionError):  # somebody else's, who lets us write; our files in it are shut
                folder.chmod(FOLDER)
    except OSError as fault:
        for parent in made:
            with suppress(OSError):
                parent.rmdir()
        raise SpecFault(f"a run needs a folder that can be made; {folder}: {fault}") from fault


def clean(folder: Path) -> None:
    """Remove a run folder; SpecFault where it holds no run, or is a link."""
    if not folder.exists():
        return
    if folder.is_symlink():
        raise SpecFault(f"--clean removes run folders; {folder} is a link: name the folder it leads to")
    begun = (folder / SPEC).is_file() or (folder / LOCK).is_file()
    if not (begun and (folder / LEDGER).is_file()):
        raise SpecFault(f"--clean removes run folders; {folder} holds no run and stays as it is")
    with alone_in(folder):
        shutil.rmtree(folder)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One run at a time in a folder, else SpecFault; the system lets go when the process ends."""
    with refused(OSError, prefix=f"a run needs a folder that can be written; {folder}: "):
        held = private(folder / LOCK, os.O_RDWR | os.O_CREAT)
    with open(held, "rb") as lock:
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.1)  # `status` holds it for a moment to see whether a run is going on
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            raise SpecFault(
                f"another run is going on in {folder}; wait for it, or use --out with a folder of its own"
            ) from fault
        yield


def point_latest(folder: Path) -> None:
    """`latest`, beside the run folder, leads to it."""
    link = folder.parent / "latest"
    if link.is_symlink() or not link.exists():
        fresh = link.with_name(f"{DRAFT}{uuid.uuid4().hex}")
        fresh.symlink_to(folder.name)
        fresh.replace(link)


def is_evolution(folder: Path) -> bool:
    """Whether memories grew here: it has answers of models, and no trials."""
    return (folder / EVOLUTION).is_file()


def find_run(named: Path) -> Path:
    """The folder of a run that a user named, itself or below `logs`; else, or for a link, SpecFault."""
    folder = find_ledger(named)
    if is_evolution(folder):
        raise SpecFault(
            f"a run is needed; {folder} is an evolution: its report is {folder / 'report.html'}, its rows are"
            f" {folder / 'outcomes.csv'}, and `memtrial view` shows it"
        )
    return folder


def find_ledger(named: Path) -> Path:
    """The folder of a run, or of an evolution, as `find_run` finds it."""
    for folder in (named, LOGS / named):
        ledger = folder / LEDGER
        if ledger.is_file() and ledger.stat().st_size:
            with refused(ForeignFault):
                for file in database_files(ledger):
                    refuse_foreign(file)
            return folder
    raise SpecFault(f"a run folder is needed; neither {named} nor {LOGS / named} holds a ledger.sqlite")


@contextmanager
def open_for_reading(named: Path, glance: bool = False) -> Iterator[tuple[Path, LedgerStore]]:
    """The folder and the ledger of a run, as they stand now; SpecFault where it cannot be read.

    Args:
        glance: no result is computed: rows known to be as they were written are not compared.
    """
    # who asks for help alone needs no ledger
    from memtrial.ledger.open_ledger import open_ledger_at_glance, open_ledger_to_read
    from memtrial.ledger.row_text import LedgerFault
    from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault

    folder = find_run(named)
    path = folder / LEDGER
    with refused(LedgerFault):
        ledger = open_ledger_at_glance(path, going_on(folder)) if glance else open_ledger_to_read(path)
    try:
        yield folder, ledger
    except LedgerFault as fault:
        raise SpecFault(f"{folder}: {fault}") from fault
    except DatabaseFault as fault:
        raise SpecFault(f"an intact ledger is needed; {folder / LEDGER} is damaged: {fault}") from fault
    finally:
        ledger.close()


def going_on(folder: Path) -> bool:
    """Whether a process is carrying out this run now."""
    return is_locked(folder / LOCK)


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of this file now."""
    try:
        with open(path, "rb", opener=private) as lock:
            # shared, so that two who look do not see each other; let go at once
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as fault:
        return isinstance(fault, BlockingIOError)
    return False


def alarm_of(damage: Damage) -> str:
    """What to say of a ledger that is read, in one line; empty where all of it can be trusted."""
    from memtrial.views.evidence.untrusted import find_untrusted, untrusted_alarm

    return untrusted_alarm(find_untrusted(damage))


def raise_alarm(damage: Damage) -> None:
    """End with exit code 1 (RunFault) where rows were changed, after all that can be trusted was shown."""
    if alarm := alarm_of(damage):
        raise RunFault(alarm)


def refuse_damaged_stream(damage: Damage, spec: Spec, folder: Path) -> None:
    """In mode `stream` nothing is played after a block that cannot be trusted: SpecFault."""
    if spec.mode == "stream" and damage.blocks:
        raise SpecFault(
            f"{folder}: {alarm_of(damage)} Not in mode: stream, where later tasks were shown what came"
            " before: begin anew with --clean, or --out with a new folder"
        )


def refuse_damaged_recording(folder: Path) -> None:
    """The run whose answers are replayed holds all of them as they came; else SpecFault."""
    from memtrial.ledger.open_ledger import open_ledger_to_read
    from memtrial.ledger.row_text import LedgerFault

    with refused(LedgerFault, prefix="a replay needs a run that can be read; "):
        ledger = open_ledger_to_read(folder / LEDGER)
    ledger.close()
    if lost := sum(ledger.damage.rows.get(table, 0) for table in ("calls", "free_calls")):
        raise SpecFault(
            f"a replay needs all answers as they came; {lost:,} of those in {folder} were changed after they"
            " were written: name another run"
        )
