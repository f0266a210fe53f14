"""What clients put before each line of a file that their model reads."""

import re
from collections.abc import Sequence

NUMBERED = re.compile(r"^ {0,8}\d{1,7}(?:\t|: |→)")


def number_of(line: str) -> str:
    """What stands before a line; empty where that is no number."""
    match = NUMBERED.match(line)
    return match[0] if match else ""


def number_lines(lines: Sequence[str], prefixes: Sequence[str]) -> list[str]:
    """The lines behind these numbers, in order; where there are more, counted on in the same form."""
    numbered, before = [], ""
    for place, line in enumerate(lines):
        before = prefixes[place] if place < len(prefixes) else _count_on(before)
        numbered.append(before + line)
    return numbered


def _count_on(prefix: str) -> str:
    if not prefix:
        return prefix
    digits = prefix.rstrip("\t: →")
    return f"{int(digits) + 1:>{len(digits)}}{prefix[len(digits) :]}"
