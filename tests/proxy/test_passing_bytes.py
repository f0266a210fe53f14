"""What passes is what a bare provider sends, byte for byte; it is counted, kept, and holds no secret."""

import asyncio
import gzip
import json
import zlib

import brotli
import pytest
import zstandard
from aiohttp import ClientSession

from memtrial.models.wire.reply_usage import ReplyUsage
from memtrial.proxy.proxy_session import SessionTerms
from tests.support.proxied import KEY, Setup, ask, proxied
from tests.support.raw_provider import (
    CHAT,
    EMBEDDINGS,
    JSON,
    MESSAGE,
    MESSAGE_EVENTS,
    PAUSE,
    RESPONSE,
    RESPONSE_EVENTS,
    STREAM,
    Sends,
    chat_events,
    events,
    whole,
    zipped,
)


def coded(coding, raw):
    return Sends([raw[:30], PAUSE, raw[30:]], {**JSON, "content-encoding": coding})


PLAIN = json.dumps(MESSAGE).encode()
BARE = zlib.compressobj(wbits=-zlib.MAX_WBITS)
SPLIT = [piece for event in MESSAGE_EVENTS for piece in (event[:17], PAUSE, event[17:])]
MESSAGES = ReplyUsage(11, 3, 5, 2, MESSAGE["model"])
TOOLS = ReplyUsage(11, 42, 5, 2, MESSAGE["model"])
CHATTED = ReplyUsage(11, 3, 5, 0, CHAT["model"])
RESPONDED = ReplyUsage(11, 3, 5, 0, "gpt-5-mini")
CASES = {
    "messages": ("/v1/messages?beta=true", whole(MESSAGE), MESSAGES),
    "messages, gzip": ("/v1/messages", zipped(MESSAGE), MESSAGES),
    "messages, deflate": ("/v1/messages", coded("deflate", zlib.compress(PLAIN)), MESSAGES),
    "messages, bare deflate": (
        "/v1/messages",
        coded("deflate", BARE.compress(PLAIN) + BARE.flush()),
        MESSAGES,
    ),
    "messages, br": ("/v1/messages", coded("br", brotli.compress(PLAIN)), MESSAGES),
    "messages, zstd": ("/v1/messages", coded("zstd", zstandard.compress(PLAIN)), MESSAGES),
    "messages, two codings": (
        "/v1/messages",
        coded("gzip, br", brotli.compress(gzip.compress(PLAIN))),
        MESSAGES,
    ),
    "messages, a stream with tools": ("/v1/messages?beta=true", Sends(MESSAGE_EVENTS, STREAM), TOOLS),
    "messages, a stream in odd pieces": ("/v1/messages", Sends(SPLIT, STREAM), TOOLS),
    "messages, a stream, gzip": (
        "/v1/messages",
        Sends([gzip.compress(b"".join(MESSAGE_EVENTS))], STREAM | {"content-encoding": "gzip"}),
        TOOLS,
    ),
    "messages, a stream with other line ends": (
        "/v1/messages",
        Sends([event.replace(b"\n", b"\r\n") for event in MESSAGE_EVENTS], STREAM),
        TOOLS,
    ),
    "tokens counted": ("/v1/messages/count_tokens", whole({"input_tokens": 9}), None),
    "chat": ("/v1/chat/completions", whole(CHAT), CHATTED),
    "chat, a stream that says its usage": ("/v1/chat/completions", Sends(chat_events(True), STREAM), CHATTED),
    "responses": ("/v1/responses", whole(RESPONSE), RESPONDED),
    "responses, a stream": ("/v1/responses", Sends(RESPONSE_EVENTS, STREAM), RESPONDED),
    "embeddings": ("/v1/embeddings", whole(EMBEDDINGS), ReplyUsage(7, 0, model=EMBEDDINGS["model"])),
    "an error": ("/v1/messages", whole({"type": "error"}, 429, retry_after="7", x_own="a"), None),
    "an empty reply": ("/v1/messages/count_tokens", Sends([], {"content-length": "0"}, 200), None),
}


@pytest.mark.parametrize("name", CASES)
def test_bytes_status_and_headers_are_the_bare_provider_s_and_the_counts_are_its_own(name):
    path, reply, usage = CASES[name]
    body = json.dumps({"model": "claude-haiku-4-5", "tools": [{"name": "é"}], "stream": True}).encode()
    headers = {"accept-encoding": "gzip, br", "anthropic-beta": "a,b", "user-agent": "own/1"}

    async def work():
        async with proxied(lambda _: reply) as there:
            bare = await ask(there.client, there.provider.url + path, "token", body, headers)
            came = await ask(there.client, there.session.url + path, there.session.token, body, headers)
            assert (came.status, came.body) == (bare.status, bare.body)
            unlike = {"date", "transfer-encoding"}
            assert came.headers.keys() ^ bare.headers.keys() <= unlike
            assert {n: v for n, v in came.headers.items() if n not in unlike} == {
                n: v for n, v in bare.headers.items() if n not in unlike
            }
            first, second = there.provider.arrived
            assert (first.method, first.path, first.body) == (second.method, second.path, second.body)
            for header in headers:
                assert second.headers[header] == first.headers[header]
            (exchange,) = there.store.exchanges()
            assert exchange.end.how == "answered"
            assert exchange.end.usage == usage
            assert not exchange.end.unmetered
            assert there.store.request_body(1) == body
            assert there.store.reply_body(1) == bare.body
            if name == "embeddings":  # no price of any is known
                assert exchange.end.usd is None
                assert there.proxy.account.unpriced == 1
            elif usage is not None:
                assert exchange.end.usd > 0
                assert there.proxy.account.usd == there.session.account.usd == exchange.end.usd
                assert there.proxy.account.output_tokens == usage.output_tokens

    asyncio.run(work())


LONG = events({"type": "message_start", "message": {"model": "m"}})
UNREAD = {
    "a stream of chat without usage": ("/v1/chat/completions", Sends(chat_events(False), STREAM)),
    "no JSON": ("/v1/messages", Sends([b"<html>"], JSON)),
    "JSON without usage": ("/v1/responses", whole({"usage": None})),
    "usage that is none": ("/v1/messages", whole({"usage": {"input_tokens": -1, "output_tokens": "3"}})),
    "an unknown coding": ("/v1/messages", coded("rot13", PLAIN)),
    "another coding than it says": ("/v1/messages", coded("br", gzip.compress(PLAIN))),
    "a stream that says nothing": ("/v1/messages", Sends(LONG, STREAM)),
    "nested deeply": ("/v1/messages", Sends([b"[" * 100_000], JSON)),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_cannot_be_read_passes_and_counts_as_unmetered(name):
    path, reply = UNREAD[name]

    async def work():
        async with proxied(lambda _: reply) as there:
            bare = await ask(there.client, there.provider.url + path, "token")
            came = await ask(there.client, there.session.url + path, there.session.token)
            assert came.body == bare.body
            assert there.last().end.unmetered
            assert there.last().end.usage is None
            assert (there.proxy.account.unmetered, there.proxy.account.calls) == (1, 1)

    asyncio.run(work())


def test_the_first_piece_of_a_stream_comes_before_the_last_is_sent():
    reply = Sends([MESSAGE_EVENTS[0], "stall", *MESSAGE_EVENTS[1:]], STREAM)

    async def work():
        async with proxied(lambda _: reply) as there:
            headers = {"x-api-key": there.session.token}
            url = f"{there.session.anthropic_url}/v1/messages"
            async with asyncio.timeout(5), there.client.post(url, data=b"{}", headers=headers) as came:
                first = await came.content.readany()
                assert first == MESSAGE_EVENTS[0]
                assert there.last().end is None
                there.provider.go_on.set()
                assert first + await came.read() == b"".join(MESSAGE_EVENTS)
            assert there.last().end.usage == TOOLS

    asyncio.run(work())


def test_the_token_stays_here_and_the_key_there():
    async def work():
        async with proxied(lambda _: whole(MESSAGE)) as there:
            token = there.session.token
            more = {
                "x-odd": f"a {token} b",
                "api-key": token,
                "cookie": "a=b",
                "x-hop": "1",
                "connection": "x-hop",
            }
            for path in ("/v1/messages", "/v1/chat/completions"):
                await ask(there.client, there.session.url + path, token, b'{"model": "m"}', more)
            for arrived, name, value in zip(
                there.provider.arrived, ("x-api-key", "authorization"), (KEY, f"Bearer {KEY}"), strict=True
            ):
                assert arrived.headers[name] == value
                assert token not in str(arrived)
                assert not {"x-odd", "api-key", "cookie", "x-hop"} & arrived.headers.keys()
            assert token not in repr(there.session)
            assert KEY not in repr(there.proxy)
            # a query goes to the provider
            came = await ask(there.client, f"{there.session.url}/v1/messages?key={token}", token)
            assert came.status == 400
            came = await ask(there.client, f"{there.session.url}/{token}/messages?key={token}", token)
            assert (came.status, token.encode() in came.body) == (404, False)
            assert len(there.provider.arrived) == 2
            # nor is it kept, or shown
            kept = [exchange.intent.path for exchange in there.store.exchanges()]
            assert kept[2:] == ["/v1/messages?key=[token]", "/[token]/messages?key=[token]"]

    asyncio.run(work())


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/v1/messages", ("type", "authentication_error")), ("/v1/responses", ("code", "invalid_api_key"))],
)
def test_without_the_token_of_an_open_session_nothing_passes(path, kind):
    async def work():
        async with proxied(lambda _: whole(MESSAGE)) as there:
            there.session.close()
            for token in ("", "wrong", KEY, there.session.token):
                came = await ask(there.client, there.session.url + path, token)
                error = json.loads(came.body)["error"]
                assert (came.status, error[kind[0]]) == (401, kind[1])
            async with ClientSession() as client, client.post(there.session.url + path, data=b"{}") as reply:
                assert reply.status == 401
            assert there.proxy.strangers == 5
            assert not there.provider.arrived

    asyncio.run(work())


@pytest.mark.parametrize(
    ("method", "path", "passes"),
    [
        ("GET", "/v1/models", "/v1/models"),
        ("GET", "/v1/models/a/b?limit=2", "/v1/models/a/b?limit=2"),
        ("HEAD", "/", "/v1/"),
        ("GET", "/v1/models/../files", None),
        ("GET", "/v1/models/%2e%2e/files", None),
        ("POST", "/v1/models", None),
        ("POST", "/v1/messages/batches", None),
        ("POST", "/v1/messages/", None),
        ("GET", "/v1/messages", None),
        ("DELETE", "/v1/responses/1", None),
        ("POST", "//v1/messages", None),
    ],
)
def test_only_known_paths_pass(method, path, passes):
    async def work():
        async with proxied(lambda _: whole({"data": []})) as there:
            headers = {"authorization": f"Bearer {there.session.token}"}
            from yarl import URL

            url = URL(there.session.url + path, encoded=True)
            async with there.client.request(method, url, headers=headers) as came:
                raw = await came.read()
            arrived = [one.path for one in there.provider.arrived]
            if passes is None:
                assert (came.status, arrived) == (404, [])
                assert b"\n" not in raw
                assert there.last().end.how == "refused"
            else:
                assert (came.status, arrived) == (200, [passes])
                assert there.proxy.account.calls == 0

    asyncio.run(work())


def test_a_body_is_rewritten_before_it_is_kept_and_sent():
    def rewrite(path, body, codings):
        assert (path, codings) == ("/v1/messages", "")
        return body.replace(b"intact", b"damaged beyond it")

    async def work():
        terms = SessionTerms("marked", rewrite=rewrite)
        async with proxied(lambda _: whole(MESSAGE), Setup(terms=terms)) as there:
            sent = b'{"model": "m", "system": "intact"}'
            for body in (sent, b"{}"):
                await ask(there.client, f"{there.session.url}/v1/messages", there.session.token, body)
            changed = b'{"model": "m", "system": "damaged beyond it"}'
            assert [one.body for one in there.provider.arrived] == [changed, b"{}"]
            first, second = there.store.exchanges()
            assert there.store.request_body(1) == changed
            assert first.intent.came_as
            assert first.intent.size == len(changed)
            assert not second.intent.came_as

    asyncio.run(work())


@pytest.mark.parametrize("same_path", [True, False])
def test_replies_are_shared_between_sessions_that_allow_it_and_each_gets_one_once(same_path):
    texts = iter("abcdefgh")

    async def work():
        async with proxied(lambda _: whole(MESSAGE | {"id": next(texts)})) as there:
            path = "/v1/messages?beta=true"
            one, two = (there.proxy.open_session(SessionTerms(name, share=True)) for name in ("one", "two"))

            async def told(session, body=b'{"model": "claude-haiku-4-5"}', path=path):
                return json.loads((await ask(there.client, session.url + path, session.token, body)).body)[
                    "id"
                ]

            assert await told(one) == "a"
            assert await told(one) == "b"  # another draw
            assert await told(there.session) == "c"  # does not allow it
            if not same_path:
                assert await told(two, path="/v1/messages") == "d"
                return
            assert await told(two) == "a"
            assert await told(two) == "b"
            assert await told(two) == "d"
            assert await told(one) == "d"
            assert await told(two, b'{"model": "claude-haiku-4-5" }') == "e"
            assert (two.account.shared, two.account.calls) == (2, 2)
            shared = [exchange.end for exchange in there.store.exchanges() if exchange.end.how == "shared"]
            assert [end.shared_from for end in shared] == [1, 2, 6]
            assert not any(end.usd for end in shared)

    asyncio.run(work())
