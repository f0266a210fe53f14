"""The proxy itself: a port of this machine that is open for as long as a block lasts."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, web
from aiohttp.web_runner import ServerRunner

from memtrial.faults import SpecFault
from memtrial.models.client.prices import PriceTable
from memtrial.proxy.exchange import Exchange
from memtrial.proxy.exchange_record import Books
from memtrial.proxy.exchange_store import ExchangeStore
from memtrial.proxy.proxy_account import ProxyAccount, ProxyLimits
from memtrial.proxy.proxy_session import ProxySession, SessionTerms
from memtrial.proxy.request_passage import Forwarder, ProxySettings
from memtrial.proxy.upstreams import Upstream, Upstreams

HOST = "127.0.0.1"
ENDING_S = 0.2
"""Seconds that requests in flight have to end when the proxy is closed."""
LONGEST_LINE = 64 * 1024
"""Bytes of a header."""
LATER_HEADERS = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")
"""Headers that the library would add."""


@dataclass
class Proxy:
    """A proxy that is open.

    Args:
        url: without `/v1` and a slash at its end.
        account: what all sessions used.
    """

    url: str
    _forwarder: Forwarder

    @property
    def account(self) -> ProxyAccount:
        """What all sessions used."""
        return self._forwarder.books.account

    @property
    def strangers(self) -> int:
        """Requests without the token of an open session, which were refused."""
        return self._forwarder.strangers

    @property
    def halted(self) -> str:
        """Why nothing more is sent; empty while something is."""
        return self._forwarder.books.halted

    def open_session(self, terms: SessionTerms) -> ProxySession:
        """A session with a new token. ValueError where its name is taken."""
        sessions = self._forwarder.sessions
        if any(session.terms.name == terms.name for session in sessions.values()):
            raise ValueError(f"the proxy has a session {terms.name!r} already")
        token = f"sk-memtrial-{secrets.token_hex(20)}"
        account = ProxyAccount(terms.limits, "the session's ")
        sessions[token] = ProxySession(terms, self.url, token, account)
        return sessions[token]

    def halt(self, why: str) -> None:
        """Send nothing more; requests in flight still get their replies."""
        self._forwarder.books.halted = self.halted or why


@dataclass(frozen=True, slots=True)
class ProxyBooks:
    """What a proxy writes into, and is held to.

    Args:
        store: keeps every exchange.
        limits: of all sessions together.
        watch: called with each exchange that has ended.
    """

    store: ExchangeStore
    prices: PriceTable
    limits: ProxyLimits = ProxyLimits()
    watch: Callable[[Exchange], None] = lambda _: None


@asynccontextmanager
async def open_proxy(
    upstreams: Upstreams, books: ProxyBooks, settings: ProxySettings = ProxySettings(), port: int = 0
) -> AsyncIterator[Proxy]:
    """Serve in this loop until the block is left; port 0 takes a free one.

    Raises:
        SpecFault: the port is taken.
    """
    account = ProxyAccount(books.limits)
    async with AsyncExitStack() as opened:
        clients = {
            name: await opened.enter_async_context(_open_client(upstream, settings))
            for name, upstream in upstreams.reached.items()
        }
        kept = Books(books.store, books.prices, account, books.watch)
        forwarder = Forwarder(upstreams, clients, settings, kept)
        server = web.Server(
            forwarder.handle,
            # a request whose client is gone is cancelled
            handler_cancellation=True,
            auto_decompress=False,
            access_log=None,
            max_field_size=LONGEST_LINE,
        )
        runner = ServerRunner(server, shutdown_timeout=ENDING_S)
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, HOST, port, backlog=1024).start()
            except (OSError, OverflowError) as fault:
                raise SpecFault(
                    f"port {port} of {HOST} cannot be used: {fault}; 0 takes a free one"
                ) from fault
            yield Proxy(f"http://{HOST}:{runner.addresses[0][1]}", forwarder)
        finally:
            for session in forwarder.sessions.values():
                session.closed = session.closed or "the proxy is closed"
            await runner.cleanup()


def _open_client(upstream: Upstream, settings: ProxySettings) -> ClientSession:
    """Connections to a provider, as many as are needed: others bound them."""
    return ClientSession(
        auto_decompress=False,
        connector=TCPConnector(limit=0),
        cookie_jar=DummyCookieJar(),
        timeout=ClientTimeout(total=None, sock_connect=settings.connect_s, sock_read=settings.silence_s),
        # this machine is not reached through a proxy
        trust_env=not upstream.is_here,
        skip_auto_headers=LATER_HEADERS,
        max_field_size=LONGEST_LINE,
        max_line_size=LONGEST_LINE,
    )
