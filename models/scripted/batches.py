"""A message batch: its items, answered in the background, and its results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, cast

from pydantic import Field

from loadbearing.models.scripted.protocol import Json, Refused, RequestFields, parsed

Work = Callable[[str, Json], Awaitable[Json]]
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
    items: dict[str, Json]
    made: datetime
    results: dict[str, Json] = field(default_factory=dict)
    cancelled: datetime | None = None
    ended: datetime | None = None
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self, one: Work, latency_s: float) -> None:
        """Answer all items, one after the other; those left when it is cancelled get no answer."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), latency_s)
        for name, body in self.items.items():
            self.results[name] = {"type": "canceled"} if self.cancelled else await one(name, body)
            await asyncio.sleep(0)
        self.ended = datetime.now(UTC)

    def cancel(self) -> Batch:
        """Answer no more items.

        Raises:
            Refused: it has ended.
        """
        if self.ended:
            raise Refused(400, f"batch {self.id} has ended; it cannot be cancelled")
        self.cancelled = self.cancelled or datetime.now(UTC)
        self._stopped.set()
        return self

    def write(self, address: str) -> Json:
        """The body of an answer about it.

        Args:
            address: of the server, as the client sees it.
        """
        kinds = [result["type"] for result in self.results.values()] if self.ended else []
        count = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": "ended" if self.ended else "canceling" if self.cancelled else "in_progress",
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
            raise Refused(400, f"batch {self.id} has not ended; it has no results yet")
        rows = [{"custom_id": name, "result": self.results[name]} for name in reversed(self.items)]
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


class _Item(RequestFields):
    custom_id: Annotated[str, Field(min_length=1, max_length=64)]
    # not parsed here: a wrong question is the error of its item, not of the batch
    params: dict[str, object]


class _Items(RequestFields):
    requests: Annotated[list[_Item], Field(min_length=1)]


def items_of(body: Json) -> dict[str, Json]:
    """The questions of a request for a batch.

    Raises:
        Refused: a field is missing or invalid, or two items have one name.
    """
    items: dict[str, Json] = {}
    for place, one in enumerate(parsed(_Items, body).requests):
        if one.custom_id in items:
            raise Refused(400, f"requests.{place}.custom_id: {one.custom_id!r} is used twice")
        items[one.custom_id] = cast("Json", one.params)
    return items


def _time(when: datetime | None) -> str | None:
    return when.isoformat().replace("+00:00", "Z") if when else None
