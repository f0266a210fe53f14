"""How an answer goes over the wire, whole or broken."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING

from loadbearing.models.scripted.faults import Fault

if TYPE_CHECKING:
    from aiohttp import web

JSON, LINES = "application/json", "application/x-jsonl"


def whole(body: bytes, kind: str, status: int, headers: Mapping[str, str]) -> web.Response:
    """An answer as it should be."""
    from aiohttp import web

    return web.Response(body=body, status=status, headers=headers, content_type=kind)


def reset(request: web.Request) -> web.Response:
    """The connection is torn down without a word."""
    from aiohttp import web

    transport = request.transport
    if transport is not None:
        raw = transport.get_extra_info("socket")
        if raw is not None:
            # no lingering: the client sees a reset and not an orderly end
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()  # goes nowhere; the framework wants one


async def send(
    request: web.Request,
    body: bytes,
    kind: str,
    headers: Mapping[str, str],
    fault: Fault | None,
    closing: asyncio.Event,
) -> web.StreamResponse:
    """An answer, as the fault has it.

    Args:
        kind: its content type.
        closing: when it is set, a drip ends.
    """
    broken = fault.kind if fault is not None else ""
    if broken == "malformed JSON":
        return whole(body[: len(body) // 2], kind, 200, headers)
    if fault is None or broken not in ("cut-off body", "slow drip"):
        return whole(body, kind, 200, headers)
    response = await _announce(request, len(body), kind, headers)
    if broken == "cut-off body":
        await response.write(body[: len(body) // 2])
        if request.transport is not None:
            request.transport.close()
        return response
    return await _drip(request, response, body, fault.lasts_s, closing)


async def _announce(
    request: web.Request, length: int, kind: str, headers: Mapping[str, str]
) -> web.StreamResponse:
    """The head of an answer: it tells how long the whole will be."""
    from aiohttp import web

    response = web.StreamResponse(headers=headers)
    response.content_type = kind
    response.content_length = length
    await response.prepare(request)
    return response


async def _drip(
    request: web.Request, response: web.StreamResponse, body: bytes, lasts_s: float, closing: asyncio.Event
) -> web.StreamResponse:
    """A byte every so often, spread evenly over the time."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    for place in range(len(body)):
        wait_s = start + lasts_s * (place + 1) / len(body) - loop.time()
        if wait_s > 0 and not closing.is_set():
            await asyncio.sleep(wait_s)
        if closing.is_set():
            return reset(request)
        await response.write(body[place : place + 1])
    await response.write_eof()
    return response
