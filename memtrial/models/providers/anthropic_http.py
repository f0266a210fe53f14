"""The HTTP client of Anthropic's SDK, on aiohttp: requests go to one host only, and replies are bounded.

The SDK prepares a request and says what went wrong with it. What lies between its own client and the
connection (cookies, redirects, authentication, streams) is not needed, and takes as long as both.
"""

from collections.abc import AsyncIterator, Mapping
from urllib.request import getproxies, proxy_bypass_environment  # type: ignore[attr-defined]

import aiohttp
import httpx2

from memtrial.models.client.keys import is_here
from memtrial.models.client.limits import bound_body
from memtrial.models.client.types import ProviderFault

READABLE: tuple[list[str], ...] = ([], ["identity"], ["gzip"], ["deflate"])
"""Codings of a reply that are accepted, though none is asked for; they expand little at a time."""


class OneHostClient(httpx2.AsyncClient):
    """Sends a request once, as it is, and reads a reply of at most `most` bytes; no redirect is followed.

    Args:
        proxy: through which the host is reached; None for none.
        asked: the model string, for what it says.
    """

    def __init__(self, timeout: httpx2.Timeout, proxy: str | None, most: int, asked: str) -> None:
        unused = httpx2.AsyncBaseTransport()
        super().__init__(
            timeout=timeout, transport=unused, trust_env=False, headers={"accept-encoding": "identity"}
        )
        self._proxy, self._most, self._asked = proxy, most, asked
        self._session: aiohttp.ClientSession | None = None

    async def send(
        self,
        request: httpx2.Request,
        *,
        stream: bool = False,  # noqa: ARG002
        auth: object = None,  # noqa: ARG002
        follow_redirects: object = None,  # noqa: ARG002
    ) -> httpx2.Response:
        """The whole reply, whatever its status and whatever else is asked for.

        Raises:
            ProviderFault: it is too large, or came in a coding that is not accepted.
            httpx2.TransportError: the connection failed; a TimeoutException where nothing came for too long.
        """
        session = self._session or self._open(request.url.scheme)
        try:
            async with session.request(
                request.method,
                str(request.url),
                headers=request.headers,
                data=request.content,
                allow_redirects=False,
                proxy=self._proxy,
            ) as response:
                body = await self._read(response)
        except TimeoutError as fault:
            raise httpx2.ReadTimeout(str(fault), request=request) from fault
        except aiohttp.ClientError as fault:
            raise httpx2.NetworkError(repr(fault), request=request) from fault
        headers = [
            (name, value) for name, value in response.raw_headers if name.lower() != b"content-encoding"
        ]
        return httpx2.Response(response.status, headers=headers, content=body, request=request)

    async def aclose(self) -> None:
        """Close all connections."""
        await super().aclose()
        if self._session is not None:
            await self._session.close()

    def _open(self, scheme: str) -> aiohttp.ClientSession:
        """The session, for the event loop that runs now."""
        timeout = self.timeout
        # the certificates that the SDK's own client trusts; reading them takes a tenth of a second
        trusted = httpx2.create_ssl_context() if scheme == "https" else True
        self._session = aiohttp.ClientSession(
            # the model client's limit counts
            connector=aiohttp.TCPConnector(limit=0, ssl=trusted),
            timeout=aiohttp.ClientTimeout(None, sock_connect=timeout.connect, sock_read=timeout.read),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        return self._session

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        codings = [
            coding.strip().lower()
            for line in response.headers.getall("content-encoding", ())
            for coding in line.split(",")
        ]
        if codings not in READABLE:
            came = ", ".join(codings)[:50]
            raise ProviderFault(
                f"{self._asked}: malformed reply: it came as {came}, which is not accepted",
                "malformed reply",
                heals=True,
            )
        if codings in READABLE[:2] and (response.content_length or self._most + 1) <= self._most:
            return await response.read()
        pieces: AsyncIterator[bytes] = response.content.iter_any()
        if codings not in READABLE[:2]:
            # decoded before it is counted
            coded = httpx2.Response(200, headers={"content-encoding": codings[0]}, content=pieces)
            pieces = coded.aiter_bytes()
        return b"".join([piece async for piece in bound_body(pieces, self._most, self._asked)])


def open_client(address: str, timeout: httpx2.Timeout, most: int, asked: str) -> httpx2.AsyncClient:
    """A client for one address, with replies of at most `most` bytes; `asked` is the model string."""
    return OneHostClient(timeout, find_proxy(address, getproxies()), most, asked)


def find_proxy(address: str, proxies: Mapping[str, str]) -> str | None:
    """The proxy through which an address is reached, of those that the environment names, by scheme."""
    url = httpx2.URL(address)
    # this machine is not reached through a proxy
    if is_here(address) or proxy_bypass_environment(url.host, dict(proxies)):
        return None
    proxy = proxies.get(url.scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"
