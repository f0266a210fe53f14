"""What stops a run, and with which exit code."""

from collections.abc import Iterator
from contextlib import contextmanager

RESUME = "progress is saved; run the same command to resume"
"""How an interrupted run continues: the end of a message."""


class SpecFault(ValueError):
    """A wrong call or a wrong spec: one clear line, exit code 2, nothing written."""


class RunFault(RuntimeError):
    """The run cannot continue: one clear line, exit code 1, progress is saved."""


class StoreFault(RuntimeError):
    """The calls cannot be saved, as on a full disk. Nothing more may be sent: its answer would be lost."""


@contextmanager
def refused(*faults: type[Exception], said: str = "") -> Iterator[None]:
    """Within it, these faults are a SpecFault with the same words, after those of `said`."""
    try:
        yield
    except faults as fault:
        raise SpecFault(f"{said}{fault}") from fault
