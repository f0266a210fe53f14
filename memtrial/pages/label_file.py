"""A file of JSON lines in which people label, and the draft that stands for a line of it on the page."""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import JsonValue

from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import DraftForReview
from memtrial.pages.desk import DeskFault
from memtrial.private_file import write_whole


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
