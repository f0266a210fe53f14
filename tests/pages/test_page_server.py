"""How a page is served and closed: no thread stays, no decision is cut off, no form is waited for forever."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from memtrial.ledger.review_facts import DraftDecision
from memtrial.pages.decision_form import LARGEST, read_body
from memtrial.pages.draft_desk import DraftDesk
from memtrial.pages.page_address import LocalPort
from memtrial.pages.page_server import serve_page
from tests.support.review_desk import ITEM, ask, desk_with, draft_of
from tests.support.virtual_time import run_at_once

DRAFT = draft_of(ITEM)


@dataclass
class SlowDesk(DraftDesk):
    """A desk whose decisions wait to be let go on."""

    begun: Event = field(default_factory=Event)
    going: Event = field(default_factory=Event)

    def decide(self, *given: DraftDecision) -> None:
        self.begun.set()
        assert self.going.wait(60)
        super().decide(*given)


def connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10)


def head_of_form(address: str, *headers: str) -> bytes:
    """The beginning of a decision as the page sends it, up to its body."""
    parts = urlsplit(address)
    lines = [
        f"POST {parts.path}{DRAFT.id} HTTP/1.1",
        f"Host: {parts.netloc}",
        f"Origin: http://{parts.netloc}",
    ]
    return "\r\n".join([*lines, *headers, "", ""]).encode()


@pytest.fixture
def silence(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Nothing is printed or logged: the address holds the token."""
    yield
    assert not caplog.get_records("call")
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("silence")
def test_a_closed_page_leaves_no_thread_and_its_port_free(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with ExitStack() as clients:
        with serve_page(desk_with(tmp_path, DRAFT)) as address:
            clients.enter_context(connect(address))
            half = clients.enter_context(connect(address))
            half.sendall(head_of_form(address)[:20])
            assert ask(address, DRAFT.id).status == 200
        left = set(threading.enumerate()) - before
        assert "review page" not in {thread.name for thread in left}
        for thread in left:  # a worker ends once its loop has
            thread.join(60)
        assert set(threading.enumerate()) <= before
        with LocalPort(urlsplit(address).port or 0):
            pass


def test_a_decision_that_has_begun_is_kept_and_acknowledged_when_the_page_is_closed(
    tmp_path: Path,
) -> None:
    desk_with(tmp_path, DRAFT)
    desk = SlowDesk(tmp_path, False)

    def go_on_once_closed() -> None:
        with suppress(ConnectionError):
            while True:
                connect(address).close()
        time.sleep(0.3)  # longer than uvicorn waits for anything
        desk.going.set()

    with ThreadPoolExecutor(2) as pool:
        with serve_page(desk) as address:
            answer = pool.submit(ask, address, DRAFT.id, {"how": "accept"})
            assert desk.begun.wait(60)
            pool.submit(go_on_once_closed)
        assert desk.queue().left == 0
        assert answer.result().status == 303


@pytest.mark.usefixtures("silence")
def test_a_form_that_is_cut_short_decides_nothing(tmp_path: Path) -> None:
    desk = desk_with(tmp_path, DRAFT)
    with serve_page(desk) as address:
        with connect(address) as client:
            client.sendall(head_of_form(address, "Content-Length: 50") + b"how=accept")
        assert ask(address, DRAFT.id).status == 200
    assert desk.queue().left == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Transfer-Encoding: chunked"], b" 411 "),
        (["Transfer-Encoding: chunked", "Content-Length: 10"], b" 413 "),
    ],
)
def test_what_is_read_of_a_form_is_bounded_whatever_its_head_says(
    tmp_path: Path, headers: list[str], status: bytes
) -> None:
    desk = desk_with(tmp_path, DRAFT)
    with serve_page(desk) as address, connect(address) as client:
        client.sendall(head_of_form(address, *headers))
        with suppress(ConnectionError):
            for _ in range(LARGEST // 2**20 + 1):
                client.sendall(b"100000\r\n" + b"x" * 2**20 + b"\r\n")
        assert status in client.recv(100)
    assert desk.queue().left == 1


def test_a_form_whose_rest_does_not_come_is_let_go() -> None:
    async def receive() -> dict[str, object]:
        await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    scope = {"type": "http", "headers": [(b"content-length", b"50")]}
    with pytest.raises(HTTPException) as refused:
        run_at_once(read_body(Request(scope, receive)))
    assert refused.value.status_code == 408
