"""Faults by script: what the real SDKs make of each, and which requests an entry strikes."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.models.client.types import Request
from memtrial.models.scripted.fault_script import KINDS, STATUSES, Faults, ScriptedFault, read_faults
from memtrial.models.scripted.protocol import Channel, ScriptedAnswer, ScriptFault
from memtrial.models.scripted.scripted_server import Script, scripted_server
from tests.support.said_lines import Line, Lines

TEXT = "Thought: I look around.\nAction: go on"
SAYS = Lines((Line("", ScriptedAnswer(TEXT)),))
ANTHROPIC_ERRORS = {
    "400": ("BadRequestError", 400),
    "401": ("AuthenticationError", 401),
    "403": ("PermissionDeniedError", 403),
    "404": ("NotFoundError", 404),
    "413": ("ContentTooLargeError", 413),
    "429": ("RateLimitError", 429),
    "no credit": ("PaymentRequiredError", 402),
    "500": ("InternalServerError", 500),
    "503": ("ServiceUnavailableError", 503),
    "529": ("OverloadedError", 529),
}
OPENAI_ERRORS = {
    "400": ("BadRequestError", 400, None),
    "401": ("AuthenticationError", 401, None),
    "403": ("PermissionDeniedError", 403, None),
    "404": ("NotFoundError", 404, None),
    "413": ("APIStatusError", 413, None),
    "429": ("RateLimitError", 429, None),
    "no credit": ("RateLimitError", 429, "insufficient_quota"),
    "500": ("InternalServerError", 500, None),
    "503": ("InternalServerError", 503, None),
    "529": ("InternalServerError", 529, None),
}


async def ask_claude(server, timeout_s=60.0, text="hello"):
    import anthropic

    messages = [{"role": "user", "content": text}]
    async with anthropic.AsyncAnthropic(
        base_url=server.url, api_key="k", max_retries=0, timeout=timeout_s
    ) as client:
        return await client.messages.create(
            model="claude-x", max_tokens=50, system="Be brief.", messages=messages
        )


async def ask_gpt(server, timeout_s=60.0):
    import openai

    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}]
    async with openai.AsyncOpenAI(
        base_url=server.openai_url, api_key="k", max_retries=0, timeout=timeout_s
    ) as client:
        return await client.chat.completions.create(model="gpt-x", messages=messages)


def both(fault, timeout_s=60.0):
    """What two SDKs say when a fault strikes both; and the counts."""

    async def within():
        async with scripted_server(Script(SAYS, (fault,), echo=True)) as server:
            said: list[Any] = []
            for ask in (ask_claude, ask_gpt):
                # whatever the SDK raises is what is looked at
                said += await asyncio.gather(ask(server, timeout_s), return_exceptions=True)
            return *said, server.counts()

    return asyncio.run(within())


@pytest.mark.parametrize(
    ("kind", "wait_s"), list(zip(STATUSES, (None, 0.25, 7, None, 1, 0, None, 0.5, 2, 30), strict=True))
)
def test_an_error_by_status_is_the_sdks_own(kind, wait_s):
    claude, gpt, counts = both(ScriptedFault(kind, retry_after_s=wait_s))
    assert (type(claude).__name__, claude.status_code) == ANTHROPIC_ERRORS[kind]
    assert claude.request_id == "req_scripted_000001"
    name, status, code = OPENAI_ERRORS[kind]
    assert (type(gpt).__name__, gpt.status_code, gpt.code) == (name, status, code)
    assert gpt.request_id == "req_scripted_000002"
    for one in (claude, gpt):
        assert one.response.headers.get("retry-after") == (None if wait_s is None else f"{wait_s:g}")
    assert (counts["faults"], counts["answered"]) == ({kind: 2}, 0)


@pytest.mark.parametrize(
    ("kind", "name", "cause"),
    [
        ("time-out", "APITimeoutError", "ReadTimeout"),
        ("reset", "APIConnectionError", "ReadError"),
        ("cut-off body", "APIConnectionError", "RemoteProtocolError"),
        ("malformed JSON", "JSONDecodeError", None),
    ],
)
def test_a_broken_answer_is_an_error_of_the_sdk_and_no_answer(kind, name, cause):
    claude, gpt, counts = both(ScriptedFault(kind), 0.3 if kind == "time-out" else 60.0)
    for one in (claude, gpt):
        assert type(one).__name__ == name
        assert cause is None or type(one.__cause__).__name__ == cause
    assert (counts["faults"], counts["answered"]) == ({kind: 2}, 0)


def test_a_server_that_goes_down_lets_those_go_that_wait():
    import anthropic

    async def within():
        async with scripted_server(Script(SAYS, (ScriptedFault("time-out"),))) as server:
            waiting = asyncio.create_task(ask_claude(server, 60))
            while not server.counts()["in_flight"]:
                await asyncio.sleep(0.01)
        with pytest.raises(anthropic.APIConnectionError):
            await waiting

    asyncio.run(asyncio.wait_for(within(), 10))


def test_a_slow_drip_arrives_whole_byte_by_byte_and_late():
    async def within():
        body = json.dumps({"model": "m", "max_tokens": 50, "messages": [{"role": "user", "content": "x"}]})
        head = f"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        loop = asyncio.get_running_loop()
        async with scripted_server(Script(SAYS, (ScriptedFault("slow drip", lasts_s=0.5),))) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
            start = loop.time()
            writer.write((head + body).encode())
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().partition(b"content-length: ")[2].split()[0])
            chunks = []
            while sum(map(len, chunks)) < length:
                chunks.append(await reader.read(65536))
            took_s = loop.time() - start
            writer.close()
            return chunks, took_s, server.counts()

    chunks, took_s, counts = asyncio.run(within())
    assert json.loads(b"".join(chunks))["content"][0]["text"] == TEXT
    assert len(chunks) > 5
    assert took_s >= 0.5
    assert counts["answered"] == 1


def test_answers_that_are_not_what_they_should_be_are_answers():
    claude, gpt, counts = both(ScriptedFault("empty content"))
    assert (claude.content, claude.stop_reason) == ([], "end_turn")
    assert (gpt.choices[0].message.content, gpt.choices[0].finish_reason) == ("", "stop")
    assert counts["answered"] == 2
    claude, gpt, counts = both(ScriptedFault("refusal"))
    assert (claude.content, claude.stop_reason) == ([], "refusal")
    assert gpt.choices[0].message.content is None
    assert gpt.choices[0].message.refusal
    assert counts["answered"] == 2
    claude, gpt, counts = both(ScriptedFault("wrong model"))
    assert (claude.model, gpt.model) == ("some-other-model",) * 2
    assert counts["answered"] == 2


def test_a_gateway_that_drops_the_system_prompt_shows_it_in_the_echo():
    claude, gpt, _ = both(ScriptedFault("drop system"))
    assert "system" not in claude.model_extra["request"]
    assert claude.model_extra["request"]["messages"] == [{"role": "user", "content": "hello"}]
    assert gpt.model_extra["request"]["messages"] == [{"role": "user", "content": "hello"}]
    assert claude.usage.input_tokens == len("hello") // 4


class Repeats:
    """Says which repeat it was asked for."""

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        return ScriptedAnswer(str(repeat))


@pytest.mark.parametrize("kind", ["429", "reset", "cut-off body", "malformed JSON"])
def test_an_answer_that_never_arrived_is_no_repeat(kind):
    async def within():
        async with scripted_server(Script(Repeats(), (ScriptedFault(kind, at=(1, 3)),))) as server:
            for _ in range(4):
                for one in await asyncio.gather(ask_claude(server), return_exceptions=True):
                    yield one if isinstance(one, Exception) else one.content[0].text

    async def listed():
        return [one async for one in within()]

    first, second, third, fourth = asyncio.run(listed())
    assert isinstance(first, Exception)
    assert isinstance(third, Exception)
    assert (second, fourth) == ("0", "1")


def test_match_picks_by_text():
    async def within():
        faults = (ScriptedFault("429", match="please"),)
        async with scripted_server(Script(SAYS, faults)) as server:
            said = []
            for make in (ask_claude(server), ask_gpt(server), ask_claude(server, text="if you please")):
                said += await asyncio.gather(make, return_exceptions=True)
            return [type(one).__name__ for one in said]

    assert asyncio.run(within()) == ["Message", "ChatCompletion", "RateLimitError"]


def struck(entries, n=60, channel: Channel = "messages", texts=("a", "b")):
    faults = Faults(tuple(entries))
    return [faults.strike(channel, texts[number % len(texts)]) for number in range(n)]


@given(at=st.sets(st.integers(1, 60), min_size=1), every=st.integers(1, 60))
def test_at_and_every_count_from_one(at, every):
    assert [n for n, one in enumerate(struck([ScriptedFault("429", at=tuple(at))]), 1) if one] == sorted(at)
    assert [n for n, one in enumerate(struck([ScriptedFault("429", every=every)]), 1) if one] == list(
        range(every, 61, every)
    )
    by_text = struck([ScriptedFault("429", match="b", at=(2,))])
    assert [n for n, one in enumerate(by_text, 1) if one] == [4]


def test_the_first_entry_that_strikes_wins_and_the_others_count_on():
    found = struck([ScriptedFault("429", at=(2,)), ScriptedFault("500", every=2)], n=6)
    assert [one.kind if one else "" for one in found] == ["", "429", "", "500", "", "500"]


def test_every_kind_is_read_from_a_file_and_strikes_where_it_makes_sense(tmp_path):
    path = tmp_path / "faults.json"
    path.write_text(json.dumps([{"fault": kind} for kind in KINDS]))
    entries = read_faults(path)
    assert entries == tuple(map(ScriptedFault, KINDS))
    spared = {"refusal", "drop system", "large reply"}
    for entry in entries:
        assert struck([entry], n=1, channel="chat") == struck([entry], n=1) == [entry]
        assert bool(struck([entry], n=1, channel="embeddings")[0]) is (entry.kind not in spared)


def test_a_file_may_be_yaml_with_every_key(tmp_path):
    path = tmp_path / "faults.yaml"
    path.write_text(
        "- {fault: 429, at: [3], retry_after_s: 0.5}\n"
        "- {fault: slow drip, match: door, lasts_s: 2}\n"
        "- {fault: large reply, every: 4, size: 9}\n"
        "- fault: reset\n"
    )
    assert read_faults(path) == (
        ScriptedFault("429", at=(3,), retry_after_s=0.5),
        ScriptedFault("slow drip", match="door", lasts_s=2),
        ScriptedFault("large reply", every=4, size=9),
        ScriptedFault("reset"),
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "got None"),
        ("{fault: 429}", "valid list"),
        ("[3]", "entry 0"),
        ("[{fault: 429}, {fault: 418}]", "entry 1.*418"),
        ("[{at: [1]}]", "fault: Field required"),
        ("[{fault: 429, when: 3}]", "when"),
        ("[{fault: 429, at: [0]}]", "greater than or equal to 1; got 0"),
        ("[{fault: 429, at: []}]", "at least 1 item"),
        ("[{fault: 429, every: 1.5}]", "every.*valid integer"),
        ("[{fault: 429, retry_after_s: .nan}]", "retry_after_s"),
        ("[{fault: slow drip, lasts_s: -1}]", "lasts_s"),
        ("[{fault: refusal", "neither"),
        ("\x00", "neither"),
    ],
)
def test_a_wrong_file_is_one_clear_line(text, word, tmp_path):
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    with pytest.raises(ScriptFault, match=word) as said:
        read_faults(path)
    assert "\n" not in str(said.value)
    assert str(path) in str(said.value)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path):
    path = tmp_path / "faults.yaml"
    with pytest.raises(ScriptFault, match="No such file"):
        read_faults(path)
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ScriptFault, match="utf-8"):
        read_faults(path)
    with pytest.raises(ScriptFault, match="plain file"):
        read_faults(tmp_path)
