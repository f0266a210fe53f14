"""Decisions and labels that come as a file of JSON lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import ReviewDecision
from memtrial.prompts.plain_text import lines_of

LARGEST = 512 * 2**20
FORM = (
    'a line is {"draft": ID, "how": "accept" | "edit" | "reject", "markdown": TEXT of an edit,'
    ' "reason": TEXT of a rejection}'
)
Row = TypeVar("Row", bound=BaseModel)


def read_decisions(path: Path) -> tuple[ReviewDecision, ...]:
    """Decisions made elsewhere, in the file's order; SpecFault where it cannot be read, or a line is none."""
    decisions = tuple(read_rows(path, ReviewDecision, FORM))
    if not decisions:
        raise SpecFault(f"{path} holds no decision; {FORM}")
    return decisions


def read_rows(path: Path, kind: type[Row], form: str) -> Iterator[Row]:
    """The JSON lines of a file; SpecFault where one is not of the form, or it cannot be read."""
    for where, line in lines_of(path, "a plain file of JSON lines is needed", SpecFault, LARGEST):
        try:
            yield kind.model_validate_json(line)
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            what = ".".join(map(str, first["loc"])) or "JSON"
            raise SpecFault(f"{where}: {what}: {first['msg']}; {form}") from None
