"""The handlers of message batches."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loadbearing.models.scripted.batches import Batches, Result, items_of
from loadbearing.models.scripted.faults import STATUSES, Fault
from loadbearing.models.scripted.handlers import ANTHROPIC, VERSION, HandlerJob, Handlers
from loadbearing.models.scripted.protocol import Body, Refused
from loadbearing.models.scripted.request_log import Visit

if TYPE_CHECKING:
    from aiohttp import web

PAGE = 20
"""Batches in a list, unless the client says otherwise."""


@dataclass
class BatchDesk:
    """Answers requests about batches, and the questions in them."""

    handlers: Handlers
    batches: Batches = field(default_factory=Batches)

    async def make(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/batches`."""
        version = request.headers.get(VERSION, "")

        def job(body: Body, visit: Visit) -> HandlerJob:
            items = items_of(body)

            async def one(name: str, item: Body) -> Result:
                return await self._item(name, item, version, visit)

            async def produce(fault: Fault | None) -> dict[str, Any]:  # noqa: ARG001
                return self.batches.make(items, one, self.handlers.latency_s).write(_address(request))

            return HandlerJob(json.dumps(body, ensure_ascii=False), produce)

        return await self.handlers.serve(request, "batches", ANTHROPIC, job)

    async def read(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches/{name}`."""
        return await self._about(request, lambda name: self.batches.find(name).write(_address(request)))

    async def results(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches/{name}/results`."""
        return await self._about(request, lambda name: self.batches.find(name).lines())

    async def cancel(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/batches/{name}/cancel`."""
        return await self._about(request, lambda name: self.batches.cancel(name).write(_address(request)))

    async def list(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches`."""
        most, after = request.query.get("limit", ""), request.query.get("after_id", "")
        page = int(most) if most.isdigit() else PAGE
        return await self._about(request, lambda _: self.batches.page(_address(request), after, page))

    async def _about(
        self, request: web.Request, say: Callable[[str], dict[str, Any] | str]
    ) -> web.StreamResponse:
        name = request.match_info.get("name", "")

        def job(body: Body, visit: Visit) -> HandlerJob:  # noqa: ARG001
            async def produce(fault: Fault | None) -> dict[str, Any] | str:  # noqa: ARG001
                return say(name)

            return HandlerJob(name, produce)

        return await self.handlers.serve(request, "batches", ANTHROPIC, job)

    async def _item(self, name: str, body: Body, version: str, made: Visit) -> Result:
        """The result of one item of a batch."""
        visit = Visit(made.number, made.path, item=name)
        try:
            asked = ANTHROPIC.read(body, version)
            self.handlers.answering.check_model(asked.request.model)
            visit.model, visit.digest = asked.request.model, asked.request.digest.hex()
            fault = self.handlers.strike("batch items", asked.text, visit)
            if fault is not None and fault.kind == "time-out":
                return {"type": "expired"}
            if fault is not None and fault.kind in STATUSES:
                raise fault.refusal("batch items")
            message = await self.handlers.answering.answer(ANTHROPIC, body, asked, fault, made.number)
            visit.status, visit.answered = 200, True
            return {"type": "succeeded", "message": message}
        except Refused as refused:
            visit.status = refused.status
            return {"type": "errored", "error": ANTHROPIC.error(refused, made.number)}
        finally:
            self.handlers.counts.item(visit)


def _address(request: web.Request) -> str:
    return f"http://{request.host}"
