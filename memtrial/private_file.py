"""Files that hold prompts and replies: for their owner alone, never reached through a link, never cut short.

What is opened here is a plain file, and what is written into has one name; else nothing is touched.
"""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from memtrial.faults import refused

FOLDER, FILE = 0o700, 0o600
"""Modes, whatever the umask says."""
DRAFT = ".memtrial-"
"""How the name of a file begins that is not whole yet."""
KINDS = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


class ForeignFault(OSError):
    """What stands in the place of a file or folder of ours is none of ours; it was not opened."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(errno.EPERM, f"{what}, which is not opened", str(path))

    def __str__(self) -> str:
        return f"{self.filename} is {self.strerror}; take it away, or name another place"


def refuse_foreign(path: Path, writing: bool = False) -> None:
    """Nothing stands there, or a plain file that is no link; to write it, nor one with a second name."""
    with suppress(FileNotFoundError, NotADirectoryError):
        _refuse(path, path.lstat(), writing)


def refuse_foreign_folder(path: Path) -> None:
    """Nothing stands there, or a folder that is no link."""
    with suppress(FileNotFoundError, NotADirectoryError):
        if not stat.S_ISDIR((state := path.lstat()).st_mode):
            raise ForeignFault(path, KINDS.get(stat.S_IFMT(state.st_mode), "no folder"))


def _refuse(path: Path, state: os.stat_result, writing: bool) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise ForeignFault(path, KINDS.get(stat.S_IFMT(state.st_mode), "no plain file"))
    if writing and state.st_nlink > 1:
        raise ForeignFault(path, "a file with a second name")


def private(path: str | Path, flags: int) -> int:
    """The `opener` of every file of ours: `open(path, "x", opener=private)`; to write anew, `write_private`.

    Raises:
        OSError: it cannot be opened, or (ForeignFault) something else stands there.
        ValueError: the mode is `w`, which cuts a file short before anybody has seen whose it is.
    """
    if flags & os.O_TRUNC:
        raise ValueError("a file of ours is opened with x, a or r")
    place, writing = Path(path), bool(flags & (os.O_WRONLY | os.O_RDWR))
    refuse_foreign(place, writing)
    # looked at once more when it is open: it may have been put there just now, and a pipe would be waited for
    number = os.open(place, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, FILE)
    try:
        _refuse(place, os.fstat(number), writing)
        if writing:
            _set_mode(number, FILE)
    except OSError:
        os.close(number)
        raise
    return number


def _set_mode(path: Path | int, mode: int) -> None:
    """Give a file or folder its mode, where it is ours and its disk knows modes."""
    with suppress(PermissionError):
        os.chmod(path, mode)


def read_private(path: Path) -> bytes:
    """What a file of ours holds; an OSError where it cannot be read, or is none of ours."""
    with open(path, "rb", opener=private) as file:
        return file.read()


def write_private(path: Path, content: str | bytes) -> None:
    """Write a file of ours so that it is there in full or not at all; an OSError where it cannot be."""
    refuse_foreign(path)
    number, name = mkstemp(prefix=DRAFT, dir=path.parent)
    try:
        with open(number, "wb") as file:
            _set_mode(number, FILE)
            file.write(content.encode() if isinstance(content, str) else content)
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def make_private(folder: Path) -> None:
    """Make a folder of ours; one that is there stays. An OSError where it cannot be, or is none of ours."""
    refuse_foreign_folder(folder)
    with suppress(FileExistsError):
        folder.mkdir(FOLDER)
        _set_mode(folder, FOLDER)


def database_files(path: Path) -> tuple[Path, ...]:
    """An SQLite file and those that may stand beside it."""
    return (path, *(path.with_name(f"{path.name}-{ending}") for ending in ("wal", "shm", "journal")))


def claim_database(path: Path) -> None:
    """Before SQLite opens a database to write: all its files are ours, and it is there, empty if new.

    An OSError where one is not: SQLite follows links and gives what it makes the mode of the database.
    """
    for file in database_files(path):
        refuse_foreign(file, writing=True)
        # by its name: closing a descriptor would let go of every lock this process holds on a database
        with suppress(FileNotFoundError):
            _set_mode(file, FILE)
    with suppress(FileExistsError), open(path, "x", opener=private):
        pass


def write_whole(path: Path, text: str) -> None:
    """Write a file in full or not at all, for its owner alone; SpecFault where a link is in its place."""
    with refused(ForeignFault):
        write_private(path, text)
