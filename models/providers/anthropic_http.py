"""The HTTP client of Anthropic's SDK: aiohttp's, which goes to one host and reads replies of a bounded size.

aiohttp takes about half the processor time of the SDK's own default (`make bench` says how much).
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
from anthropic import DefaultAioHttpClient

from loadbearing.models.client.keys import is_here
from loadbearing.models.client.reply_size import bounded
from loadbearing.models.client.types import ProviderFault

READABLE: tuple[list[str], ...] = ([], ["identity"], ["gzip"], ["deflate"])
"""Codings of a reply: none is asked for, and one of these two cannot make much out of little."""
BATCH_RESULTS = "/results"
"""Ends the path of the one reply that has many lines; it is bounded line by line, where it is read."""


class Bounded(httpx2.AsyncByteStream):
    """The body of a reply."""

    def __init__(self, pieces: AsyncIterator[bytes], whole: httpx2.AsyncByteStream) -> None:
        """Read `pieces`; `whole` is what is closed."""
        self._pieces, self._whole = pieces, whole

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The pieces."""
        return self._pieces

    async def aclose(self) -> None:
        """Give the connection back, or up where not all was read."""
        await self._whole.aclose()


def open_client(address: str, timeout: httpx2.Timeout, most: int, asked: str) -> httpx2.AsyncClient:
    """A client for one address.

    Args:
        most: bytes of a reply.
        asked: what is asked, for messages.
    """
    own = httpx2.URL(address)

    async def stay(request: httpx2.Request) -> None:
        # the address of a batch's results is for the provider to say; the key goes there, too
        if (request.url.scheme, request.url.host, request.url.port) != (own.scheme, own.host, own.port):
            said = f"{asked}: {own.host} names {request.url.host} instead, to which no key is sent"
            raise ProviderFault(said, "bad request", heals=False)

    async def bound(response: httpx2.Response) -> None:
        codings = [one.lower() for one in response.headers.get_list("content-encoding", split_commas=True)]
        if codings not in READABLE:
            said = f"{asked}: malformed reply: it came as {', '.join(codings)[:50]}, and none can read that"
            raise ProviderFault(said, "malformed reply", heals=True)
        if response.is_success and response.request.url.path.endswith(BATCH_RESULTS):
            return
        stream = response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)
        pieces = aiter(stream)
        if "content-encoding" in response.headers:
            # decoded before it is counted
            pieces = httpx2.Response(200, headers=response.headers, stream=stream).aiter_bytes()
            del response.headers["content-encoding"]
        response.stream = Bounded(bounded(pieces, most, asked), stream)

    return DefaultAioHttpClient(
        timeout=timeout,
        # what is on this machine is not asked for through a proxy
        trust_env=not is_here(address),
        # another host would get the prompts, and may get the key
        follow_redirects=False,
        headers={"accept-encoding": "identity"},
        event_hooks={"request": [stay], "response": [bound]},
    )
