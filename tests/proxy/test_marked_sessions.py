"""Sessions that write memory between marks anew: the provider sees the condition, the reply passes."""

import asyncio
import gzip
import json

from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.span_items import SpanItems
from memtrial.proxy.proxy_session import SessionTerms
from memtrial.proxy.span_rewrite import SpanRewrite
from tests.support.proxied import Setup, ask, proxied
from tests.support.raw_provider import MESSAGE_EVENTS, STREAM, Sends


def rewrite(*shown: str) -> SpanRewrite:
    return SpanRewrite(MemoryMarks(), SpanItems(("Press it.",), shown))


def system(text: str) -> bytes:
    return json.dumps({"model": "claude-haiku-4-5", "stream": True, "system": text}).encode()


SENT = system("Notes: [[memory]]Press it.[[/memory]]")


def test_each_session_sees_its_own_condition_and_streams_pass_as_they_come():
    async def work():
        async with proxied(lambda _: Sends(MESSAGE_EVENTS, STREAM)) as there:
            for name, spans in (("a", rewrite("Leave it.")), ("b", rewrite())):
                session = there.proxy.open_session(SessionTerms(name, rewrite=spans))
                for headers, body in (({}, SENT), ({"content-encoding": "gzip"}, gzip.compress(SENT))):
                    came = await ask(there.client, f"{session.url}/v1/messages", session.token, body, headers)
                    assert (came.status, came.body) == (200, b"".join(MESSAGE_EVENTS))
                assert spans.spans == 2
            for request, text in zip(
                there.provider.arrived, ("Notes: Leave it.",) * 2 + ("Notes: ",) * 2, strict=True
            ):
                coded = request.headers.get("content-encoding")
                assert (gzip.decompress(request.body) if coded else request.body) == system(text)
                assert int(request.headers["content-length"]) == len(request.body)
            assert [each.intent.codings for each in there.store.exchanges()] == ["", "gzip"] * 2
            assert all(each.intent.came_as for each in there.store.exchanges())

    asyncio.run(work())


def test_a_request_whose_marks_cannot_be_followed_is_refused_in_a_line_and_never_sent():
    async def work():
        spans = rewrite("Leave it.")
        setup = Setup(terms=SessionTerms("first", rewrite=spans))
        async with proxied(lambda _: Sends(MESSAGE_EVENTS, STREAM), setup) as there:
            url = f"{there.session.url}/v1/messages"
            came = await ask(there.client, url, there.session.token, system("[[memory]]Press it."))
            assert came.status == 400
            assert came.headers["x-should-retry"] == "false"
            assert "[[memory]] in system has no [[/memory]]" in json.loads(came.body)["error"]["message"]
            assert not there.provider.arrived
            assert there.last().end.how == "refused"
            assert len(spans.faults) == there.session.account.refused == 1
            await ask(there.client, url, there.session.token, SENT)
            assert len(there.provider.arrived) == 1

    asyncio.run(work())


def test_a_session_without_marks_passes_them_as_they_are():
    async def work():
        async with proxied(lambda _: Sends(MESSAGE_EVENTS, STREAM)) as there:
            await ask(there.client, f"{there.session.url}/v1/messages", there.session.token, SENT)
            assert there.provider.arrived[0].body == SENT

    asyncio.run(work())
