"""Message batches: made, answered in the background, looked at, fetched."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Annotated, cast

from aiohttp import web
from pydantic import BaseModel, Field

from loadbearing.models.scripted.handlers import ANTHROPIC, VERSION, Handlers, Visit
from loadbearing.models.scripted.protocol import Json, Refused
from loadbearing.models.scripted.shapes import parsed


class _Item(BaseModel):
    custom_id: Annotated[str, Field(min_length=1, max_length=64)]
    # not parsed here: a wrong question is the error of its item, not of the batch
    params: dict[str, object]


class _Items(BaseModel):
    requests: Annotated[list[_Item], Field(min_length=1)]


@dataclass
class Batch:
    """One batch: `custom_id` → the body of a question, and the results once all are there."""

    id: str
    items: dict[str, Json]
    results: dict[str, Json] | None = None

    def write(self, address: str) -> Json:
        """The body of an answer about it; `address` is the server's, as the client sees it."""
        ended = self.results is not None
        kinds = [result["type"] for result in (self.results or {}).values()]
        count = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": 0 if ended else len(self.items), **count},
            "created_at": "2026-11-22T00:00:00Z",
            "expires_at": "2026-11-23T00:00:00Z",
            "results_url": f"{address}/v1/messages/batches/{self.id}/results" if ended else None,
        }


@dataclass
class BatchHandlers:
    """Answers requests about batches, and the questions in them."""

    handlers: Handlers
    _made: dict[str, Batch] = field(default_factory=dict)
    _working: set[asyncio.Task[None]] = field(default_factory=set)

    async def make(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/batches`."""

        async def work(visit: Visit, body: Json) -> Json:
            asked = parsed(_Items, body).requests
            items = {one.custom_id: cast("Json", one.params) for one in asked}
            if len(items) < len(asked):
                raise Refused(400, "requests: a custom_id is used twice")
            await self.handlers.admit(visit, json.dumps(body, ensure_ascii=False))
            batch = Batch(f"msgbatch_scripted_{len(self._made) + 1:06d}", items)
            self._made[batch.id] = batch
            version = request.headers.get(VERSION, "")
            self._working.add(asyncio.create_task(self._answer(batch, visit, version)))
            return batch.write(f"http://{request.host}")

        return await self.handlers.serve(request, "batches", ANTHROPIC, work)

    async def look(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches/{name}`, and `…/results` below it: JSON lines, the last item first."""
        name = request.match_info["name"]

        async def work(visit: Visit, _: Json) -> Json | str:
            await self.handlers.admit(visit, name)
            if name not in self._made:
                raise Refused(404, f"no batch {name!r}")
            batch = self._made[name]
            if not request.path.endswith("/results"):
                return batch.write(f"http://{request.host}")
            if batch.results is None:
                raise Refused(400, f"batch {name} has not ended; it has no results yet")
            # a client must go by `custom_id`
            rows = [{"custom_id": item, "result": batch.results[item]} for item in reversed(batch.items)]
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

        return await self.handlers.serve(request, "batches", ANTHROPIC, work)

    async def stop(self) -> None:
        """Leave the rest unanswered."""
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    async def _answer(self, batch: Batch, made: Visit, version: str) -> None:
        """All items, one after the other; a batch takes as long as one answer."""
        await asyncio.sleep(self.handlers.latency_s)
        results: dict[str, Json] = {}
        for name, body in batch.items.items():
            visit = Visit(made.number, made.path, "batches", item=name)
            try:
                asked = self.handlers.read(visit, ANTHROPIC, body, version)
                message = await self.handlers.reply(visit, ANTHROPIC, body, asked)
                visit.status, visit.answered = 200, True
                results[name] = {"type": "succeeded", "message": message}
            except Refused as refused:
                visit.status = refused.status
                results[name] = {"type": "errored", "error": ANTHROPIC.error(refused)}
            self.handlers.note(visit)
        batch.results = results
