"""A path as somebody gave it: one that the system can be asked about, or a fault in one line."""

import errno
import os
from pathlib import Path

SHOWN = 80


def path_of(given: object, needed: str, fault: type[ValueError]) -> Path:
    """The path. Whether something is there is asked by those who read it.

    Args:
        needed: what is expected, as the beginning of a line: "a run folder".

    Raises `fault`: it is no path, or one that the system cannot take, as one that is too long.
    """
    if not isinstance(given, str | os.PathLike) or isinstance(os.fspath(given), bytes):
        raise fault(f"{needed} is needed as a path, a text; got {type(given).__name__}")
    path = Path(given)
    try:
        path.stat()
    except (OSError, ValueError) as told:
        plain = isinstance(told, OSError) and told.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES)
        if not (plain and str(path).isprintable()):
            why = told.strerror if isinstance(told, OSError) else str(told)
            raise fault(f"{needed} is needed; {show_text(str(path))} cannot be one: {why}") from told
    return path


def show_text(text: str) -> str:
    """A text for a message: in one line, without halves of surrogate pairs, and cut where it is long."""
    line = ascii(text)[1:-1] if not text.isprintable() else text
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}… ({len(text):,} characters)"
