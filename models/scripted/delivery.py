"""How an answer is sent, whole or damaged."""

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
    """An undamaged answer.

    Args:
        kind: its content type.
    """
    from aiohttp import web

    return web.Response(body=body, status=status, headers=headers, content_type=kind)


def reset(request: web.Request) -> web.Response:
    """Tear the connection down without an answer."""
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
    request: web.Request, answer: web.Response, fault: Fault | None, closing: asyncio.Event
) -> web.StreamResponse:
    """An answer, damaged as the fault has it.

    Args:
        closing: when it is set, a drip ends.
    """
    body, broken = answer.body, fault.kind if fault is not None else ""
    assert isinstance(body, bytes)
    if broken == "malformed JSON":
        answer.body = body[: len(body) // 2]
    if fault is None or broken not in ("cut-off body", "slow drip"):
        return answer
    response = await _announce(request, answer, len(body))
    if broken == "cut-off body":
        await response.write(body[: len(body) // 2])
        if request.transport is not None:
            request.transport.close()
        return response
    return await _drip(request, response, body, fault.lasts_s, closing)


async def _announce(request: web.Request, answer: web.Response, length: int) -> web.StreamResponse:
    """The head of an answer, with the length of the whole body."""
    from aiohttp import web

    response = web.StreamResponse(headers=answer.headers)
    response.content_length = length
    await response.prepare(request)
    return response


async def _drip(
    request: web.Request, response: web.StreamResponse, body: bytes, lasts_s: float, closing: asyncio.Event
) -> web.StreamResponse:
    """One byte at a time, spread evenly over `lasts_s` seconds."""
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
