"""Decisions and labels in files of JSON lines: read, and written for one person at a time."""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import DraftForReview, ReviewDecision
from memtrial.pages.desk import DeskFault
from memtrial.private_file import write_whole
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


def show_line(number: int, task: str, text: str, gate: str = "") -> DraftForReview:
    """What stands on the page for a line."""
    return DraftForReview(backbone="", condenser=gate, draw=0, task=task, number=number, markdown=text)


@contextmanager
def alone_labelling(file: Path) -> Iterator[None]:
    """One writer at a time: what another wrote meanwhile is read, and stays. DeskFault for what breaks."""
    try:
        held = os.open(file.parent, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
        finally:
            os.close(held)
    except (OSError, SpecFault) as fault:
        raise DeskFault(str(fault)) from fault


def write_lines(file: Path, rows: Iterable[dict[str, JsonValue]]) -> None:
    """The whole file anew; OSError where it cannot be written."""
    write_whole(file, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
