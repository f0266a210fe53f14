"""A reply that calls a tool: kept, found again and replayed whole, over both stores and both dialects."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.block_text import change_strings, read_blocks, write_blocks
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.content_blocks import ImageBlock, OtherBlock, TextBlock, ToolResult, ToolUse
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import Message, ModelFault, Reply, Request
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.protocols import CallStore
from tests.support.said_lines import Line, Lines
from tests.support.scripted import Scripted
from tests.support.scripted_run import surroundings
from tests.support.stub_provider import Said, anthropic_reply, openai_reply, provider

ARGUMENTS = '{"path":"ä “b” \\\\ 🙂"}'
USES = (TextBlock("I look."), ToolUse("u_1", "read", ARGUMENTS))
ALONE = (ToolUse("u_2", "list", "{}"),)
LINES = Lines(
    (
        Line("And then?", ScriptedAnswer("", "tool use", ALONE)),
        Line("Colour?", ScriptedAnswer("Blue.")),
        Line("", ScriptedAnswer("I look.", "tool use", USES)),
    )
)
TOOLS = {
    "anthropic/claude-x": [{"name": "read", "input_schema": {"type": "object"}}],
    "openai/gpt-x": [{"type": "function", "function": {"name": "read"}}],
}
WIRES = {"anthropic/claude-x": "anthropic_messages", "openai/gpt-x": "openai_chat"}
START = (Message("system", "You read."), Message("user", "Read b."))
STORES = ("a file", "memory")


def asked(model: str, *messages: Message) -> Request:
    """A request that offers a tool, in the words of the provider's format."""
    return Request(
        model, (*START, *messages), settings=json.dumps({"tools": TOOLS[model]}), wire=WIRES[model]
    )


def then(use: ToolUse, said: tuple[object, ...], question: str) -> tuple[Message, Message]:
    """What the model said, and what the tool gave back, with a question."""
    result = ToolResult(use.id, "the “b” is blue")
    return Message("assistant", said), Message("user", (result, TextBlock(question)))  # type: ignore[arg-type]


def ask(store: CallStore, url: str, *requests: Request) -> list[Reply]:
    async def talk() -> list[Reply]:
        client = ModelClient(CallCache(store), lambda model: open_backend(model, Keys(surroundings(url))))
        try:
            return [await client.ask(request, 0) for request in requests]
        finally:
            client.cache.flush()
            await client.close()

    return asyncio.run(talk())


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CallStore]:
    if request.param == "memory":
        yield MemoryCallStore()
    else:
        with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
            yield ledger.calls


@pytest.mark.parametrize("model", TOOLS)
def test_a_reply_that_calls_a_tool_is_kept_and_found_whole(store: CallStore, model: str) -> None:
    first = asked(model)
    with serve_script(Script(LINES, echo=True)) as server:
        (reply,) = ask(store, server.url, first)
        again, more = then(USES[1], reply.blocks, "Colour?")
        alone = asked(model, *then(USES[1], reply.blocks, "And then?"))
        answer, bare = ask(store, server.url, asked(model, again, more), alone)
        # the tool, what was called and what it gave back stood in what was sent
        assert (reply.verbatim, answer.verbatim, bare.verbatim) == (True, True, True)
        paid = server.counts()["requests"]
    assert (reply.text, reply.stop, reply.cached) == ("I look.", "tool use", False)
    assert reply.blocks == USES
    assert (answer.text, answer.stop, answer.blocks) == ("Blue.", "end", ())
    assert (bare.text, bare.stop, bare.blocks) == ("", "tool use", ALONE)
    # another session, and nobody to ask
    found = ask(store, "http://127.0.0.1:1", first, asked(model, again, more), alone)
    assert found == [replace(kept, cached=True) for kept in (reply, answer, bare)]
    assert paid == 3
    kept = {call.reply: call.blocks for call in store.records()}
    assert kept["Blue."] is None
    assert read_blocks(kept["I look."] or "") == USES


@pytest.mark.parametrize("model", TOOLS)
def test_a_run_that_called_tools_is_replayed_whole(tmp_path: Path, model: str) -> None:
    first = asked(model)
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger, serve_script(Script(LINES)) as server:
        (reply,) = ask(ledger.calls, server.url, first)
    name = f"replay/{tmp_path}"
    with closing(SqliteLedger(tmp_path / "second.sqlite")) as ledger:
        (replayed,) = ask(ledger.calls, "http://127.0.0.1:1", replace(first, model=name))
        assert replayed == replace(reply, usd=0.0)
        (found,) = ledger.calls.records()
        assert read_blocks(found.blocks or "") == USES


def test_a_replay_of_blocks_that_are_none_is_one_line(tmp_path: Path) -> None:
    model = "anthropic/claude-x"
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger, serve_script(Script(LINES)) as server:
        ask(ledger.calls, server.url, asked(model))
        ledger.connection.execute("DROP TRIGGER calls_no_update")
        with ledger.connection as connection:
            connection.execute("""UPDATE calls SET blocks = '[{"type":"poem"}]'""")
    with pytest.raises(ModelFault, match="cannot be read: blocks of a reply are needed; got"):
        ask(MemoryCallStore(), "http://127.0.0.1:1", replace(asked(model), model=f"replay/{tmp_path}"))


@dataclass
class Calling(Scripted):
    """A model on this machine that calls a tool."""

    async def answer(self, request: Request, repeat: int) -> Reply:
        return Reply("I look.", 1, 1, "m", stop="tool use", blocks=USES)


@dataclass
class Paid(Calling):
    """The same at a price, and it breaks a sign in half."""

    @property
    def free(self) -> bool:
        return False

    async def answer(self, request: Request, repeat: int) -> Reply:
        reply = await super().answer(request, repeat)
        return replace(reply, blocks=(TextBlock("\ud83d"), ToolUse("u", "r", '"\ud83d"')))


def test_what_is_found_again_is_what_was_answered_first(store: CallStore) -> None:
    for made, wanted in (
        (Calling, USES),
        (Paid, (TextBlock("\ufffd"), ToolUse("u", "r", '"\ufffd"'))),
    ):
        backend = made(lambda request, repeat: "")
        client = ModelClient(CallCache(store), lambda _, backend=backend: backend)
        request = Request(f"own/{made.__name__}", START)
        replies = [asyncio.run(client.ask(request, 0)) for _ in range(2)]
        client.cache.flush()
        replies += [asyncio.run(client.ask(request, 0))]
        assert [reply.blocks for reply in replies] == [wanted] * 3


def test_what_has_no_words_at_a_provider_is_refused_and_not_lost() -> None:
    keys = Keys({"GOOGLE_API_KEY": "k" * 20, "OPENAI_API_KEY": "k" * 20})
    for model, messages, line in (
        ("gemini/g", (Message("user", USES[:1] + ALONE),), "takes texts alone yet"),
        ("openai/g", (Message("user", (ImageBlock(file_id="f"),)),), "take no file as an image"),
        ("openai/g", (Message("user", (ToolResult("u", "no", True),)),), "cannot mark one as an error"),
    ):
        with pytest.raises(ModelFault, match=line):
            asyncio.run(open_backend(model, keys).answer(Request(model, messages), 0))


def test_openais_dialect_keeps_its_own_limit_and_settings_beside_the_tools() -> None:
    arguments = '{"path": 1, }'  # as models do write it
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = openai_reply(choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}])
    request = replace(
        asked("openai/gpt-x"), temperature=0.5, max_tokens=77, delivery='{"stream":true,"user":"u"}'
    )
    with provider(lambda _: Said(body)) as stub:
        (reply,) = ask(MemoryCallStore(), stub.url, request)
    (heard,) = stub.heard
    assert heard.body["tools"] == TOOLS["openai/gpt-x"]
    assert (heard.body["max_completion_tokens"], heard.body["temperature"]) == (77, 0.5)
    assert (heard.body["user"], "stream" in heard.body) == ("u", False)
    assert heard.body["messages"] == [
        {"role": "system", "content": "You read."}, {"role": "user", "content": "Read b."},
    ]  # fmt: skip
    assert (reply.stop, reply.blocks) == ("tool use", (ToolUse("c", "read", arguments),))


def test_a_key_that_a_model_repeats_into_a_tool_is_hidden() -> None:
    secret = surroundings("")["OPENAI_API_KEY"]
    use = {"type": "tool_use", "id": "c", "name": "read", "input": {"path": secret}}
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "read", "arguments": f'{{"path":"{secret}"}}'},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    bodies = {
        "anthropic/claude-x": anthropic_reply(content=[use], stop_reason="tool_use"),
        "openai/gpt-x": openai_reply(
            choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}]
        ),
    }
    for model, body in bodies.items():
        with provider(lambda _, body=body: Said(body)) as stub:
            (reply,) = ask(MemoryCallStore(), stub.url, asked(model))
        assert reply.blocks == (ToolUse("c", "read", '{"path":"[key]"}'),)


texts = st.text(max_size=8)
INNER = st.one_of(
    st.builds(TextBlock, texts, texts, texts),
    st.builds(ImageBlock, texts, texts, texts, texts, texts, texts, texts),
    st.builds(OtherBlock, texts, texts),
)
BLOCKS = st.one_of(
    INNER,
    st.builds(ToolUse, texts, texts, texts, texts, texts),
    st.builds(
        ToolResult,
        texts,
        st.none() | texts | st.lists(INNER, max_size=2).map(tuple),
        st.none() | st.booleans(),
        texts,
        texts,
    ),
)


@given(st.lists(BLOCKS, max_size=3).map(tuple))
def test_blocks_come_back_from_their_text(blocks: tuple[object, ...]) -> None:
    text = write_blocks(blocks)  # type: ignore[arg-type]
    assert read_blocks(text) == blocks
    assert change_strings(read_blocks(text), lambda string: string) == blocks


@pytest.mark.parametrize(
    "text", ["", "{}{", "[1]", "3", '[{"type":"poem"}]', '[{"type":"text"}]', '[{"text":"a"}]', "[" * 10**5]
)
def test_a_text_that_holds_no_blocks_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"blocks of a reply are needed|Expecting|Extra data"):
        read_blocks(text)
