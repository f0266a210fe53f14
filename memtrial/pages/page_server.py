"""The review page on this machine alone: its address with a random token, and who serves it."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from secrets import compare_digest, token_urlsafe
from threading import Event
from urllib.parse import parse_qs

from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import DraftDecision
from memtrial.ledger.row_text import LedgerFault
from memtrial.pages.desk import Desk, DeskFault, Queue
from memtrial.pages.draft_page import AnyDesk, RefusedText, draft_page, end_page
from memtrial.pages.page_lock import page_held
from memtrial.private_file import private, refuse_foreign, write_private
from memtrial.runs.run_folder.folder import REVIEW_ADDRESS

HOST = "127.0.0.1"
MOST_BYTES = 200


@dataclass(frozen=True, slots=True)
class PageAddress:
    """On this machine alone; port 0 is any that is free."""

    port: int = 0
    token: str = field(default_factory=lambda: token_urlsafe(24))

    def __str__(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"


def address_of(folder: Path) -> PageAddress:
    """The address that is kept in a run's folder; ValueError or OSError where none is."""
    with open(folder / REVIEW_ADDRESS, encoding="ascii", opener=private) as file:
        port, token = file.read(MOST_BYTES).split()
    return PageAddress(int(port), token)


def kept_address(folder: Path) -> PageAddress:
    """The address kept in a run's folder, the same in each session; anew where its port is taken."""
    path = folder / REVIEW_ADDRESS
    refuse_foreign(path)
    with suppress(ValueError, OSError):
        kept = address_of(folder)
        with HTTPServer((HOST, kept.port), BaseHTTPRequestHandler):
            return kept
    with HTTPServer((HOST, 0), BaseHTTPRequestHandler) as free:
        made = PageAddress(free.server_port)
    write_private(path, f"{made.port} {made.token}\n")
    return made


LARGEST = 16 * 2**20
"""Bytes of an edit, each character of which may take three in a form."""
SILENT_S = 30.0
"""A client that says nothing for so long is let go."""


class _Refused(Exception):
    """A request that gets no page."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Server(ThreadingHTTPServer):
    """Serves one desk to whoever knows the token."""

    daemon_threads = True

    def __init__(self, desk: AnyDesk, address: PageAddress) -> None:
        super().__init__((HOST, address.port), _Visit)
        self.desk, self.token = desk, address.token
        self.shown: dict[str, float] = {}

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing to say of a client that left: a browser lets go of what it no longer shows."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Visit(BaseHTTPRequestHandler):
    """One request: GET of a draft or of the end, POST of a decision."""

    server: _Server
    timeout = SILENT_S
    server_version, sys_version = "memtrial", ""

    def do_GET(self) -> None:
        self._answer(self._look)

    def do_POST(self) -> None:
        self._answer(self._decide)

    def log_message(self, *_: object) -> None:
        """Nothing: the address holds the token."""

    def _answer(self, work: Callable[[str], None]) -> None:
        """Let a request through that knows the token and came to this very address, and answer its faults."""
        try:
            work(self._asked_draft())
        except _Refused as fault:
            self._send(fault.status, str(fault))
        except (SpecFault, LedgerFault) as fault:
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, str(fault))

    def _asked_draft(self) -> str:
        """The draft that is asked for, `end` or nothing; _Refused for another host name or a wrong token."""
        # a page from elsewhere whose name was made to lead here still sends its own name
        if self.headers.get("Host") != f"{HOST}:{self.server.server_port}":
            raise _Refused(HTTPStatus.FORBIDDEN, "another host")
        _, _, rest = self.path.partition("/")
        token, slash, name = rest.partition("/")
        if not compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "the address needs its token, as `review` printed it")
        if not slash:
            raise _Refused(HTTPStatus.NOT_FOUND, "no such page")
        return name

    def _look(self, name: str) -> None:
        queue = self.server.desk.queue()
        if not name:
            return self._go_to(queue.after("") or "end")
        self._show(queue, name)

    def _show(self, queue: Queue, name: str, refused: RefusedText | None = None) -> None:
        nonce, desk = token_urlsafe(16), self.server.desk
        if name == "end":
            return self._send(HTTPStatus.OK, end_page(queue, nonce, False), nonce)
        draft = next((waiting for waiting in queue.drafts if waiting.id == name), None)
        if draft is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "no such draft waits")
        if refused is None:
            self.server.shown[name] = time.monotonic()
        page = draft_page(desk, queue, draft, nonce, refused)
        self._send(HTTPStatus.OK if refused is None else HTTPStatus.UNPROCESSABLE_ENTITY, page, nonce)

    def _decide(self, name: str) -> None:
        form, desk = self._form(), self.server.desk
        if name == "end":
            if (queue := desk.queue()).left:
                raise _Refused(HTTPStatus.CONFLICT, f"{queue.manner.noun}s still wait")
            nonce = token_urlsafe(16)
            try:
                self._send(HTTPStatus.OK, end_page(queue, nonce, True), nonce)
            finally:
                # after the answer, as the process may end now; whoever left meanwhile said so, too
                desk.finished.set()
            return None
        how, text, hows = form.get("how", ""), form.get("markdown", ""), desk.queue().manner.words
        reason = form.get("reason", "").strip()
        if how not in hows:
            raise _Refused(HTTPStatus.BAD_REQUEST, f"how is one of {', '.join(hows)}")
        begun = self.server.shown.get(name)
        seconds = None if begun is None else round(time.monotonic() - begun, 1)
        try:
            desk.decide(
                DraftDecision(
                    draft=name,
                    how=how,
                    markdown=text,
                    reason=reason,
                    seconds=seconds,
                    blind=desk.blind,
                    by=desk.by,
                )
            )
        except DeskFault as fault:
            return self._show(desk.queue(), name, RefusedText(str(fault), how, text or reason))
        self._go_to(desk.queue().after(name) or "end")

    def _form(self) -> dict[str, str]:
        """The fields of a form that this very page sent; _Refused where it is another's, or too large."""
        if self.headers.get("Origin") != f"http://{HOST}:{self.server.server_port}":
            raise _Refused(HTTPStatus.FORBIDDEN, "a decision comes from the review page itself")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "a length is needed")
        if len(length) > len(str(LARGEST)) or int(length) > LARGEST:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LARGEST:,} bytes are read")
        body = self.rfile.read(int(length)).decode("ascii", "replace")
        try:
            fields = parse_qs(body, keep_blank_values=True, errors="replace", max_num_fields=4)
        except ValueError as fault:
            raise _Refused(HTTPStatus.BAD_REQUEST, "a form of this page is needed") from fault
        return {key: values[0] for key, values in fields.items()}

    def _go_to(self, name: str) -> None:
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", f"/{self.server.token}/{name}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: HTTPStatus, text: str, nonce: str = "") -> None:
        """A page with its nonce, or one line of plain text."""
        body = text.encode("utf-8", "replace")
        own = f"style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; form-action 'self'; " if nonce else ""
        self.send_response(status)
        for header, value in {
            "Content-Type": f"text/{'html' if nonce else 'plain'}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Content-Security-Policy": f"default-src 'none'; {own}base-uri 'none'; frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
        }.items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serve_page(desk: AnyDesk, address: PageAddress | None = None) -> Iterator[str]:
    """Serve the desk at an address, or on a free port, in a thread, until the block is left; its address."""
    with _Server(desk, address or PageAddress()) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="review page", daemon=True)
        thread.start()
        try:
            yield str(PageAddress(server.server_port, server.token))
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def served_run(desk: Desk) -> Iterator[str]:
    """Serve a run's desk at the address kept in its folder; meanwhile others may decide beside it."""
    address = kept_address(desk.folder)
    with page_held(desk.folder), serve_page(desk, address) as shown:
        yield shown


@dataclass(frozen=True, slots=True)
class ServedPage:
    """The page of a run that is served now; see `runs.setup.reviews.OpenPage`."""

    address: str
    finished: Event


@contextmanager
def serve_run_page(folder: Path, blind: bool) -> Iterator[ServedPage]:
    """Serve the drafts of a run folder while its session waits for the decisions."""
    desk = Desk(folder, blind)
    with served_run(desk) as address:
        yield ServedPage(address, desk.finished)
