"""A proxy before a provider that sends set bytes, and a client that shows what came."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import ClientSession

from memtrial.models.client.prices import shipped_prices
from memtrial.proxy.exchange import Exchange
from memtrial.proxy.exchange_store import ExchangeStore, MemoryExchanges
from memtrial.proxy.loopback_proxy import Proxy, ProxyBooks, open_proxy
from memtrial.proxy.proxy_account import ProxyLimits
from memtrial.proxy.proxy_session import ProxySession, SessionTerms
from memtrial.proxy.request_passage import ProxySettings
from memtrial.proxy.upstreams import Upstream, Upstreams
from tests.support.raw_provider import Arrived, RawProvider, Sends, raw_provider

KEY = "the-user's-own-key"


@dataclass(frozen=True)
class Setup:
    """What a test changes."""

    limits: ProxyLimits = ProxyLimits()
    terms: SessionTerms = SessionTerms("first")
    settings: ProxySettings = ProxySettings(connect_s=5, silence_s=5)
    store: ExchangeStore = field(default_factory=MemoryExchanges)


@dataclass
class Proxied:
    """A proxy, its provider, and a session that is open."""

    provider: RawProvider
    proxy: Proxy
    session: ProxySession
    store: ExchangeStore
    client: ClientSession

    def last(self) -> Exchange:
        return self.store.exchanges()[-1]

    async def ends(self, count: int = 1) -> list[Exchange]:
        """The exchanges, once so many have ended."""
        async with asyncio.timeout(10):
            while True:
                ended = [exchange for exchange in self.store.exchanges() if exchange.end is not None]
                if len(ended) >= count:
                    return ended
                await asyncio.sleep(0.002)


@dataclass(frozen=True)
class Came:
    """A reply as a client got it, its bytes not decoded."""

    status: int
    body: bytes
    headers: dict[str, str]


def upstreams_at(url: str) -> Upstreams:
    """Both providers at one address."""
    return Upstreams(
        {
            "anthropic": Upstream("anthropic", url, {"x-api-key": KEY}),
            "openai": Upstream("openai", f"{url}/v1", {"authorization": f"Bearer {KEY}"}),
        }
    )


@asynccontextmanager
async def proxied(answer: Callable[[Arrived], Sends], setup: Setup | None = None) -> AsyncIterator[Proxied]:
    """A proxy before `raw_provider`, with one session."""
    wanted = setup or Setup()
    books = ProxyBooks(wanted.store, shipped_prices(), wanted.limits)
    async with AsyncExitStack() as opened:
        provider = await opened.enter_async_context(raw_provider(answer))
        proxy = await opened.enter_async_context(
            open_proxy(upstreams_at(provider.url), books, wanted.settings)
        )
        client = await opened.enter_async_context(ClientSession(auto_decompress=False))
        yield Proxied(provider, proxy, proxy.open_session(wanted.terms), wanted.store, client)


async def ask(
    client: ClientSession, url: str, token: str, body: bytes = b"{}", headers: dict[str, str] | None = None
) -> Came:
    """One POST, its reply read to its end."""
    said = {"authorization": f"Bearer {token}", "content-type": "application/json", **(headers or {})}
    async with client.post(url, data=body, headers=said) as reply:
        raw = await reply.read()
        return Came(reply.status, raw, {name.lower(): value for name, value in reply.headers.items()})
