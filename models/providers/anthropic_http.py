"""The HTTP client of Anthropic's SDK, on aiohttp: requests go to one host only, and replies are bounded.

aiohttp takes about half the processor time of the SDK's own default (`make bench` says how much).
"""

from collections.abc import AsyncIterator

import httpx2
from anthropic import DefaultAioHttpClient

from loadbearing.models.client.keys import is_here
from loadbearing.models.client.limits import bounded
from loadbearing.models.client.types import ProviderFault

READABLE: tuple[list[str], ...] = ([], ["identity"], ["gzip"], ["deflate"])
"""Codings of a reply that are accepted, though none is asked for; they expand little at a time."""


class Bounded(httpx2.AsyncByteStream):
    """The body of a reply, read in `pieces`; closing it returns the connection of the `whole`."""

    def __init__(self, pieces: AsyncIterator[bytes], whole: httpx2.AsyncByteStream) -> None:
        self._pieces, self._whole = pieces, whole

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    async def aclose(self) -> None:
        await self._whole.aclose()


def open_client(address: str, timeout: httpx2.Timeout, most: int, asked: str) -> httpx2.AsyncClient:
    """A client for one address, with replies of at most `most` bytes; `asked` is the model string."""

    async def bound(response: httpx2.Response) -> None:
        codings = [one.lower() for one in response.headers.get_list("content-encoding", split_commas=True)]
        if codings not in READABLE:
            said = f"{asked}: malformed reply: it came as {', '.join(codings)[:50]}, which is not accepted"
            raise ProviderFault(said, "malformed reply", heals=True)
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
        # this machine is not reached through a proxy
        trust_env=not is_here(address),
        # another host would get the prompts, and perhaps the key
        follow_redirects=False,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [bound]},
    )
