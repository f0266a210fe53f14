"""The providers' own libraries, through the proxy: the same answers, counts and tries as without it."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from memtrial.models.client.prices import shipped_prices
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Script, scripted_server
from memtrial.proxy.exchange_store import MemoryExchanges
from memtrial.proxy.loopback_proxy import ProxyBooks, open_proxy
from memtrial.proxy.proxy_account import ProxyLimits
from memtrial.proxy.proxy_session import SessionTerms
from tests.support.proxied import proxied, upstreams_at
from tests.support.raw_provider import MESSAGE_EVENTS, RESPONSE_EVENTS, STREAM, Sends, chat_events

TALK = [{"role": "user", "content": "Task: a\n\nObservation: b"}]
HAIKU, MINI = "claude-haiku-4-5", "gpt-5-mini"


@asynccontextmanager
async def scripted(faults=(), limits=None):
    """The scripted server, a proxy before it, and a session."""
    script = Script(answers_from("simulated/reader"), tuple(faults))
    async with scripted_server(script) as server:
        books = ProxyBooks(MemoryExchanges(), shipped_prices(), limits or ProxyLimits())
        async with open_proxy(upstreams_at(server.url), books) as proxy:
            yield server, proxy, proxy.open_session(SessionTerms("sdk"))


async def talk_to_anthropic(url, key):
    import anthropic

    async with anthropic.AsyncAnthropic(base_url=url, api_key=key) as client:
        reply = await client.messages.create(model=HAIKU, max_tokens=50, messages=TALK)
        return reply.model_dump(exclude={"id"}), reply.usage.input_tokens, reply.usage.output_tokens


async def talk_to_chat(url, key):
    import openai

    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client:
        reply = await client.chat.completions.create(model=MINI, messages=TALK)
        return reply.model_dump(exclude={"id"}), reply.usage.prompt_tokens, reply.usage.completion_tokens


async def talk_to_responses(url, key):
    import openai

    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client:
        reply = await client.responses.create(model=MINI, input=TALK[0]["content"])
        return reply.model_dump(exclude={"id"}), reply.usage.input_tokens, reply.usage.output_tokens


async def embed(url, key):
    import openai

    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client:
        reply = await client.embeddings.create(
            model="text-embedding-3-small", input=["a long text"], encoding_format="float"
        )
        return reply.model_dump(), reply.usage.prompt_tokens, 0


CLIENTS = {
    "anthropic": talk_to_anthropic,
    "chat": talk_to_chat,
    "responses": talk_to_responses,
    "embeddings": embed,
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_library_gets_the_same_answer_and_the_same_counts(name):
    async def work():
        async with scripted() as (server, proxy, session):
            bare = await CLIENTS[name](server.url, "dummy")
            through = await CLIENTS[name](session.url, session.token)
            assert through == bare
            account = proxy.account
            assert (account.calls, account.input_tokens, account.output_tokens) == (1, *bare[1:])
            assert account.unmetered == 0
            assert server.requests == 2

    asyncio.run(work())


def test_streams_of_the_libraries_are_the_same_events():
    import anthropic
    import openai

    async def work():
        async with proxied(lambda _: Sends(MESSAGE_EVENTS, STREAM)) as there:
            for url, key in ((there.provider.url, "a"), (there.session.url, there.session.token)):
                async with anthropic.AsyncAnthropic(base_url=url, api_key=key) as client:
                    stream = client.messages.stream(model=HAIKU, max_tokens=50, messages=TALK)
                    async with stream as events:
                        last = await events.get_final_message()
                    assert last.usage.output_tokens == 42
                    assert last.content[0].input == {"command": 'echo "usage": {é'}
            assert there.proxy.account.output_tokens == 42
        async with proxied(lambda _: Sends(chat_events(True), STREAM)) as there:
            async with openai.AsyncOpenAI(
                base_url=there.session.openai_url, api_key=there.session.token
            ) as own:
                stream = await own.chat.completions.create(model=MINI, messages=TALK, stream=True)
                chunks = [chunk async for chunk in stream]
            assert "".join(chunk.choices[0].delta.content for chunk in chunks[:-1]) == "hello"
            assert there.proxy.account.output_tokens == chunks[-1].usage.completion_tokens == 3
        async with proxied(lambda _: Sends(RESPONSE_EVENTS, STREAM)) as there:
            async with openai.AsyncOpenAI(
                base_url=there.session.openai_url, api_key=there.session.token
            ) as own:
                stream = await own.responses.create(model=MINI, input="a", stream=True)
                kinds = [event.type async for event in stream]
            assert kinds[-1] == "response.completed"
            assert there.proxy.account.input_tokens == 11

    asyncio.run(work())


def test_a_library_does_not_send_again_what_a_limit_refuses():
    import anthropic
    import openai

    async def work():
        async with scripted(limits=ProxyLimits(max_calls=0)) as (server, proxy, session):
            with pytest.raises(anthropic.BadRequestError, match="max_calls 0 is reached"):
                await talk_to_anthropic(session.url, session.token)
            for talk in (talk_to_chat, talk_to_responses, embed):
                with pytest.raises(openai.BadRequestError, match="max_calls 0 is reached"):
                    await talk(session.url, session.token)
            for talk, fault in (
                (talk_to_anthropic, anthropic.AuthenticationError),
                (talk_to_chat, openai.AuthenticationError),
            ):
                with pytest.raises(fault, match="token of an open session"):
                    await talk(session.url, "wrong")
            assert (proxy.account.refused, proxy.strangers) == (4, 2)
            assert server.requests == 0

    asyncio.run(work())


def test_errors_of_the_provider_pass_and_the_libraries_try_again_as_they_would():
    faults = [
        ScriptedFault("503", at=(1,), retry_after_s=0.01),
        ScriptedFault("429", at=(2,), retry_after_s=0.01),
    ]

    async def work():
        async with scripted(faults) as (server, proxy, session):
            _, _, output_tokens = await talk_to_anthropic(session.url, session.token)
            assert server.requests == 3
            account = proxy.account
            assert (account.calls, account.output_tokens, account.unmetered) == (3, output_tokens, 0)

    asyncio.run(work())


@pytest.mark.parametrize("kind", ["reset", "cut-off body", "malformed JSON"])
def test_a_broken_provider_is_tried_again_through_the_proxy_as_without_it(kind):
    import anthropic

    async def work():
        async with scripted([ScriptedFault(kind, at=(1,))]) as (server, proxy, session):
            async with anthropic.AsyncAnthropic(base_url=session.url, api_key=session.token) as client:
                if kind == "malformed JSON":
                    with pytest.raises(json.JSONDecodeError):
                        await client.messages.create(model=HAIKU, max_tokens=50, messages=TALK)
                else:
                    await client.messages.create(model=HAIKU, max_tokens=50, messages=TALK)
                    assert server.requests == 2
            assert proxy.account.unmetered == 1

    asyncio.run(work())
