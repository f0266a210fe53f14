"""What a session and a proxy may use: beyond it nothing is sent, and the client is told so that it stops."""

import asyncio
import json

import pytest

from memtrial.proxy.proxy_account import ProxyLimits
from memtrial.proxy.proxy_session import SessionTerms
from tests.support.proxied import Setup, ask, proxied
from tests.support.raw_provider import CHAT, MESSAGE, STALL, Sends, whole

BODY = b'{"model": "claude-haiku-4-5"}'
COST = 11 * 1.0 + 3 * 5.0 + 5 * 0.1 + 2 * 1.25
"""Of one reply, in millionths of a dollar, by the table that ships."""


def limited(whose, limits):
    return Setup(limits=limits) if whose == "run" else Setup(terms=SessionTerms("first", limits))


@pytest.mark.parametrize("whose", ["run", "session"])
@pytest.mark.parametrize(
    ("limits", "passes", "word"),
    [
        (ProxyLimits(max_calls=2), 2, "max_calls 2"),
        (ProxyLimits(max_calls=0), 0, "max_calls 0"),
        (ProxyLimits(max_usd=2.5 * COST / 1e6), 3, "budget of $"),
        (ProxyLimits(max_usd=0.0), 0, "budget of $0"),
    ],
)
def test_what_goes_beyond_a_limit_is_refused_before_it_is_sent(whose, limits, passes, word):
    async def work():
        async with proxied(lambda _: whole(MESSAGE), limited(whose, limits)) as there:
            other = there.proxy.open_session(SessionTerms("second"))
            url = there.session.url + "/v1/messages"
            statuses = []
            for _ in range(5):
                came = await ask(there.client, url, there.session.token, BODY)
                statuses.append(came.status)
            assert statuses == [200] * passes + [400] * (5 - passes)
            error = json.loads(came.body)
            assert error["error"]["type"] == "invalid_request_error"
            assert word in error["error"]["message"]
            assert ("the session's" in error["error"]["message"]) == (whose == "session")
            assert came.headers["x-should-retry"] == "false"
            assert len(there.provider.arrived) == passes
            account = there.session.account
            assert (account.calls, account.refused) == (passes, 5 - passes)
            assert account.usd == pytest.approx(passes * COST / 1e6)
            # kept, and said why
            assert there.last().end.how == "refused"
            assert word in there.last().end.why
            # what costs nothing goes on; another session only where the limit is not the run's
            assert (await ask(there.client, f"{url}/count_tokens", there.session.token)).status == 200
            assert (await ask(there.client, url, other.token, BODY)).status == (
                400 if whose == "run" else 200
            )

    asyncio.run(work())


def test_calls_in_flight_count_at_the_mean_cost_so_far():
    replies = iter([whole(MESSAGE), Sends([STALL, b"{}"]), whole(MESSAGE)])

    async def work():
        setup = Setup(limits=ProxyLimits(max_usd=1.9 * COST / 1e6))
        async with proxied(lambda _: next(replies), setup) as there:
            url, token = there.session.url + "/v1/messages", there.session.token
            await ask(there.client, url, token, BODY)
            slow = asyncio.create_task(ask(there.client, url, token, BODY))
            async with asyncio.timeout(10):
                while not there.provider.in_flight:
                    await asyncio.sleep(0.002)
            assert b"in flight" in (await ask(there.client, url, token, BODY)).body
            there.provider.go_on.set()
            await slow
            assert (await ask(there.client, url, token, BODY)).status == 200

    asyncio.run(work())


@pytest.mark.parametrize(
    ("path", "body", "word"),
    [
        ("/v1/messages", {"model": "nobody-knows"}, "no price of anthropic/nobody-knows"),
        ("/v1/messages", {}, "no model"),
        ("/v1/messages", [], "no model"),
        ("/v1/chat/completions", {"model": "gpt-5-mini", "stream": True}, "include_usage"),
        ("/v1/responses", {"model": "gpt-5-mini", "background": True}, "background"),
    ],
)
def test_a_call_whose_cost_could_not_be_known_is_refused_where_dollars_are_limited(path, body, word):
    raw = json.dumps(body).encode()

    async def work():
        for limits, passes in ((ProxyLimits(max_usd=1.0), False), (ProxyLimits(max_calls=9), True)):
            async with proxied(lambda _: whole(CHAT), Setup(limits=limits)) as there:
                came = await ask(there.client, there.session.url + path, there.session.token, raw)
                assert (came.status == 200) == passes
                assert passes or word in json.loads(came.body)["error"]["message"]

    asyncio.run(work())


def test_a_stream_that_says_its_usage_is_let_through():
    options = {"stream": True, "stream_options": {"include_usage": True}}

    async def work():
        async with proxied(lambda _: whole(CHAT), Setup(limits=ProxyLimits(max_usd=1.0))) as there:
            raw = json.dumps({"model": "gpt-5-mini", **options}).encode()
            url = there.session.url + "/v1/chat/completions"
            assert (await ask(there.client, url, there.session.token, raw)).status == 200

    asyncio.run(work())


def test_two_sessions_have_two_names():
    async def work():
        async with proxied(lambda _: whole(MESSAGE)) as there:
            with pytest.raises(ValueError, match="'first'"):
                there.proxy.open_session(SessionTerms("first"))

    asyncio.run(work())


def test_nothing_passes_after_a_halt():
    async def work():
        async with proxied(lambda _: whole(MESSAGE)) as there:
            there.proxy.halt("interrupted")
            came = await ask(there.client, there.session.url + "/v1/messages", there.session.token, BODY)
            assert (came.status, b"interrupted" in came.body) == (400, True)
            assert not there.provider.arrived

    asyncio.run(work())
