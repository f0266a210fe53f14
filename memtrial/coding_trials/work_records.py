"""What is kept of each trial in the run's folder: its requests, what it changed, and a line of figures."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from memtrial.private_file import make_private, read_private, write_private

WORK, REQUESTS, PATCH, FIGURES = "work", "requests", "patch.diff", "work.json"


class MemoryReading(BaseModel):
    """What an agent made of memory that it has to ask for.

    Args:
        verdict: of `name_tools`.
        calls, writes: of tools that read, and of those that write, which are answered and not called.
        unknown_share: of what was read, the share that is no item and passed as it was.
        stranger: the longest such text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: str
    calls: int
    writes: int
    unknown_share: float
    stranger: str


class WorkRecord(BaseModel):
    """One trial of a coding agent in figures; it names no arm and no condition.

    Args:
        memory: sha256 of the memory that was shown; empty where there was none.
        seconds: from the start of the agent to the end of the check.
        calls: requests to a model that cost money, as the proxy counted them.
        usd: None where some price, or what some request used, is not known.
        carried: requests in which the memory stood: all of it, or a text that a tool gave.
        edited_tests: files that decide the score and had been changed; they were put back before.
        reading: of memory behind tools; None where it comes in another way.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    memory: str
    solved: bool
    cause: str
    code: int | None
    seconds: float
    requests: int
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    carried: int
    edited_tests: tuple[str, ...] = ()
    reading: MemoryReading | None = None


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """The folder of one trial."""

    path: Path

    @property
    def requests(self) -> Path:
        """Where the proxy keeps what passed."""
        return self.path / REQUESTS

    def write(self, record: WorkRecord, patch: str, tail: str) -> None:
        """Keep the figures, what was changed, and the end of what was printed."""
        write_private(self.path / PATCH, patch.encode("utf-8", "surrogateescape"))
        write_private(self.path / "printed.txt", tail.encode("utf-8", "surrogateescape"))
        write_private(self.path / FIGURES, record.model_dump_json() + "\n")


def make_work_folder(run: Path, name: str) -> WorkFolder:
    """A new folder for a trial of this task. OSError where it cannot be made."""
    make_private(run / WORK)
    for number in count(1):
        path = run / WORK / f"{name}-{number}"
        try:
            path.mkdir(0o700)
        except FileExistsError:
            continue
        return WorkFolder(path)
    raise AssertionError


def read_work_records(run: Path) -> tuple[WorkRecord, ...]:
    """The figures of all trials so far; what cannot be read, or was not finished, is left out."""
    return tuple(record for record, _ in find_works(run))


def find_works(run: Path) -> Iterator[tuple[WorkRecord, WorkFolder]]:
    """The same, each with its folder."""
    for path in sorted((run / WORK).glob(f"*/{FIGURES}")):
        try:
            yield WorkRecord.model_validate_json(read_private(path)), WorkFolder(path.parent)
        except (OSError, ValidationError):
            continue
