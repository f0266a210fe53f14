"""What a table of failures says of one case."""

from dataclasses import dataclass

KEYS = ("backbone", "domain", "arm", "condition")
Place = tuple[str, str, str, str]
"""Values of `KEYS`, empty where the table has no such column."""


@dataclass(frozen=True, slots=True)
class Label:
    """How one rater coded one case."""

    case: str
    task: str
    place: Place
    mode: str
    rater: str
