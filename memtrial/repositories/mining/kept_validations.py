"""Validations that need not be made again: that a task is one, or that its check is flaky.

What the machine may have caused, as a library that is missing, is not kept.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from memtrial.private_file import make_private, read_private, write_private
from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.mining.validation import Validation
from memtrial.repositories.workspace import CheckTerms

VERSION = 2
"""Goes up when a validation means something else."""


class _KeptValidation(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["flaky"] | None
    line: str
    seconds: float


def _place(folder: Path, task: CodingTask, terms: CheckTerms) -> Path:
    """By commit, check and set-up, and by what else a validation depends on."""
    told = (
        VERSION,
        task.digest,
        terms.timeout_s,
        sorted(terms.pass_on),
        terms.hide_tests,
        bool(terms.sandbox.program),
    )
    return folder / f"{sha256(repr(told).encode()).hexdigest()[:32]}.json"


def find_validation(folder: Path, task: CodingTask, terms: CheckTerms) -> Validation | None:
    """What was kept of a task; None where nothing was, or nothing that can be read."""
    try:
        kept = _KeptValidation.model_validate_json(read_private(_place(folder, task, terms)))
    except (OSError, ValidationError):
        return None
    return Validation(kept.kind, kept.line, kept.seconds)


def keep_validation(folder: Path, task: CodingTask, terms: CheckTerms, validation: Validation) -> None:
    """Keep it where it will be the same again. A disk that takes nothing costs a validation more."""
    if validation.kind in (None, "flaky"):
        text = _KeptValidation(
            kind=validation.kind, line=validation.line, seconds=validation.seconds
        ).model_dump_json()
        with suppress(OSError):
            folder.parent.mkdir(parents=True, exist_ok=True)
            make_private(folder)
            write_private(_place(folder, task, terms), text)
