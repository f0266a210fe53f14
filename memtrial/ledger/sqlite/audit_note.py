"""A note beside a ledger: all its rows agreed with their seals while its files were in this state.

Who only looks at a run need not compare all rows anew where the files are still those of the note. Size, both
times and the number of each file tell: no program can put back when a file was last changed. A copy is
another file, and is known by the digest of all its bytes. Whatever computes a result compares all rows and
asks no note. As the seals, it guards against damage and edits, not against forgery.
"""

import json
import os
import sqlite3
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from time import sleep

from memtrial.ledger.sqlite.audit import Damage, version_of
from memtrial.private_file import database_files, read_private, write_private

SMALL = 2**21
"""Bytes of a ledger that is compared in the blink of an eye: it needs no note, and none is believed of it."""
SETTLED_S = 0.02
"""What is written later than this has another time, however coarse the clock of the files is."""
_PIECE = 2**20
FileState = tuple[int, int, int, int]
"""Size, nanoseconds of the last change of content and of anything, number of the file."""


@dataclass(frozen=True, slots=True)
class AuditNote:
    """All rows agreed with their seals.

    Args:
        files: the database and what waits beside it to be written into it.
        sessions: how many had begun.
        digest: of all their bytes, 32 in hexadecimal; empty where they were going to be written on.
    """

    files: tuple[FileState, ...]
    sessions: int
    digest: str = ""


def name_note(path: Path) -> Path:
    """Where the note on a ledger lies."""
    return path.with_name(f"{path.name}-audit")


def note_begun(path: Path, connection: sqlite3.Connection, damage: Damage) -> None:
    """A session may begin on these rows: note that they agree, or that no note holds any more."""
    if damage:
        with suppress(OSError):
            name_note(path).unlink(missing_ok=True)
    elif sessions := _count_sessions(connection):
        _write_note(path, sessions)


def close_noting(path: Path, connection: sqlite3.Connection, damage: Damage) -> None:
    """Close a ledger that was written, and note that its rows agree: those that were compared, and those of
    this connection. Nothing is noted where another one wrote since."""
    sessions = None
    with suppress(sqlite3.Error):
        if not damage and version_of(connection) == damage.version:
            sessions = _count_sessions(connection)
    connection.close()
    if sessions is not None and path.stat().st_size >= SMALL:
        sleep(SETTLED_S)
        _write_note(path, sessions, whole=True)


def is_trusted(path: Path, connection: sqlite3.Connection, running: bool) -> bool:
    """Whether it is known without a comparison that the rows agree.

    Either the files are those of the note. Or a session is going on, and all rows agreed when it began: what
    was there it compared, what it adds it compares at its end, and so does whatever computes a result.
    """
    note = read_note(path)
    if running:
        begun = _count_sessions(connection)
        ended = "SELECT count(*) FROM main.session_ends WHERE number = ?"
        goes_on = connection.execute(ended, (begun,)).fetchone() == (0,)
        # whoever noted something in the ledger meanwhile compared all rows as well
        return goes_on and begun - (note.sessions if note is not None else 0) in (0, 1)
    with suppress(OSError):
        if note is not None and path.stat().st_size >= SMALL:
            return note.files == _look_at(path) or bool(note.digest) and note.digest == _digest_all(path)
    return False


def read_note(path: Path) -> AuditNote | None:
    """The note on a ledger; None where there is none that can be read."""
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        body = json.loads(read_private(name_note(path)))
        states = [tuple(map(int, state)) for state in body["files"]]
        files = tuple((size, changed, any_change, number) for size, changed, any_change, number in states)
        return AuditNote(files, int(body["sessions"]), str(body.get("digest", "")))
    return None


def _count_sessions(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM main.sessions").fetchone()[0])


def _write_note(path: Path, sessions: int, whole: bool = False) -> None:
    """Note the files as they are now, with `whole` by their bytes as well; silent where the folder cannot be
    written."""
    with suppress(OSError):
        files, before = _look_at(path), read_note(path)
        if before is not None and (before.files, before.sessions) == (files, sessions) and before.digest:
            return
        digest = _digest_all(path) if whole else ""
        # whoever writes while the bytes are read leaves a digest of neither state
        note = AuditNote(files, sessions, digest if _look_at(path) == files else "")
        if before != note:
            write_private(name_note(path), json.dumps(asdict(note)).encode())


def _look_at(path: Path) -> tuple[FileState, ...]:
    states = map(os.lstat, _list_files(path))
    return tuple((state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino) for state in states)


def _digest_all(path: Path) -> str:
    """Of what the files hold, each after its ending and its length."""
    digest = blake2b(digest_size=32)
    for place in _list_files(path):
        with open(place, "rb") as file:
            digest.update(f"{place.name.removeprefix(path.name)} {os.fstat(file.fileno()).st_size}\n".encode())
            while piece := file.read(_PIECE):
                digest.update(piece)
    return digest.hexdigest()


def _list_files(path: Path) -> list[Path]:
    """The database, and what waits beside it to be written into it."""
    main, waiting, _, journal = database_files(path)
    return [main, *(file for file in (waiting, journal) if file.exists() and os.lstat(file).st_size)]
