"""What the server counts and logs: every request once, never a header."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TextIO

from loadbearing.models.scripted.protocol import Json


@dataclass
class Visit:
    """One request, or one item of a batch, while it is being answered.

    Args:
        number: of the request, from 1; items of a batch carry that of the request that made it.
        digest: sha256 of model, messages, temperature and limit in hex; empty where it asks nothing.
        fault: the kind that struck; empty for none.
        status: the HTTP status; None where none was sent.
        in_flight: the requests that were open when it came, itself included.
        answered: a whole answer to a question was sent, whatever its text: what a provider bills.
        gone: the client went away before it had an answer.
        item: the `custom_id` of an item of a batch.
    """

    number: int
    path: str
    model: str = ""
    digest: str = ""
    fault: str = ""
    status: int | None = None
    in_flight: int = 0
    answered: bool = False
    gone: bool = False
    item: str = ""

    def row(self) -> Json:
        """Its line in the log."""
        row = asdict(self)
        del row["gone"]
        if not self.item:
            del row["item"]
        return {"n": row.pop("number"), **row, "fault": self.fault or None}


@dataclass
class Counts:
    """The sums over all requests so far.

    Args:
        log: where a JSON line for each request goes; None for nowhere.
    """

    log: TextIO | None = None
    requests: int = 0
    in_flight: int = 0
    max_in_flight: int = 0
    answered: int = 0
    gone: int = 0
    batch_items: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)

    def begin(self, path: str, route: str) -> Visit:
        """A request came.

        Args:
            route: its path without ids, so that the sums stay few.
        """
        self.requests += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.paths[route] += 1
        return Visit(self.requests, path, in_flight=self.in_flight)

    def end(self, visit: Visit) -> None:
        """A request is done."""
        self.in_flight -= 1
        self.statuses[str(visit.status) if visit.status is not None else "none"] += 1
        self._write(visit)

    def item(self, visit: Visit) -> None:
        """An item of a batch is done."""
        self.batch_items += 1
        self._write(visit)

    def summary(self) -> Json:
        """What `GET /_scripted/counts` answers."""
        sums = {name: value for name, value in vars(self).items() if name != "log"}
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in sums.items()}

    def _write(self, visit: Visit) -> None:
        self.answered += visit.answered
        self.gone += visit.gone
        if self.log is not None:
            self.log.write(json.dumps(visit.row(), ensure_ascii=False) + "\n")
