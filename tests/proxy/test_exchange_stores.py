"""The laws of a store of exchanges, over all members; what a folder keeps after a kill or damage."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from hashlib import sha256

import pytest

from memtrial.faults import SpecFault, StoreFault
from memtrial.models.wire.reply_usage import ReplyUsage
from memtrial.proxy.exchange import Exchange, ExchangeEnd, ExchangeIntent
from memtrial.proxy.exchange_folder import BODIES, LINES, exchange_folder, read_exchanges
from memtrial.proxy.exchange_store import MemoryExchanges
from tests.support.proxied import Setup, ask, proxied
from tests.support.raw_provider import MESSAGE, whole


@contextmanager
def in_memory(folder):
    yield MemoryExchanges()


MEMBERS = {"memory": in_memory, "folder": exchange_folder}


def intent(number, body):
    return ExchangeIntent(
        number, "a", "POST", "/v1/messages", sha256(body).hexdigest(), len(body), "", number / 8
    )


def end(number, reply, is_kept=True):
    digest = sha256(reply).hexdigest()
    usage = ReplyUsage(1, 2, 3, 4, "m", False)
    return ExchangeEnd(
        number, "answered", "", 200, digest, len(reply), is_kept, usage, 0.125, True, None, number / 4
    )


@pytest.mark.parametrize("name", MEMBERS)
def test_what_is_kept_comes_back(name, tmp_path):
    with MEMBERS[name](tmp_path / "kept") as store:
        for number, body in ((1, b"\x00\xff"), (2, b"same"), (3, b"same")):
            store.begin(intent(number, body), body)
        store.end(end(2, b""), b"")
        store.end(end(1, b"too large", is_kept=False), b"")
        expected = (
            Exchange(intent(1, b"\x00\xff"), end(1, b"too large", is_kept=False)),
            Exchange(intent(2, b"same"), end(2, b"")),
            Exchange(intent(3, b"same")),
        )
        assert store.exchanges() == expected
        assert [store.request_body(number) for number in (1, 2, 3)] == [b"\x00\xff", b"same", b"same"]
        assert store.reply_body(2) == b""
        for number in (1, 3, 4):
            with pytest.raises(KeyError):
                store.reply_body(number)
        if name == "folder":
            assert read_exchanges(tmp_path / "kept") == expected


def test_a_folder_is_its_owner_s_alone_and_never_written_twice(tmp_path):
    folder = tmp_path / "kept"
    with exchange_folder(folder) as store:
        store.begin(intent(1, b"a"), b"a")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}
    assert set(modes.values()) == {0o700, 0o600}
    with pytest.raises(SpecFault, match="name a new folder"), exchange_folder(folder):
        pass
    assert len(read_exchanges(folder)) == 1
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / "none" / ("x" * 300)):
        with pytest.raises(SpecFault, match=r"cannot keep|is there already"), exchange_folder(wrong):
            pass
    assert {path.name for path in tmp_path.iterdir()} == {"kept", "file"}


def test_where_nothing_was_kept_nothing_is_left(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "own.txt").write_text("own")
    for folder in (tmp_path / "new" / "below", tmp_path / "mine"):
        with exchange_folder(folder) as store:
            assert store.exchanges() == ()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["mine", "own.txt"]


def test_a_folder_that_is_gone_is_a_fault_of_the_store(tmp_path):
    folder = tmp_path / "kept"
    with exchange_folder(folder) as store:
        (folder / BODIES).rmdir()
        with pytest.raises(StoreFault, match="cannot keep"):
            store.begin(intent(1, b"a"), b"a")
        assert store.exchanges() == ()


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (b'{"number": 1', None),
        (b"{}\n", "line 1"),
        (b"[" * 50_000 + b"\n", "line 1"),
        (json.dumps({"number": 7, "how": "answered"}).encode() + b"\n", "line 1"),
        (b"\xff\n", "line 1"),
    ],
)
def test_a_damaged_folder_is_one_line(tmp_path, lines, fault):
    (tmp_path / LINES).write_bytes(lines)
    if fault is None:
        assert read_exchanges(tmp_path) == ()
    else:
        with pytest.raises(SpecFault, match=fault):
            read_exchanges(tmp_path)
    with pytest.raises(SpecFault, match="cannot be read"):
        read_exchanges(tmp_path / "none")


def test_a_proxy_keeps_in_a_folder_what_it_sends(tmp_path):
    async def work():
        with exchange_folder(tmp_path / "kept") as store:
            async with proxied(lambda _: whole(MESSAGE), Setup(store=store)) as there:
                url = there.session.url + "/v1/messages"
                came = await ask(there.client, url, there.session.token, b'{"model": "m"}')
                assert store.reply_body(1) == came.body
                assert read_exchanges(tmp_path / "kept") == there.store.exchanges()
                kept = (tmp_path / "kept" / LINES).read_text()
                assert there.session.token not in kept

    asyncio.run(work())


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.support.proxied import Setup, ask, proxied
from tests.support.raw_provider import MESSAGE, whole
from memtrial.proxy.exchange_folder import exchange_folder

def answer(arrived):
    if arrived.body == b"last":
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(MESSAGE)

async def work():
    with exchange_folder(Path(sys.argv[1])) as store:
        async with proxied(answer, Setup(store=store)) as there:
            for body in (b"first", b"last"):
                await ask(there.client, there.session.url + "/v1/messages", there.session.token, body)

asyncio.run(work())
"""


def test_a_kill_leaves_every_request_that_was_sent(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "kept")], env=os.environ | {}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    first, last = read_exchanges(tmp_path / "kept")
    assert first.end is not None
    assert last.end is None
    assert (tmp_path / "kept" / BODIES / last.intent.digest).read_bytes() == b"last"
