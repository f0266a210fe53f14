"""Message batches: made, worked through in the background, read, cancelled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from loadbearing.models.scripted.protocol import Body, Refused

Result = dict[str, Any]
Work = Callable[[str, Body], Awaitable[Result]]
"""`custom_id` and body of an item → its result."""


@dataclass
class Batch:
    """One batch.

    Args:
        items: `custom_id` → the body of a question.
        results: of the items that are done.
        made: when it was made.
    """

    id: str
    items: dict[str, Body]
    made: datetime
    results: dict[str, Result] = field(default_factory=dict)
    cancelled: datetime | None = None
    ended: datetime | None = None
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self, one: Work, latency_s: float) -> None:
        """Answer all items, one after the other; those left when it is cancelled get no answer."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), latency_s)
        for name, body in self.items.items():
            result = {"type": "canceled"} if self.cancelled else await one(name, body)
            self.results[name] = result
            await asyncio.sleep(0)
        self.ended = datetime.now(UTC)

    def cancel(self) -> None:
        """Answer no more items."""
        self.cancelled = self.cancelled or datetime.now(UTC)
        self._stopped.set()

    def write(self, address: str) -> dict[str, Any]:
        """The body of an answer about it.

        Args:
            address: where the server is, as the client sees it.
        """
        kinds = [result["type"] for result in self.results.values()] if self.ended else []
        count = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
        state = "ended" if self.ended else "canceling" if self.cancelled else "in_progress"
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": state,
            "request_counts": {"processing": 0 if self.ended else len(self.items), **count},
            "created_at": _time(self.made),
            "expires_at": _time(self.made + timedelta(days=1)),
            "ended_at": _time(self.ended),
            "cancel_initiated_at": _time(self.cancelled),
            "archived_at": None,
            "results_url": f"{address}/v1/messages/batches/{self.id}/results" if self.ended else None,
        }

    def lines(self) -> str:
        """The results as JSON lines, last item first: a client must go by `custom_id`.

        Raises:
            Refused: it has not ended.
        """
        if not self.ended:
            raise Refused(400, f"batch {self.id} has not ended; its results are not there yet")
        rows = [{"custom_id": name, "result": self.results[name]} for name in reversed(self.items)]
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@dataclass
class Batches:
    """All batches there were, in the order they were made."""

    _made: dict[str, Batch] = field(default_factory=dict)
    _working: set[asyncio.Task[None]] = field(default_factory=set)

    def make(self, items: dict[str, Body], work: Work, latency_s: float) -> Batch:
        """Make one; it is worked through from now on."""
        batch = Batch(f"msgbatch_scripted_{len(self._made) + 1:06d}", items, datetime.now(UTC))
        self._made[batch.id] = batch
        task = asyncio.create_task(batch.work(work, latency_s))
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        return batch

    def find(self, name: str) -> Batch:
        """The one of this id.

        Raises:
            Refused: there is none.
        """
        if name not in self._made:
            raise Refused(404, f"no batch {name!r}")
        return self._made[name]

    def cancel(self, name: str) -> Batch:
        """End it with what is answered so far.

        Raises:
            Refused: there is none, or it has ended.
        """
        batch = self.find(name)
        if batch.ended:
            raise Refused(400, f"batch {name} has ended; it cannot be cancelled")
        batch.cancel()
        return batch

    def page(self, address: str, after: str, most: int) -> dict[str, Any]:
        """The list of batches, newest first."""
        names = list(reversed(self._made))
        start = names.index(after) + 1 if after in names else 0
        shown = names[start : start + most]
        return {
            "data": [self._made[name].write(address) for name in shown],
            "has_more": start + most < len(names),
            "first_id": shown[0] if shown else None,
            "last_id": shown[-1] if shown else None,
        }

    async def stop(self) -> None:
        """Leave what is not done."""
        for task in tuple(self._working):
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)


def items_of(body: Body) -> dict[str, Body]:
    """The questions of a request for a batch.

    Raises:
        Refused: a field is missing or wrong, or two items have one name.
    """
    given = body.get("requests")
    if not isinstance(given, list) or not given:
        raise Refused(400, "requests: at least one request is required")
    items: dict[str, Body] = {}
    for place, one in enumerate(given):
        name = one.get("custom_id") if isinstance(one, dict) else None
        if not isinstance(name, str) or not 1 <= len(name) <= 64 or not isinstance(one.get("params"), dict):
            raise Refused(400, f"requests.{place}: custom_id (1 to 64 characters) and params are required")
        if name in items:
            raise Refused(400, f"requests.{place}.custom_id: {name!r} stands twice")
        items[name] = one["params"]
    return items


def _time(when: datetime | None) -> str | None:
    return when.isoformat().replace("+00:00", "Z") if when else None
