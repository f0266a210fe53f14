"""Whoever hangs up, stalls, dies or floods: the other side learns it, and the exchange says it."""

import asyncio
import resource
import socket
from contextlib import suppress
from dataclasses import dataclass, field

import aiohttp
import pytest

from memtrial.faults import SpecFault, StoreFault
from memtrial.models.client.prices import shipped_prices
from memtrial.proxy.exchange_store import MemoryExchanges
from memtrial.proxy.loopback_proxy import ProxyBooks, open_proxy
from memtrial.proxy.proxy_account import ProxyLimits
from memtrial.proxy.proxy_session import SessionTerms
from memtrial.proxy.request_passage import ProxySettings
from tests.support.proxied import Setup, ask, proxied, upstreams_at
from tests.support.raw_provider import (
    DIE,
    JSON,
    MESSAGE,
    MESSAGE_EVENTS,
    PAUSE,
    STALL,
    STREAM,
    Sends,
    whole,
)

PATH = "/v1/messages"
ONE_S = ProxySettings(silence_s=0.2, connect_s=5)
BODY = b'{"model": "claude-haiku-4-5"}'


def raw_request(session, body=BODY, length=None):
    head = f"POST {PATH} HTTP/1.1\r\nhost: a\r\nx-api-key: {session.token}\r\n"
    return f"{head}content-length: {len(body) if length is None else length}\r\n\r\n".encode() + body


def port_of(session):
    return int(session.url.rpartition(":")[2])


def test_a_client_that_hangs_up_ends_the_request_upstream_too():
    async def work():
        async with proxied(lambda _: Sends([MESSAGE_EVENTS[0], STALL], STREAM)) as there:
            headers = {"x-api-key": there.session.token}
            async with aiohttp.ClientSession() as client:
                reply = await client.post(there.session.url + PATH, data=BODY, headers=headers)
                assert await reply.content.readany() == MESSAGE_EVENTS[0]
                reply.close()
            (exchange,) = await there.ends()
            assert exchange.end.how == "client gone"
            # what the beginning says is counted, and that there may be more
            assert (exchange.end.usage.input_tokens, exchange.end.usage.is_whole) == (11, False)
            assert exchange.end.unmetered
            assert exchange.end.usd > 0
            assert there.store.reply_body(1) == MESSAGE_EVENTS[0]
            async with asyncio.timeout(10):
                while not there.provider.lost:
                    await asyncio.sleep(0.002)
            assert there.proxy.account.in_flight == 0

    asyncio.run(work())


@pytest.mark.parametrize(
    "headers", [STREAM, STREAM | {"content-length": "100000"}], ids=["in chunks", "with a length"]
)
def test_a_provider_that_dies_in_the_middle_gives_no_whole_reply(headers):
    async def work():
        async with proxied(lambda _: Sends([MESSAGE_EVENTS[0], PAUSE, DIE], headers)) as there:
            with pytest.raises(aiohttp.ClientPayloadError):
                await ask(there.client, there.session.url + PATH, there.session.token, BODY)
            (exchange,) = await there.ends()
            assert (exchange.end.how, exchange.end.status) == ("provider failed", 200)
            assert exchange.end.unmetered
            assert there.store.reply_body(1) == MESSAGE_EVENTS[0]
            # the next one passes
            there.provider.go_on.set()
            assert there.proxy.account.in_flight == 0

    asyncio.run(work())


@pytest.mark.parametrize("last", [DIE, STALL])
def test_an_old_client_sees_a_reset_and_no_orderly_end(last):
    async def work():
        reply = Sends([MESSAGE_EVENTS[0], PAUSE, last], STREAM)
        async with proxied(lambda _: reply, Setup(settings=ONE_S)) as there:
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(there.session))
            writer.write(raw_request(there.session).replace(b"HTTP/1.1", b"HTTP/1.0"))
            with pytest.raises(ConnectionResetError):
                await reader.read()
            assert (await there.ends())[0].end.how == "provider failed"

    asyncio.run(work())


def test_a_provider_that_stalls_is_given_up():
    replies = iter([Sends([MESSAGE_EVENTS[0], STALL], STREAM), Sends([STALL], JSON)])

    async def work():
        async with proxied(lambda _: next(replies), Setup(settings=ONE_S)) as there:
            for _ in range(2):
                with pytest.raises(aiohttp.ClientPayloadError):
                    await ask(there.client, there.session.url + PATH, there.session.token, BODY)
            assert [exchange.end.how for exchange in await there.ends(2)] == ["provider failed"] * 2
            assert there.proxy.account.unmetered == 2
            assert "0.2 s" in there.last().end.why

    asyncio.run(work())


def test_a_provider_that_is_not_there_or_redirects_is_an_error_of_the_server():
    async def work():
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            books = ProxyBooks(MemoryExchanges(), shipped_prices())
            at = f"http://127.0.0.1:{free.getsockname()[1]}"
            async with open_proxy(upstreams_at(at), books) as proxy, aiohttp.ClientSession() as client:
                session = proxy.open_session(SessionTerms("a"))
                came = await ask(client, proxy.url + PATH, session.token, BODY)
                assert came.status == 502
                assert "x-should-retry" not in came.headers
                # nothing of it can have been billed
                assert (proxy.account.unmetered, proxy.account.usd) == (0, 0.0)

        def redirect(arrived):
            there = arrived.path == "/elsewhere"
            return whole(MESSAGE) if there else Sends([], {"location": "/elsewhere"}, 307)

        async with proxied(redirect) as there:
            came = await ask(there.client, there.session.url + PATH, there.session.token, BODY)
            assert came.status == 502
            assert "location" not in came.headers
            assert len(there.provider.arrived) == 1

    asyncio.run(work())


def test_fifty_at_a_time_each_get_their_own_reply_and_are_counted_once():
    n = 50

    def answer(arrived):
        return whole(MESSAGE | {"id": arrived.body.decode()[-60:]})

    async def work():
        async with proxied(answer) as there:
            bodies = [f'{{"model": "claude-haiku-4-5", "n": {k}}}'.encode() for k in range(3 * n)]
            url, token = there.session.url + PATH, there.session.token
            replies = await asyncio.gather(*(ask(there.client, url, token, body) for body in bodies))
            for body, reply in zip(bodies, replies, strict=True):
                assert body[-20:] in reply.body.replace(b'\\"', b'"')
            account = there.proxy.account
            assert (account.calls, account.input_tokens, account.in_flight) == (3 * n, 33 * n, 0)
            assert sorted(exchange.intent.number for exchange in there.store.exchanges()) == list(
                range(1, 3 * n + 1)
            )

    asyncio.run(work())


def test_connections_are_bounded_and_the_others_wait():
    async def work():
        setup = Setup(terms=SessionTerms("few", ProxyLimits(max_connections=3)))
        async with proxied(lambda _: Sends([PAUSE, PAUSE, b"{}"], JSON), setup) as there:
            url, token = there.session.url + PATH, there.session.token
            await asyncio.gather(*(ask(there.client, url, token, BODY) for _ in range(12)))
            assert there.provider.most_in_flight == 3
            assert there.proxy.account.calls == 12

    asyncio.run(work())


@pytest.mark.parametrize("said", ["nothing", "half a head", "half a body", "asks, and never reads the end"])
def test_a_client_that_never_closes_delays_no_one_and_does_not_keep_the_proxy_open(said):
    async def work():
        big = Sends([b"x" * 65536] * 400, JSON)
        async with proxied(lambda _: big, Setup(settings=ONE_S)) as there:
            session = there.session
            texts = {
                "nothing": b"",
                "half a head": raw_request(session)[:40],
                "half a body": raw_request(session, length=100),
                "asks, and never reads the end": raw_request(session),
            }
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(session), limit=2**10)
            writer.transport.pause_reading()
            writer.write(texts[said])
            if said in ("half a body", "asks, and never reads the end"):
                (exchange,) = await there.ends()
                assert exchange.end.how == "client gone"
            other = await ask(there.client, session.url + PATH, session.token, BODY)
            assert other.status == 200
        writer.close()
        assert reader is not None

    async def bounded():
        async with asyncio.timeout(20):
            await work()

    asyncio.run(bounded())


def test_a_session_that_is_closed_ends_its_requests_and_no_other_s():
    async def work():
        async with proxied(lambda _: Sends([MESSAGE_EVENTS[0], STALL, *MESSAGE_EVENTS[1:]], STREAM)) as there:
            other = there.proxy.open_session(SessionTerms("other"))
            asked = [
                asyncio.create_task(ask(there.client, there.session.url + PATH, session.token, BODY))
                for session in (there.session, other)
            ]
            async with asyncio.timeout(10):
                while there.provider.in_flight < 2:
                    await asyncio.sleep(0.002)
            there.session.close()
            with pytest.raises(aiohttp.ClientError):
                await asked[0]
            there.provider.go_on.set()
            assert (await asked[1]).body == b"".join(MESSAGE_EVENTS)
            assert [exchange.end.how for exchange in await there.ends(2)] == ["closed", "answered"]

    asyncio.run(work())


def test_a_proxy_that_is_closed_says_so_of_what_is_in_flight():
    store = MemoryExchanges()

    async def work():
        async with proxied(lambda _: Sends([STALL], JSON), Setup(store=store)) as there:
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(there.session))
            writer.write(raw_request(there.session))
            async with asyncio.timeout(10):
                while not there.provider.in_flight:
                    await asyncio.sleep(0.002)
        async with asyncio.timeout(10):
            assert not (await reader.read()).endswith(b"0\r\n\r\n")
        writer.close()

    asyncio.run(work())
    (exchange,) = store.exchanges()
    assert exchange.end.how == "closed"


@pytest.mark.parametrize("says_so", [True, False])
def test_a_hundred_megabytes_are_refused_in_bounded_memory(says_so):
    size, piece = 100 * 2**20, b"x" * 2**16

    async def work():
        async with proxied(lambda _: whole(MESSAGE)) as there:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

            async def pieces():
                for _ in range(size // len(piece)):
                    yield piece

            headers = {"x-api-key": there.session.token}
            if says_so:
                headers["content-length"] = str(size)
            url = there.session.url + PATH
            # it may still be sending when the connection ends
            with suppress(aiohttp.ClientError):
                async with there.client.post(url, data=pieces(), headers=headers) as reply:
                    assert reply.status == 413
                    assert b"request_too_large" in await reply.read()
            (exchange,) = await there.ends()
            assert (exchange.end.how, exchange.end.status) == ("refused", 413)
            assert not there.provider.arrived
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
            assert grown < 70, f"{grown} MiB"

    asyncio.run(work())


def test_a_large_reply_passes_whole_though_it_is_not_held():
    piece = b"x" * 2**16

    async def work():
        settings = ProxySettings(max_reply_bytes=2**20)
        async with proxied(lambda _: Sends([piece] * 64, JSON), Setup(settings=settings)) as there:
            came = await ask(there.client, there.session.url + PATH, there.session.token, BODY)
            assert len(came.body) == 64 * 2**16
            end = there.last().end
            assert (end.how, end.size, end.is_kept, end.unmetered) == ("answered", 2**22, False, True)
            with pytest.raises(KeyError):
                there.store.reply_body(1)

    asyncio.run(work())


@dataclass
class FullDisk(MemoryExchanges):
    """Fails from the `after`-th write on."""

    after: int = 0
    writes: int = field(default=0)

    def begin(self, intent, body):
        self._write()
        super().begin(intent, body)

    def end(self, end, reply):
        self._write()
        super().end(end, reply)

    def _write(self):
        self.writes += 1
        if self.writes > self.after:
            raise StoreFault("no room")


def test_what_cannot_be_kept_is_not_sent_and_nothing_after_it():
    async def work():
        for after, sent in ((0, 0), (1, 1)):
            async with proxied(lambda _: whole(MESSAGE), Setup(store=FullDisk(after=after))) as there:
                url, token = there.session.url + PATH, there.session.token
                try:
                    came = await ask(there.client, url, token, BODY)
                    assert (came.status, after) == (400, 0)
                    assert b"no room" in came.body
                except aiohttp.ClientError:
                    assert after == 1  # a reply that is not kept is not given, either
                assert (await ask(there.client, url, token, BODY)).status == 400
                assert len(there.provider.arrived) == sent
                assert there.proxy.halted == "no room"

    asyncio.run(work())


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked():
    async def work():
        async with proxied(lambda _: whole(MESSAGE)) as there:
            headers = {"x-api-key": there.session.token}
            url = there.session.url + PATH
            async with there.client.post(url, data=BODY, headers=headers, expect100=True) as reply:
                assert reply.status == 200
            assert "expect" not in there.provider.arrived[0].headers

    asyncio.run(work())


def test_a_port_that_is_taken_is_one_line():
    async def work():
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(SpecFault, match=f"port {port} "):
                async with open_proxy(
                    upstreams_at("http://127.0.0.1:1"),
                    ProxyBooks(MemoryExchanges(), shipped_prices()),
                    port=port,
                ):
                    pass

    asyncio.run(work())
