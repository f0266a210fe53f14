"""What the server counts and logs: every request once, never a header."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TextIO


@dataclass
class Visit:
    """One request, or one item of a batch, while it is being answered.

    Args:
        number: of the request, from 1; items of a batch carry that of the request that made it.
        digest: sha256 of model, messages, temperature and limit in hex; empty where it asks nothing.
        fault: the kind that struck; empty for none.
        status: the HTTP status; None where none was sent.
        in_flight: the requests that were open when it came, itself among them.
        answered: a whole answer to a question was sent, whatever stood in it: what a provider bills.
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
            route: its path with the ids left out, so that the sums stay few.
        """
        self.requests += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.paths[route] += 1
        return Visit(self.requests, path, in_flight=self.in_flight)

    def end(self, visit: Visit) -> None:
        """It is settled."""
        self.in_flight -= 1
        self.statuses[str(visit.status) if visit.status is not None else "none"] += 1
        self._keep(visit)

    def item(self, visit: Visit) -> None:
        """An item of a batch is settled."""
        self.batch_items += 1
        self._keep(visit)

    def summary(self) -> dict[str, Any]:
        """What `GET /_scripted/counts` says."""
        return {
            "requests": self.requests,
            "answered": self.answered,
            "gone": self.gone,
            "batch_items": self.batch_items,
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "faults": dict(self.faults),
            "statuses": dict(self.statuses),
            "paths": dict(self.paths),
        }

    def _keep(self, visit: Visit) -> None:
        self.answered += visit.answered
        self.gone += visit.gone
        if self.log is not None:
            row: dict[str, Any] = {
                "n": visit.number,
                "path": visit.path,
                "model": visit.model,
                "digest": visit.digest,
                "fault": visit.fault or None,
                "status": visit.status,
                "in_flight": visit.in_flight,
                "answered": visit.answered,
            }
            if visit.item:
                row["item"] = visit.item
            self.log.write(json.dumps(row, ensure_ascii=False) + "\n")
