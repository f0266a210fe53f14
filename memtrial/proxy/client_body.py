"""The client's side: its body is read and the reply written within bounds; or it is hung up on."""

import asyncio

from aiohttp import ClientConnectionResetError, HttpVersion11, web

from memtrial.models.client.connection_reset import reset_connection
from memtrial.proxy.refusals import ProxyRefusal


class ClientGone(Exception):
    """The client hung up, or took nothing for too long."""


async def read_body(request: web.BaseRequest, most: int, silence_s: float) -> bytes:
    """All of the body, with its content coding.

    Raises:
        ProxyRefusal: it is larger than `most` bytes; what is left of it is not kept.
        ClientGone: the client sends nothing for `silence_s`.
    """
    too_large = ProxyRefusal(413, f"the body is larger than {most} bytes, which is the most that passes")
    if (request.content_length or 0) > most:
        raise too_large
    if request.headers.get("expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    pieces, size = [], 0
    while not request.content.at_eof():
        try:
            async with asyncio.timeout(silence_s):
                piece = await request.content.readany()
        except TimeoutError:
            raise ClientGone(f"it sent half a request and then nothing for {silence_s:g} s") from None
        except web.RequestPayloadError:
            raise ClientGone("it hung up in the middle of its request") from None
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise too_large
    return b"".join(pieces)


async def write_piece(out: web.StreamResponse, piece: bytes, silence_s: float, is_last: bool = False) -> None:
    """Send the client a piece of the reply; with the first go the headers. ClientGone where it takes none."""
    try:
        async with asyncio.timeout(silence_s):
            if is_last:
                await out.write_eof(piece)
            else:
                await out.write(piece)
    except TimeoutError:
        raise ClientGone(f"it took nothing for {silence_s:g} s") from None
    except (ClientConnectionResetError, ConnectionError):
        raise ClientGone("it hung up") from None


def hang_up(request: web.BaseRequest) -> web.Response:
    """Close the client's connection so that it sees that the reply is not whole."""
    if request.transport is not None:
        if request.version < HttpVersion11:
            # an orderly end is how a reply without a length ends there: the client sees a reset in its place
            reset_connection(request.transport)
        request.transport.close()
    return web.Response()  # goes nowhere; the framework wants one
