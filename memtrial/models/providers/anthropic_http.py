"""The HTTP client of Anthropic's SDK, on aiohttp: requests go to one host only, and replies are bounded.

aiohttp takes about half the processor time of the SDK's own default (`make bench` says how much).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import httpx2
from anthropic import DefaultAioHttpClient

from memtrial.models.client.keys import is_here
from memtrial.models.client.limits import bound_body
from memtrial.models.client.types import ProviderFault

AS_IT_IS: tuple[list[str], ...] = ([], ["identity"])
READABLE = (*AS_IT_IS, ["gzip"], ["deflate"])
"""Codings of a reply that are accepted, though none is asked for; they expand little at a time."""


def open_client(address: str, timeout: httpx2.Timeout, most: int, asked: str) -> httpx2.AsyncClient:
    """A client for one address, with replies of at most `most` bytes; `asked` is the model string."""

    async def read_within_bounds(response: httpx2.Response) -> None:
        codings = [
            coding.lower() for coding in response.headers.get_list("content-encoding", split_commas=True)
        ]
        if codings not in READABLE:
            raise ProviderFault(
                f"{asked}: malformed reply: it came as {', '.join(codings)[:50]}, which is not accepted",
                "malformed reply",
                heals=True,
            )
        stream = response.stream
        if not isinstance(stream, httpx2.AsyncByteStream):
            raise TypeError("an asynchronous response is needed")
        pieces: AsyncIterator[bytes] = aiter(stream)
        if codings not in AS_IT_IS:
            # decoded before it is counted
            pieces = httpx2.Response(200, headers=response.headers, stream=stream).aiter_bytes()
        body = b"".join([piece async for piece in bound_body(pieces, most, asked)])
        await stream.aclose()
        response.headers.pop("content-encoding", None)
        response.stream = httpx2.ByteStream(body)

    return DefaultAioHttpClient(
        timeout=timeout,
        # this machine is not reached through a proxy
        trust_env=not is_here(address),
        # another host would get the prompts, and perhaps the key
        follow_redirects=False,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [read_within_bounds]},
    )


@dataclass(frozen=True, slots=True)
class MessageSender:
    """Posts finished bodies to one address.

    What the SDK does around each of its own requests (options and headers made, checked and copied, an
    address joined) takes as long as the sending, and comes to the same for all requests of a client.
    """

    http: httpx2.AsyncClient
    url: httpx2.URL
    headers: httpx2.Headers

    @classmethod
    def of(cls, http: httpx2.AsyncClient, address: str, headers: Mapping[str, object]) -> MessageSender:
        """A sender with the headers of the SDK's client, beside those of the HTTP client."""
        texts = {name: value for name, value in headers.items() if isinstance(value, str)}
        request = http.build_request("POST", address, headers=texts)
        del request.headers["content-length"]
        return cls(http, request.url, request.headers)

    async def post(self, body: bytes, more: Mapping[str, str]) -> httpx2.Response:
        """The response, read; `more` are further headers.

        Raises:
            httpx2.HTTPError, aiohttp.ClientError, OSError: none came.
            ProviderFault: it is too large, or cannot be read.
        """
        headers = self.headers
        if more:
            headers = headers.copy()
            headers.update(more)
        return await self.http.send(httpx2.Request("POST", self.url, headers=headers, content=body))
