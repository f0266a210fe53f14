"""A reply is bounded while it is read, from every provider, in every shape; and a key follows no redirect."""

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from memtrial.models.client.keys import Keys
from memtrial.models.client.types import Message, ProviderFault, Reply, Request
from memtrial.models.embeddings.provider import open_provider
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.protocols import Backend
from tests.support.scripted_run import CLAUDE, GPT, carry_out, query, refuse_unlawful, script, sent, trials
from tests.support.stub_provider import Heard, Said, anthropic_reply, openai_reply, provider

KEY = "sk-test-0123456789-abcdef"
TALK = (Message("system", "You are."), Message("user", "Go."))
BOUND = 100_000
BUFFERS = 24 * 2**20
"""Bytes that sockets, streams and one decoding may hold beside what was read."""
PIECE = b"x" * 2**16
HEADS = {
    "a length is told": b"content-length: 99999999999\r\n",
    "in chunks": b"transfer-encoding: chunked\r\n",
    "until the end": b"connection: close\r\n",
    "compressed": b"connection: close\r\ncontent-encoding: gzip\r\n",
}


@dataclass
class Hose:
    """Sends without end, and counts what it could send."""

    url: str = ""
    sent: int = 0
    requests: int = 0


@contextmanager
def hose(status: int, head: str) -> Iterator[Hose]:
    found, ready, loop, stop = Hose(), threading.Event(), asyncio.new_event_loop(), asyncio.Event()
    piece = gzip.compress(PIECE * 64) if head == "compressed" else PIECE
    piece = b"%x\r\n%b\r\n" % (len(piece), piece) if head == "in chunks" else piece

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found.requests += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 %d Said\r\ncontent-type: application/json\r\n" % status + HEADS[head] + b"\r\n"
        )
        try:
            while found.sent < 4 * BUFFERS:
                writer.write(piece)
                await writer.drain()
                found.sent += len(piece)
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        found.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()
        await stop.wait()
        server.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    ready.wait(20)
    try:
        yield found
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)


def keys_of(url: str) -> Keys:
    return Keys(
        {
            "ANTHROPIC_BASE_URL": url,
            "OPENAI_BASE_URL": f"{url}/v1",
            "GEMINI_BASE_URL": f"{url}/v1beta",
            "ANTHROPIC_API_KEY": KEY,
            "OPENAI_API_KEY": KEY,
            "GEMINI_API_KEY": KEY,
        }
    )


def fault_of(
    model: str, url: str, opener: Callable[[str, Keys, int], Backend] = open_backend
) -> ProviderFault:
    async def talk() -> Reply:
        backend = opener(model, keys_of(url), BOUND)
        try:
            async with asyncio.timeout(60):
                return await backend.answer(Request(model, TALK), 0)
        finally:
            await backend.close()

    with pytest.raises(ProviderFault) as raised:
        asyncio.run(talk())
    return raised.value


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_a_reply_without_end_is_read_no_further_than_the_bound(model: str, status: int, head: str) -> None:
    with hose(status, head) as there:
        fault = fault_of(model, there.url)
    assert (fault.kind, fault.heals) == ("large reply", False)
    assert "more than 100000 bytes; engine.max_reply_bytes bounds it" in str(fault)
    assert there.requests == 1
    assert there.sent < BUFFERS


@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_of_vectors_is_bounded_too(status: int) -> None:
    with hose(status, "in chunks") as there:
        fault = fault_of("openai/e", there.url, opener=open_provider)
    assert (fault.kind, fault.heals) == ("large reply", False)
    assert there.requests == 1
    assert there.sent < BUFFERS


def test_in_a_run_it_is_an_error_asked_for_once_and_kept_nowhere(tmp_path: Path) -> None:
    settings = ("arms=[none, control]", "engine.max_error_share=1", "engine.max_reply_bytes=65536")
    with serve_script(script(ScriptedFault("large reply", at=(1, 9), size=10**7))) as server:
        assert carry_out(tmp_path, server.url, GPT, settings) == 0
        counts = refuse_unlawful(tmp_path, server)
    assert counts["error"] >= 2
    causes = {row.cause for row in trials(tmp_path) if row.status == "error"}
    assert all("(large reply)" in cause and "65536 bytes" in cause for cause in causes)
    assert sent(tmp_path).faults == {"large reply": 2}
    assert query(tmp_path, "SELECT max(length(reply)) FROM calls")[0][0] < 65536
    assert (tmp_path / "out" / "ledger.sqlite").stat().st_size < 2 * 10**6


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_neither_key_nor_prompt_follows_a_redirect(model: str, status: int) -> None:
    def well(heard: Heard) -> Said:
        return Said(anthropic_reply() if heard.path.endswith("/messages") else openai_reply())

    with provider(well) as other:
        moved = {"location": f"{other.url}/v1/messages"}
        with provider(lambda _: Said({}, status=status, headers=moved)) as stub:
            faults = [fault_of(model, stub.url), fault_of("openai/e", stub.url, opener=open_provider)]
        assert all(f"redirected to {moved['location']}" in str(fault) for fault in faults)
        assert other.heard == []


def test_a_reply_of_usual_size_may_come_compressed() -> None:
    body = gzip.compress(json.dumps(anthropic_reply("hello")).encode())

    async def talk(url: str) -> Reply:
        backend = open_backend(CLAUDE, keys_of(url))
        try:
            return await backend.answer(Request(CLAUDE, TALK), 0)
        finally:
            await backend.close()

    with provider(lambda _: Said(body, headers={"content-encoding": "gzip"})) as stub:
        assert asyncio.run(talk(stub.url)).text == "hello"
        assert stub.heard[0].headers["accept-encoding"] == "identity"
