"""One request from its first to its last byte: admitted, kept, sent on, its reply passed as it comes.

The proxy never sends a request twice, follows no redirect, and holds no part of a reply back but its last
piece, until the exchange is counted and kept: a client that has a reply finds it counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO

from aiohttp import ClientConnectorError, ClientError, ClientResponse, ClientSession, web
from yarl import URL

from memtrial.faults import StoreFault
from memtrial.models.wire.anthropic_messages import BETAS_HEADER
from memtrial.proxy.call_cost import Asked, read_asked
from memtrial.proxy.client_body import ClientGone, hang_up, read_body, write_piece
from memtrial.proxy.exchange import How
from memtrial.proxy.exchange_record import Books, ExchangeRecord, ReplyCopy
from memtrial.proxy.passed_headers import find_tokens, hide_tokens, pass_reply, pass_request
from memtrial.proxy.proxy_routes import PASSING, ProxyRoute, find_route, provider_asked
from memtrial.proxy.proxy_session import ProxySession
from memtrial.proxy.refusals import ProxyRefusal, refuse
from memtrial.proxy.shared_replies import SharedReplies, SharedReply, sharing_key
from memtrial.proxy.upstreams import Upstreams

NO_TOKEN = "a request needs the token of an open session as its key"
REDIRECTS = (301, 302, 303, 307, 308)
LARGE = 1024 * 1024
"""Bytes of a body that is sent in pieces, so that others go on meanwhile."""


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """Times and sizes.

    Args:
        connect_s: seconds to a connection with the provider.
        silence_s: seconds without a byte, from either side, after which an exchange is given up.
        max_body_bytes: of a request; each is held in memory whole. Anthropic takes 32 MB.
        max_reply_bytes: of a reply, that are held and kept; a larger one passes, but is not metered.
        pass_unknown: also pass methods and paths that are not known, unmetered.
    """

    connect_s: float = 30.0
    silence_s: float = 600.0
    max_body_bytes: int = 32 * 1024 * 1024
    max_reply_bytes: int = 64 * 1024 * 1024
    pass_unknown: bool = False


@dataclass
class Forwarder:
    """Answers every request that comes to the proxy's port.

    Args:
        clients: by provider, for its connections.
        sessions: those that are open, by token.
        strangers: requests without a valid token.
    """

    upstreams: Upstreams
    clients: Mapping[str, ClientSession]
    settings: ProxySettings
    books: Books
    sessions: dict[str, ProxySession] = field(default_factory=dict)
    shared: SharedReplies = field(default_factory=SharedReplies)
    strangers: int = 0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """The answer to a request."""
        path = request.raw_path.partition("?")[0]
        provider = provider_asked(path, request.headers)
        tokens = find_tokens(request.headers)
        session = next((self.sessions[token] for token in tokens if token in self.sessions), None)
        if session is None or session.closed:
            self.strangers += 1
            return refuse(provider, ProxyRefusal(401, NO_TOKEN))
        copy = ReplyCopy(self.settings.max_reply_bytes)
        path_kept = hide_tokens(request.raw_path, tokens)
        record = ExchangeRecord(self.books, session, request.method, path_kept, copy)
        record.betas = ",".join(request.headers.getall(BETAS_HEADER, ()))
        with session.work():
            try:
                return await self._answer(request, record, tokens)
            except ProxyRefusal as refusal:
                return self._refuse(provider, record, refusal)
            except StoreFault as fault:
                return refuse(provider, ProxyRefusal(400, str(fault)))
            except ClientGone as gone:
                return _hang_up(request, record, "client gone", str(gone))
            except asyncio.CancelledError:
                # the framework cancels a request whose client is gone; a session, its own
                with suppress(StoreFault):
                    record.end("closed" if session.closed else "client gone", session.closed or "it hung up")
                raise

    async def _answer(
        self, request: web.BaseRequest, record: ExchangeRecord, tokens: list[str]
    ) -> web.StreamResponse:
        path, _, query = request.raw_path.partition("?")
        route = find_route(request.method, path, request.headers, self.settings.pass_unknown)
        if route is None:
            asked = record.path.partition("?")[0][:200]
            raise ProxyRefusal(404, f"{request.method} {asked} is no path that passes; {PASSING}")
        record.route = route
        if route.provider not in self.upstreams.reached:
            raise ProxyRefusal(400, self.upstreams.missing.get(route.provider, f"no {route.provider} here"))
        if any(token and token in query for token in tokens):
            raise ProxyRefusal(400, "the token stands in the query, which goes to the provider; use a header")
        settings, terms = self.settings, record.session.terms
        record.came = await read_body(request, settings.max_body_bytes, settings.silence_s)
        record.codings = request.headers.get("content-encoding", "")
        record.body = terms.rewrite(path, record.came, record.codings)
        async with record.session.account.slots, self.books.account.slots:
            if self.books.halted or record.session.closed:
                raise ProxyRefusal(400, self.books.halted or record.session.closed)
            intent = record.begin()
            key = (
                sharing_key(request.method, request.raw_path, request.headers, intent.digest)
                if terms.share
                else b""
            )
            if key and (earlier := self.shared.take(key, terms.name)) is not None:
                return await self._share(request, record, earlier)
            if route.billed is not None:
                self._refuse_unaffordable(record)
            out = await self._send(request, record, tokens)
            if key and record.how == "answered" and record.status == 200 and record.copy.fits:
                self.shared.keep(key, SharedReply(intent.number, terms.name, out.headers.copy()))
            return out

    def _refuse_unaffordable(self, record: ExchangeRecord) -> None:
        """Refuse a call that a limit forbids, or whose cost could not be known where dollars are limited."""
        accounts = (record.session.account, self.books.account)
        for account in accounts:
            if reached := account.limit_reached():
                raise ProxyRefusal(400, reached)
        if all(account.limits.max_usd is None for account in accounts):
            return
        assert record.route is not None
        assert record.route.billed is not None
        asked = read_asked(record.route.billed, record.body, record.codings)
        record.asked = asked.model
        if problem := self._unknown_cost(record.route, asked):
            raise ProxyRefusal(400, f"a budget in dollars cannot be kept: {problem}")

    def _unknown_cost(self, route: ProxyRoute, asked: Asked) -> str:
        if not asked.model:
            return "the request names no model that can be read"
        if self.books.prices.of(f"{route.provider}/{asked.model}") is None:
            return f"no price of {route.provider}/{asked.model[:200]} is known; limit the calls in its place"
        if not asked.tells_usage:
            return (
                "the reply would not say what it used; a stream of chat completions needs"
                ' "stream_options": {"include_usage": true}, and responses no background'
            )
        return ""

    async def _share(
        self, request: web.BaseRequest, record: ExchangeRecord, earlier: SharedReply
    ) -> web.StreamResponse:
        """Answer with the bytes of an earlier reply."""
        body = self.books.store.reply_body(earlier.number)
        record.status = 200
        record.copy.add(body)
        out = web.StreamResponse(status=200, headers=earlier.headers)
        out.headers["content-length"] = str(len(body))
        await out.prepare(request)
        record.end("shared", shared_from=earlier.number)
        await write_piece(out, body, self.settings.silence_s, is_last=True)
        return out

    async def _send(
        self, request: web.BaseRequest, record: ExchangeRecord, tokens: list[str]
    ) -> web.StreamResponse:
        """Send it to the provider and pass the reply."""
        assert record.route is not None
        upstream = self.upstreams.reached[record.route.provider]
        query = request.raw_path.partition("?")
        url = URL(f"{upstream.address}{record.route.below}{query[1]}{query[2]}", encoded=True)
        body = record.body if len(record.body) <= LARGE else BytesIO(record.body)
        headers = pass_request(request.headers, tokens, upstream.headers)
        record.send()
        out: web.StreamResponse | None = None
        try:
            async with self.clients[upstream.provider].request(
                request.method, url, data=body or None, headers=headers, allow_redirects=False
            ) as reply:
                record.status, record.headers = reply.status, reply.headers
                if reply.status in REDIRECTS:
                    raise ProxyRefusal(502, f"{upstream.provider} redirects to another address")
                out = web.StreamResponse(
                    status=reply.status, reason=reply.reason, headers=pass_reply(reply.headers)
                )
                await out.prepare(request)
                await self._pass(reply, out, record)
                return out
        except (ClientError, TimeoutError) as fault:
            # nothing of it can have cost money where no connection was made
            record.is_sent = not isinstance(fault, ClientConnectorError)
            slow = isinstance(fault, TimeoutError)
            why = f"{upstream.provider} " + (
                f"said nothing for {self.settings.silence_s:g} s"
                if slow
                else f"failed: {type(fault).__name__}"
            )
            if out is None:
                raise ProxyRefusal(504 if slow else 502, why) from fault
            return _hang_up(request, record, "provider failed", why)
        except StoreFault as fault:
            if out is None:
                raise
            return _hang_up(request, record, "answered", str(fault))

    async def _pass(self, reply: ClientResponse, out: web.StreamResponse, record: ExchangeRecord) -> None:
        """Pass the bytes as they come; the last piece when the exchange is counted and kept."""
        content, silence_s = reply.content, self.settings.silence_s
        # headers go with what is there already, or at once
        piece = content.read_nowait()
        while not content.at_eof():
            record.copy.add(piece)
            await write_piece(out, piece, silence_s)
            piece = await content.readany()
        record.copy.add(piece)
        record.end("answered")
        await write_piece(out, piece, silence_s, is_last=True)

    def _refuse(self, provider: str, record: ExchangeRecord, refusal: ProxyRefusal) -> web.Response:
        record.status = refusal.status
        try:
            record.end(
                "provider failed" if record.is_sent or refusal.status >= 500 else "refused", str(refusal)
            )
        except StoreFault as fault:
            return refuse(provider, ProxyRefusal(400, str(fault)))
        return refuse(provider, refusal)


def _hang_up(request: web.BaseRequest, record: ExchangeRecord, how: How, why: str) -> web.StreamResponse:
    with suppress(StoreFault):
        record.end(how, why)
    return hang_up(request)
