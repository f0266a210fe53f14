"""How a run came about. It depends on when a run was broken off, as results must not."""

from __future__ import annotations

from loadbearing.reports.model.record import Record


class SessionLine(Record):
    """One `run` command on a folder; times are ISO 8601, UTC."""

    number: int
    begun: str
    ended: str
    """Empty where it has no end."""
    how: str


class Requests(Record):
    """What went over the network."""

    sent: int
    answered: int
    faults: dict[str, int]
    """By kind."""
    open: int
    """In flight when a process ended."""


class History(Record):
    """Sessions and requests of a run, and the same in sentences."""

    sessions: tuple[SessionLine, ...] = ()
    requests: Requests | None = None
    sentences: tuple[str, ...] = ()
