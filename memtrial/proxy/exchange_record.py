"""One exchange while it goes on: kept before it is sent, counted and kept when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count

from memtrial.faults import StoreFault
from memtrial.models.client.prices import PriceTable
from memtrial.models.wire.reply_usage import ReplyUsage
from memtrial.proxy.call_cost import price, read_metered
from memtrial.proxy.exchange import Exchange, ExchangeEnd, ExchangeIntent, How
from memtrial.proxy.exchange_store import ExchangeStore
from memtrial.proxy.passed_headers import Headers
from memtrial.proxy.proxy_account import ProxyAccount
from memtrial.proxy.proxy_routes import ProxyRoute
from memtrial.proxy.proxy_session import ProxySession


@dataclass
class ReplyCopy:
    """The bytes so far, of which at most `most` are held; the digest and the size are of all."""

    most: int
    size: int = 0
    _pieces: list[bytes] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._hash = sha256()

    def add(self, piece: bytes) -> None:
        """The next bytes."""
        self.size += len(piece)
        self._hash.update(piece)
        if self.fits:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    @property
    def fits(self) -> bool:
        """All of it is held."""
        return self.size <= self.most

    @property
    def digest(self) -> str:
        """Sha256 in hex."""
        return self._hash.hexdigest()

    def body(self) -> bytes:
        """All bytes; none where they are too many."""
        return b"".join(self._pieces)


@dataclass
class Books:
    """Where all exchanges of a proxy are written.

    Args:
        account: of all sessions.
        watch: called with each exchange that has ended.
        halted: why nothing more may be sent; empty while something may.
    """

    store: ExchangeStore
    prices: PriceTable
    account: ProxyAccount
    watch: Callable[[Exchange], None]
    halted: str = ""
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def next_number(self) -> int:
        """The number of the next exchange."""
        return next(self._numbers)


@dataclass
class ExchangeRecord:
    """One exchange.

    Args:
        came, codings: the body as it came, and how it and `body` are coded.
        betas: its header `anthropic-beta`.
        asked: the model that is asked, where that was read before it was sent.
        status, headers, copy: of the reply, as far as it came; without headers none came.
        is_sent: it may have reached the provider.
        how: what ended it; None while it goes on.
    """

    books: Books
    session: ProxySession
    method: str
    path: str
    copy: ReplyCopy
    route: ProxyRoute | None = None
    body: bytes = b""
    came: bytes = b""
    codings: str = ""
    betas: str = ""
    asked: str = ""
    status: int | None = None
    headers: Headers | None = None
    intent: ExchangeIntent | None = None
    is_sent: bool = False
    how: How | None = None
    _is_call: bool = False

    def begin(self) -> ExchangeIntent:
        """Keep the request; StoreFault where that cannot be done, and then nothing more is sent."""
        digest = sha256(self.body).hexdigest()
        came_as = "" if self.body == self.came else sha256(self.came).hexdigest()
        number, name = self.books.next_number(), self.session.terms.name
        size, codings, betas = len(self.body), self.codings, self.betas
        intent = ExchangeIntent(
            number, name, self.method, self.path, digest, size, came_as, time.time(), codings, betas
        )
        try:
            self.books.store.begin(intent, self.body)
        except StoreFault as fault:
            self.books.halted = self.books.halted or str(fault)
            raise
        self.intent = intent
        return intent

    @property
    def _accounts(self) -> tuple[ProxyAccount, ProxyAccount]:
        return self.books.account, self.session.account

    def send(self) -> None:
        """It is sent now, and counts as a call if it costs money."""
        self.is_sent = True
        if self.route is not None and self.route.billed is not None:
            self._is_call = True
            for account in self._accounts:
                account.begin_call()

    def end(self, how: How, why: str = "", shared_from: int | None = None) -> None:
        """Count what it used and keep its end, once. StoreFault as in `begin`."""
        if self.how is not None:
            return
        self.how = how
        if self._is_call:
            for account in self._accounts:
                account.end_call()
        intent = self.intent or self.begin()
        usage = self._read_usage()
        usd = self._price(usage) if shared_from is None else 0.0
        end = ExchangeEnd(
            number=intent.number,
            how=how,
            why=why,
            status=self.status,
            digest=self.copy.digest,
            size=self.copy.size,
            is_kept=self.copy.fits,
            usage=usage,
            usd=usd,
            unmetered=shared_from is None and self._may_cost_more(usage),
            shared_from=shared_from,
            ended_s=time.time(),
        )
        for account in self._accounts:
            account.count(end)
        try:
            self.books.store.end(end, self.copy.body())
        except StoreFault as fault:
            self.books.halted = self.books.halted or str(fault)
            raise
        self.books.watch(Exchange(intent, end))

    def _read_usage(self) -> ReplyUsage | None:
        """What the reply says that it used; an error says nothing."""
        if self.route is None or self.route.billed is None or self.headers is None:
            return None
        if self.status is None or self.status >= 300 or not self.copy.fits:
            return None
        return read_metered(self.route.billed, self.headers, self.copy.body())

    def _may_cost_more(self, usage: ReplyUsage | None) -> bool:
        """It was sent, is none that costs nothing, and its whole cost is not known."""
        if not self.is_sent or self.route is None or self.route.billed is None:
            return False
        is_error = self.headers is not None and self.status is not None and self.status >= 300
        return not is_error and (usage is None or not usage.is_whole)

    def _price(self, usage: ReplyUsage | None) -> float | None:
        if usage is None or self.route is None:
            return 0.0
        return price(self.books.prices, self.route.provider, self.asked, usage)
