"""The handlers of message batches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from loadbearing.models.scripted.batches import Batch, items_of
from loadbearing.models.scripted.faults import STATUSES
from loadbearing.models.scripted.handlers import ANTHROPIC, VERSION, Handlers, ScriptedCall
from loadbearing.models.scripted.protocol import Json, Refused, prompt
from loadbearing.models.scripted.request_log import Visit

if TYPE_CHECKING:
    from aiohttp import web

PAGE = 20
"""Batches in a list, unless the client says otherwise."""


@dataclass
class BatchHandlers:
    """Answers requests about batches, and the questions in them."""

    handlers: Handlers
    _made: dict[str, Batch] = field(default_factory=dict)
    _working: set[asyncio.Task[None]] = field(default_factory=set)

    async def make(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/batches`."""
        version = request.headers.get(VERSION, "")

        async def answer(call: ScriptedCall) -> Json:
            items = items_of(call.body)

            async def one(name: str, item: Json) -> Json:
                return await self._item(item, version, Visit(call.visit.number, call.visit.path, item=name))

            await call.admit(json.dumps(call.body, ensure_ascii=False))
            batch = Batch(f"msgbatch_scripted_{len(self._made) + 1:06d}", items, datetime.now(UTC))
            self._made[batch.id] = batch
            task = asyncio.create_task(batch.work(one, self.handlers.latency_s))
            self._working.add(task)
            task.add_done_callback(self._working.discard)
            return batch.write(_address(request))

        return await self.handlers.serve(request, "batches", ANTHROPIC, answer)

    async def read(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches/{name}`."""
        return await self._about(request, lambda batch: batch.write(_address(request)))

    async def results(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches/{name}/results`."""
        return await self._about(request, lambda batch: batch.lines())

    async def cancel(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/batches/{name}/cancel`."""
        return await self._about(request, lambda batch: batch.cancel().write(_address(request)))

    async def list(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches`, newest first."""
        most, after = request.query.get("limit", ""), request.query.get("after_id", "")

        async def answer(call: ScriptedCall) -> Json:
            await call.admit("")
            names = list(reversed(self._made))
            start = names.index(after) + 1 if after in names else 0
            end = start + (int(most) if most.isdigit() else PAGE)
            shown = names[start:end]
            return {
                "data": [self._made[name].write(_address(request)) for name in shown],
                "has_more": end < len(names),
                "first_id": shown[0] if shown else None,
                "last_id": shown[-1] if shown else None,
            }

        return await self.handlers.serve(request, "batches", ANTHROPIC, answer)

    async def stop(self) -> None:
        """Leave the rest unanswered."""
        for task in tuple(self._working):
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    async def _about(self, request: web.Request, say: Callable[[Batch], Json | str]) -> web.StreamResponse:
        name = request.match_info["name"]

        async def answer(call: ScriptedCall) -> Json | str:
            await call.admit(name)
            if name not in self._made:
                raise Refused(404, f"no batch {name!r}")
            return say(self._made[name])

        return await self.handlers.serve(request, "batches", ANTHROPIC, answer)

    async def _item(self, body: Json, version: str, visit: Visit) -> Json:
        """The result of one item of a batch."""
        answering = self.handlers.answering
        try:
            asked = ANTHROPIC.read(body, version)
            answering.check_model(asked.model)
            visit.model, visit.digest = asked.model, asked.digest.hex()
            fault = self.handlers.strike("batch items", prompt(asked), visit)
            if fault is not None and fault.kind == "time-out":
                return {"type": "expired"}
            if fault is not None and fault.kind in STATUSES:
                raise fault.refusal("batch items")
            message = await answering.answer(ANTHROPIC, body, asked, fault, visit.number)
            visit.status, visit.answered = 200, True
            return {"type": "succeeded", "message": message}
        except Refused as refused:
            visit.status = refused.status
            return {"type": "errored", "error": ANTHROPIC.error(refused, visit.number)}
        finally:
            self.handlers.counts.item(visit)


def _address(request: web.Request) -> str:
    return f"http://{request.host}"
