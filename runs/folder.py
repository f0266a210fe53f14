"""The run folder: found by the spec's name and seed, refused where it holds another experiment."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from runs.fault import SpecFault
from runs.spec import Spec

LOGS = Path("logs")
LOCK = ".lock"
OUTSIDE_IDENTITY = frozenset({"budget", "engine", "display"})


def folder_of(spec: Spec, out: Path | None) -> Path:
    """Where the run lives. Another seed is a replicate and gets a folder of its own."""
    return out if out is not None else LOGS / f"{spec.name}_s{spec.seed}"


def identity_of(spec: Spec) -> dict[str, Any]:
    """All of the spec that determines the trials, flat."""
    return flat_of(json.loads(spec.model_dump_json(exclude=set(OUTSIDE_IDENTITY))))


def flat_of(raw: Any) -> dict[str, Any]:
    """A nested mapping by full names, `first.second`."""
    flat: dict[str, Any] = {}

    def walk(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(f"{prefix}.{key}" if prefix else key, inner)
        else:
            flat[prefix] = value

    walk("", raw)
    return flat


def refuse_changed(folder: Path, before: dict[str, Any] | None, now: dict[str, Any]) -> None:
    """A folder goes on only with the experiment it was begun with.

    Raises:
        SpecFault: it holds another one; the message names the changed keys.
    """
    if before is None:
        return
    if not isinstance(before, dict):
        raise SpecFault(f"a ledger that states its experiment is needed; that of {folder} holds none")
    changed = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    if changed:
        what = ", ".join(f"{key} ({before.get(key)!r} -> {now.get(key)!r})" for key in changed[:5])
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        raise SpecFault(
            f"{folder} holds another experiment; changed: {what}{more}. "
            "Give the spec another name, use --out with a new folder, or --clean to begin anew"
        )


def clean(folder: Path) -> None:
    """Remove a run folder, and nothing that is not one.

    Raises:
        SpecFault: the folder holds no ledger.
    """
    if not folder.exists():
        return
    if not (folder / "ledger.sqlite").is_file():
        raise SpecFault(f"--clean removes run folders; {folder} holds no ledger.sqlite and stays as it is")
    if not (folder / "spec.resolved.yaml").is_file() and not (folder / LOCK).is_file():
        raise SpecFault(f"--clean removes run folders; {folder} looks like none and stays as it is")
    with alone_in(folder):
        shutil.rmtree(folder)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One run at a time in a folder; the system lets go when the process ends, however it ends.

    Raises:
        SpecFault: another run is going on there, or the folder cannot be written.
    """
    try:
        held = (folder / LOCK).open("w")
    except OSError as fault:
        raise SpecFault(f"a run needs a folder that can be written; {folder}: {fault}") from fault
    with held as lock:
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
        fresh = link.with_name(f".latest.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(folder.name)
        fresh.replace(link)


def find_run(named: Path) -> Path:
    """The folder of a run that a user named: the folder itself, or a name below `logs`.

    Raises:
        SpecFault: there is no such run.
    """
    for folder in (named, LOGS / named):
        ledger = folder / "ledger.sqlite"
        if ledger.is_file() and ledger.stat().st_size:
            return folder
    raise SpecFault(f"a run folder is needed; neither {named} nor {LOGS / named} holds a ledger.sqlite")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there in full or not at all."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def refuse_unwritable(path: Path, kept: Path) -> None:
    """A file can be written here, and it is not the one that is read.

    Raises:
        SpecFault: it cannot, or it is.
    """
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SpecFault(f"--out needs a file in a folder that is there and can be written; got {path}")
    if path.exists() and path.samefile(kept):
        raise SpecFault(f"--out would overwrite what is read: {path}; name another file")
    try:
        write_whole(path.with_name(f".{path.name}.tried"), "")
    except OSError as fault:
        raise SpecFault(f"--out needs a file that can be written; {path}: {fault.strerror}") from fault
    path.with_name(f".{path.name}.tried").unlink()
