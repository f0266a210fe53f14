"""What an agent printed, read as JSON: a line an event."""

import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def list_events(output: str) -> Iterator[Json]:
    """The lines that are a JSON object, in their order; whatever else was printed is left out."""
    for line in output.splitlines():
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            yield event


def take_count(fields: object, name: str) -> int | None:
    """A count of tokens; None where it is left out, or is none."""
    value = fields.get(name) if isinstance(fields, dict) else None
    return value if type(value) is int and value >= 0 else None


def take_dollars(fields: object, name: str) -> float | None:
    """An amount; None where it is left out, or is none."""
    value = fields.get(name) if isinstance(fields, dict) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < 1e9 else None


def add_counts(counts: list[int | None]) -> int | None:
    """The sum of those that are stated; None where none is."""
    stated = [count for count in counts if count is not None]
    return sum(stated) if stated else None
