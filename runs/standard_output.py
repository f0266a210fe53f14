"""What goes to standard output: harmless for any terminal, and never a reason to fail."""

from __future__ import annotations

import json
import sys
from typing import Any

from reports.printable import printable


def put(text: str) -> None:
    """Print text; what a terminal would obey or cannot show is replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    print(printable(text).encode(encoding, "replace").decode(encoding))


def put_json(body: Any, indent: int | None = 2) -> None:
    """Print JSON in ASCII: every character is there exactly, and a terminal obeys none of them."""
    print(json.dumps(body, indent=indent))


def columns(rows: list[tuple[str, ...]], widest: int = 80) -> list[str]:
    """Rows of text under each other, each column as wide as it needs to be, and no wider than `widest`."""
    if not rows:
        return []
    cut = [
        tuple(one if len(one) <= widest else f"{one[: widest - 3]}..." for one in row[:-1]) + row[-1:]
        for row in rows
    ]
    widths = [max(len(row[at]) for row in cut) for at in range(len(cut[0]))]
    return [
        "  ".join(one.ljust(width) for one, width in zip(row, widths, strict=True)).rstrip() for row in cut
    ]
