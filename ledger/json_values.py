"""JSON whose keys are data: names of arms, of files, of keys of a spec."""

from collections.abc import Mapping

from pydantic import JsonValue

Json = Mapping[str, JsonValue]
"""A JSON object."""


def part(body: Json, name: str) -> dict[str, JsonValue]:
    """The object below a key; empty where there is something else."""
    found = body.get(name)
    return found if isinstance(found, dict) else {}
