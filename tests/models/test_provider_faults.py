"""Both SDKs and the scripted server: every fault becomes what the model client expects, one request each."""

import asyncio

import pytest

from memtrial.models.client.keys import Keys
from memtrial.models.client.types import ProviderFault, Reply, Request
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.fault_script import KINDS, ScriptedFault
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Running, Script, serve_script
from tests.support.scripted import request_of

MODELS = ("anthropic/claude-test", "openai/gpt-test")
HEALS = {
    "429": "rate limit",
    "500": "server error",
    "503": "server error",
    "529": "overloaded",
    "reset": "connection",
    "cut-off body": "connection",
    "malformed JSON": "malformed reply",
}
ENDS = {
    "400": "bad request",
    "401": "not permitted",
    "403": "not permitted",
    "404": "not found",
    "413": "bad request",
    "no credit": "not permitted",
    "large reply": "large reply",
}
SLOW = ("time-out", "slow drip")
ANSWERED = {
    "": "end",
    "empty content": "end",
    "refusal": "refusal",
    "wrong model": "end",
    "drop system": "end",
}
SECRET = "sk-test-0123456789"
TALK = request_of("You live in a small house. " * 5, "Task: open the door.\nYou see a door. " * 3).messages


def asked(model: str, fault: ScriptedFault | None, times: int = 1) -> tuple[list[Reply | BaseException], int]:
    script = Script(answers_from("simulated/ignorer"), () if fault is None else (fault,), echo=True)

    async def stop(server: Running, waiting: asyncio.Timeout) -> None:
        """End the wait as soon as the request is with the server, however long that takes."""
        while not server.counts()["requests"]:
            await asyncio.sleep(0.02)
        waiting.reschedule(asyncio.get_running_loop().time() + 0.1)

    async def talk(keys: Keys, server: Running) -> list[Reply | BaseException]:
        backend, found, watching = open_backend(model, keys), [], None
        for number in range(times):
            try:
                async with asyncio.timeout(60) as waiting:
                    late = fault is not None and fault.kind in SLOW and number == 0
                    watching = asyncio.create_task(stop(server, waiting)) if late else None
                    found.append(await backend.answer(Request(model, TALK, None, 200), 0))
            except (ProviderFault, TimeoutError) as raised:
                found.append(raised)
            if watching is not None:
                await watching
        await backend.close()
        return found

    with serve_script(script) as server:
        addresses = {"ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": server.openai_url}
        keys = Keys({**addresses, "ANTHROPIC_API_KEY": SECRET, "OPENAI_API_KEY": SECRET})
        found = asyncio.run(talk(keys, server))
        return found, server.counts()["requests"]


def test_every_kind_the_server_has_is_told_here() -> None:
    assert {*HEALS, *ENDS, *SLOW, *ANSWERED} == {*KINDS, ""}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", [*HEALS, *ENDS])
def test_a_fault_is_told_by_its_kind_and_the_next_request_is_answered(model: str, kind: str) -> None:
    (fault, reply), requests = asked(model, ScriptedFault(kind, at=(1,)), times=2)
    assert isinstance(fault, ProviderFault)
    assert (fault.kind, fault.heals) == ({**HEALS, **ENDS}[kind], kind in HEALS)
    assert isinstance(reply, Reply)
    assert requests == 2, "the server's count is ours"
    assert "\n" not in str(fault)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", SLOW)
def test_who_stops_waiting_gets_a_free_hand_at_once(model: str, kind: str) -> None:
    (fault, reply), requests = asked(model, ScriptedFault(kind, at=(1,)), times=2)
    assert isinstance(fault, TimeoutError)
    assert isinstance(reply, Reply)
    assert requests == 2


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", list(ANSWERED))
def test_an_odd_answer_is_an_answer_and_says_what_is_odd(model: str, kind: str) -> None:
    (reply,), _ = asked(model, ScriptedFault(kind) if kind else None)
    assert isinstance(reply, Reply)
    assert reply.stop == ANSWERED[kind]
    assert reply.verbatim is (kind != "drop system")
    assert bool(reply.text.strip()) is (kind not in ("empty content", "refusal")) or kind == "refusal"
    assert (reply.model == "some-other-model") is (kind == "wrong model")
    assert reply.input_tokens + reply.cache_read_tokens + reply.cache_write_tokens > 0


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["429", "529", "500"])
def test_the_wait_the_provider_asks_for_is_kept(model: str, kind: str) -> None:
    (fault,), _ = asked(model, ScriptedFault(kind, retry_after_s=0.25))
    assert isinstance(fault, ProviderFault)
    assert fault.retry_after_s == 0.25
