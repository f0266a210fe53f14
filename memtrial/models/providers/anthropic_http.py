"""The HTTP client of Anthropic's SDK, on aiohttp: requests go to one host only, and replies are bounded.

aiohttp takes about half the processor time of the SDK's own default (`make bench` says how much).
"""

import httpx2
from anthropic import DefaultAioHttpClient

from memtrial.models.client.keys import is_here
from memtrial.models.client.limits import bound_body
from memtrial.models.client.types import ProviderFault

READABLE: tuple[list[str], ...] = ([], ["identity"], ["gzip"], ["deflate"])
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
        # decoded before it is counted
        whole = httpx2.Response(200, headers=response.headers, stream=response.stream)
        body = b"".join([piece async for piece in bound_body(whole.aiter_bytes(), most, asked)])
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
