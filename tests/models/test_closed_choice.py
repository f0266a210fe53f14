"""The closed list as each server takes it: what is sent, that nothing else comes out, and the shares."""

import asyncio
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.limits import RetryPolicy
from memtrial.models.client.transport import Transport
from memtrial.models.client.types import Message, ProviderFault, Reply, Request
from memtrial.models.providers.choice_paths import MOST_SCORED, PathToken, spread_shares
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Script, scripted_server
from memtrial.models.wire.closed_choice import (
    find_closed_list,
    read_choice,
    write_choice,
    write_grammar,
    write_schema,
)
from tests.support.said_lines import Line, Lines
from tests.support.stub_provider import Heard, Said, openai_reply, provider

DIALECTS = ("openai/m", "anthropic/m", "llama.cpp/m", "vllm/m", "gemini/m")
THREE = DIALECTS[:3]
ACTIONS = ("pull the brass lever", "turn the iron valve", "pull the iron lever")
TALK = (
    Message("system", "You run machines. Name one action of the list, word for word, and nothing else."),
    Message("user", f"Task: start it.\n\nObservation: The lamp glows.\nActions: {' | '.join(ACTIONS)}"),
)


def keys_for(url: str) -> Keys:
    names = ("OPENAI", "LLAMA_CPP", "VLLM", "GEMINI")
    addresses = {f"{name}_BASE_URL": f"{url}/v1" for name in names} | {"ANTHROPIC_BASE_URL": url}
    return Keys(addresses | {f"{name}_API_KEY": "k" for name in (*names, "ANTHROPIC")})


def asked_of(model: str, **more) -> Request:
    return replace(Request(model, TALK, 0.0, choices=ACTIONS), **more)


async def _send(url: str, *requests: Request) -> list[Reply]:
    transport = Transport(RetryPolicy(attempts=2, first_wait_s=0.001))
    model_client = ModelClient(
        CallCache(MemoryCallStore()), lambda model: open_backend(model, keys_for(url)), transport
    )
    try:
        return [await model_client.ask(request, 0) for request in requests]
    finally:
        await model_client.close()


def ask_scripted(script: Script, *requests: Request) -> list[Reply]:
    async def talk() -> list[Reply]:
        async with scripted_server(script) as server:
            return await _send(server.url, *requests)

    return asyncio.run(talk())


@pytest.mark.parametrize("model", THREE)
def test_a_participant_behind_each_server_answers_by_a_choice(model: str) -> None:
    readers = Script(answers_from("simulated/reader"))
    replies = ask_scripted(readers, asked_of(model), asked_of(model, choices=ACTIONS[1:2]))
    assert replies[0].text in ACTIONS
    assert replies[1].text == ACTIONS[1]
    assert all(reply.verbatim and reply.shares == () for reply in replies)


@pytest.mark.parametrize("model", THREE)
@pytest.mark.parametrize("said", ["open the hatch", "pull the brass lever.", "", '{"choice": "open it"}'])
def test_an_action_that_is_not_listed_cannot_come_out(model: str, said: str) -> None:
    with pytest.raises(ProviderFault, match="none of the 3 choices"):
        ask_scripted(Script(Lines((Line("", ScriptedAnswer(said)),))), asked_of(model))


def heard_of(model: str, body: object) -> Heard:
    with provider(lambda _: Said(body)) as stub, pytest.raises(ProviderFault):
        asyncio.run(_send(stub.url, asked_of(model)))
    return stub.heard[0]


def test_each_server_is_told_in_its_own_words() -> None:
    schema = write_schema(ACTIONS)
    sent = {model: heard_of(model, {}).body for model in DIALECTS}
    for model in ("openai/m", "vllm/m"):
        told = {"name": "choice", "schema": schema, "strict": True}
        assert sent[model]["response_format"] == {"type": "json_schema", "json_schema": told}
    assert sent["anthropic/m"]["output_config"] == {"format": {"type": "json_schema", "schema": schema}}
    assert sent["llama.cpp/m"]["grammar"] == write_grammar(ACTIONS)
    assert "response_format" not in sent["llama.cpp/m"]
    assert sent["gemini/m"]["generationConfig"]["responseMimeType"] == "application/json"
    assert sent["gemini/m"]["generationConfig"]["responseJsonSchema"] == schema
    assert not any("logprobs" in body for body in sent.values())


def test_gemini_answers_by_the_schema() -> None:
    parts = {"parts": [{"text": write_choice(ACTIONS[2])}], "role": "model"}
    usage = {"promptTokenCount": 4, "candidatesTokenCount": 2, "totalTokenCount": 6}
    body = {"candidates": [{"content": parts, "finishReason": "STOP"}], "modelVersion": "g"}
    with provider(lambda _: Said(body | {"usageMetadata": usage})) as stub:
        (reply,) = asyncio.run(_send(stub.url, asked_of("gemini/m")))
    assert reply.text == ACTIONS[2]


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=5, unique=True))
def test_what_is_written_for_a_server_is_read_back(choices: list[str]) -> None:
    grammar, schema = write_grammar(choices), write_schema(choices)
    assert not any(ord(letter) < 32 for letter in grammar)
    formats = (
        {"grammar": grammar},
        {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}},
        {"output_config": {"format": {"type": "json_schema", "schema": schema}}},
    )
    for settings in formats:
        found = find_closed_list(settings)
        assert found is not None
        assert found.choices == tuple(choices)
    assert [read_choice(write_choice(choice)) for choice in choices] == choices


def test_other_schemas_and_grammars_are_no_closed_list() -> None:
    wider = write_schema(ACTIONS) | {"additionalProperties": True}
    for settings in (
        {},
        {"grammar": 'root ::= "a" other'},
        {"grammar": "other"},
        {"response_format": {"type": "json_object"}},
        {"output_config": {"format": {"type": "json_schema", "schema": wider}}},
    ):
        assert find_closed_list(settings) is None
    for text in ("turn", '{"choice": 3}', "[]", "{", "[" * 100_000):
        assert read_choice(text) == text


def forced(body: dict) -> list[tuple[str, float]]:
    """The tokens of the one choice that is forced, and how likely each was; below `pull` there is a fork."""
    likely = {
        "pull": 0.03,
        "turn": 0.01,
        " the brass lever": 0.2,
        " the iron lever": 0.6,
        " the iron valve": 0.1,
    }
    (choice,) = find_closed_list(body).choices
    first, rest = choice[:4], choice[4:]
    return [(first, likely[first]), (rest, likely[rest]), ("", 1e-4)]


def llama(request: Heard) -> Said:
    """llama.cpp's server: what is forced comes back with the probability that it had before."""
    if not request.body.get("logprobs"):
        return Said(openai_reply(ACTIONS[1]))
    tokens = forced(request.body)
    content = [{"token": text, "logprob": math.log(share)} for text, share in tokens]
    text = "".join(text for text, _ in tokens)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": {"content": content}}
    return Said(openai_reply(choices=[choice]))


def test_a_scored_request_gives_the_share_of_each_choice_and_the_reply_as_if_unscored() -> None:
    with provider(llama) as stub:
        (reply,) = asyncio.run(_send(stub.url, asked_of("llama.cpp/m", scored=True, temperature=0.7)))
    assert reply.text == ACTIONS[1]
    assert reply.shares == pytest.approx([0.75 * 0.25, 0.25, 0.75 * 0.75])
    assert math.fsum(reply.shares) == pytest.approx(1)
    *scoring, last = [heard.body for heard in stub.heard]
    assert [find_closed_list(body).choices for body in scoring] == [(action,) for action in ACTIONS]
    assert [body.get("cache_prompt") for body in scoring] == [False, None, None]
    assert [body["temperature"] for body in (*scoring, last)] == [0, 0, 0, 0.7]
    assert (last["grammar"], "logprobs" in last) == (write_grammar(ACTIONS), False)
    single = openai_reply("x")["usage"]
    assert reply.input_tokens == 4 * single["prompt_tokens"]


def test_where_a_server_tells_none_there_are_no_shares() -> None:
    def mute(request: Heard) -> Said:
        return Said(openai_reply(find_closed_list(request.body).choices[-1]))

    with provider(mute) as stub:
        (reply,) = asyncio.run(_send(stub.url, asked_of("llama.cpp/m", scored=True)))
    assert (reply.text, reply.shares) == (ACTIONS[-1], ())
    many = tuple(f"go {number}" for number in range(MOST_SCORED + 1))
    with provider(mute) as stub:
        (reply,) = asyncio.run(_send(stub.url, asked_of("llama.cpp/m", scored=True, choices=many)))
    assert (reply.text, reply.shares, len(stub.heard)) == (many[-1], (), 1)


def test_log_probabilities_that_are_none_are_a_malformed_reply() -> None:
    def broken(request: Heard) -> Said:
        said = llama(request)
        said.body["choices"][0]["logprobs"]["content"][0]["logprob"] = 0.5
        return said

    with provider(broken) as stub, pytest.raises(ProviderFault, match="at most 0"):
        asyncio.run(_send(stub.url, asked_of("llama.cpp/m", scored=True)))


def path(*steps: tuple[str, float]) -> tuple[PathToken, ...]:
    return tuple(PathToken(token, math.log(share)) for token, share in steps)


def test_shares_are_of_the_forks_alone() -> None:
    """What is forced anyway weighs nothing: neither a long text nor an unlikely end is held against it."""
    long = path(("a", 0.2), *((str(number), 1e-3) for number in range(200)))
    assert spread_shares([long, path(("b", 0.6))]) == pytest.approx([0.25, 0.75])
    # the shorter text ends where the longer one goes on
    ends = [path(("go", 0.5), ("", 0.3)), path(("go", 0.5), (" north", 0.1), ("", 1e-6))]
    assert spread_shares(ends) == pytest.approx([0.75, 0.25])
    assert spread_shares([path(("go", 0.5))]) == (1.0,)


def test_paths_whose_ends_are_not_known_have_no_shares() -> None:
    north = path(("go", 0.5), (" north", 0.1))
    for paths in ([path(("go", 0.5)), north], [north, ()], [north, north]):
        assert spread_shares(paths) == ()


def test_the_scripted_server_tells_how_often_its_participant_would_say_each() -> None:
    notes = "\n\nNotes from earlier tasks:\n\n# Lamp\nWhen the lamp glows, turn the iron valve."
    shown = (replace(TALK[0], content=TALK[0].text + notes), TALK[1])
    asked = [asked_of("llama.cpp/m", scored=True, messages=messages) for messages in (TALK, shown)]
    without, advised = ask_scripted(Script(answers_from("simulated/reader")), *asked)
    assert advised.text == ACTIONS[1]
    assert advised.shares[1] > 0.99
    assert 0.1 < without.shares[1] < 0.6
    assert math.fsum(without.shares) == pytest.approx(1)
