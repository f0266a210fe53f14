"""Printing: without control sequences, and no wider than the terminal. All output goes through here."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TextIO

from memtrial.console.escape import one_line, printable
from memtrial.console.line_width import fold

LONGEST, TAIL = 1_000, 300
"""Characters of an error line; a longer one is cut in the middle, since its end says what to do."""
NARROWEST, UNKNOWN = 8, 80
"""Columns: the fewest that are used, and how many a page has where the width is unknown."""
USUAL_HEIGHT = 24
"""Lines of a terminal, where there is none to ask."""


def put(text: str, stream: TextIO | None = None) -> None:
    """Print on standard output or `stream`; what cannot be shown is replaced, wide lines folded."""
    stream = stream or sys.stdout
    _print(printable(text), width_of(stream), stream)


def put_line(text: str, stream: TextIO | None = None) -> None:
    """Print one line for programs that read line by line; folded only on a terminal."""
    stream = stream or sys.stdout
    _print(printable(one_line(text)), width_of(stream) if stream.isatty() else None, stream)


def put_exact(text: str) -> None:
    """Print a text that another program runs, as a shell does a script: no line of it is folded."""
    _print(printable(text), None, sys.stdout)


def _print(text: str, width: int | None, stream: TextIO) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    lines = "\n".join(fold(text, width))
    print(lines.encode(encoding, "replace").decode(encoding), file=stream, flush=True)


def put_json(body: Any, indent: int | None = 2) -> None:
    """Print JSON in ASCII, dataclasses as objects: every character is exact, none a control sequence."""
    print(json.dumps(body, indent=indent, default=asdict))


def complain(text: str) -> None:
    """One line on standard error, of bounded length."""
    line = one_line(text)
    if len(line) > LONGEST:
        line = f"{line[: LONGEST - TAIL]} [...] {line[-TAIL:]}"
    put_line(f"memtrial: {line}", sys.stderr)


def put_either(body: Any, lines: Iterable[str], as_json: bool) -> None:
    """The same for programs, as JSON, or for people, line by line."""
    if as_json:
        put_json(body)
    else:
        put("\n".join(lines))


def height() -> int:
    """Lines of the terminal; as few as one usually has where there is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines or USUAL_HEIGHT
    except (OSError, ValueError):
        return USUAL_HEIGHT


def width_of(stream: TextIO | None = None) -> int | None:
    """Columns of a line: what `COLUMNS` says, else what the terminal has; None where there is neither."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and len(asked) < 6 and int(asked):
        return max(int(asked), NARROWEST)
    try:
        columns = os.get_terminal_size((stream or sys.stdout).fileno()).columns
    except (OSError, ValueError):
        return None
    return max(columns, NARROWEST) if columns else None
