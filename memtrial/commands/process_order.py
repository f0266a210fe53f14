"""What is to be run, within which bounds, and how it ended: plain values."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

GIB = 1024**3
TIME_LIMIT = "time limit"
"""Why a process was stopped that took too long."""


class CommandFault(RuntimeError):
    """A command could not be run, or left nothing that can be read. One line, never a failure of its work."""


class ProcessStopped(RuntimeError):
    """Somebody asked for an end of the work while a command was running."""


def most_memory() -> int:
    """Three quarters of the machine's memory in bytes, 16 GiB at most."""
    if "SC_PHYS_PAGES" not in os.sysconf_names:
        return 16 * GIB
    return min(16 * GIB, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4)


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a command may use; what goes beyond is ended with all that it started.

    Args:
        seconds: from its start to its end.
        grace_s: seconds from the polite signal to the one that cannot be ignored.
        processes: at a time, all that it started among them.
        output_bytes: of what it prints, errors included.
        file_bytes: of a single file.
        folder_bytes: on the disk, below its folder.
        memory_bytes: of all its processes together; what several share counts in parts.
    """

    seconds: float
    grace_s: float = 2.0
    processes: int = 1024
    output_bytes: int = GIB // 4
    file_bytes: int = GIB
    folder_bytes: int = 8 * GIB
    memory_bytes: int = field(default_factory=most_memory)


@dataclass(frozen=True, slots=True)
class ProcessOrder:
    """A command that is to be run.

    Args:
        words: the program and its arguments; no shell reads them. See `shell_words`.
        folder: where it works; it is also what `folder_bytes` bounds, unless `measured` names another.
        variables: its whole environment.
    """

    words: tuple[str, ...]
    folder: Path
    variables: Mapping[str, str]
    limits: ProcessLimits
    measured: Path | None = None


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a command ended; none of its processes is left.

    Args:
        code: its exit code, negative for a signal; None where it was stopped.
        stopped: why it was stopped, in a few words; empty where it ended by itself.
        tail: the end of what it printed, errors included; `printed` counts all of its bytes.
        left: processes that could not be ended, such as another user's.
    """

    code: int | None
    stopped: str
    tail: str
    printed: int
    seconds: float
    left: int = 0

    @property
    def last_line(self) -> str:
        """The last line that it printed, or that it printed nothing; at most 300 characters."""
        lines = [line.strip() for line in self.tail.splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it printed nothing"

    @property
    def telling_line(self) -> str:
        """The last line that names an error, as of a trace that ends with something else; else the last."""
        errors = [line.strip() for line in self.tail.splitlines() if "Error: " in line]
        return errors[-1][:300] if errors else self.last_line


def shell_words(command: str) -> tuple[str, ...]:
    """The words that have the system's shell carry out a command that somebody wrote as one text."""
    return ("/bin/sh", "-c", command)
