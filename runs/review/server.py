"""The review page on this machine alone: its text, its address with a random token, and who serves it.

Text is escaped, and no script or style runs but the page's own.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from secrets import compare_digest, token_urlsafe
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from loadbearing.ledger.private_file import refuse_foreign, write_private
from loadbearing.ledger.review_facts import Decision, DraftForReview
from loadbearing.ledger.schema import LedgerFault
from loadbearing.memory.item import field_names, schema_of
from loadbearing.memory.markdown import parse
from loadbearing.reports.base.escape import printable, shortened
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import REVIEW_ADDRESS
from loadbearing.runs.review.desk import Desk, DeskFault, Queue
from loadbearing.runs.review.file_desks import FailureDesk, LabelDesk

AnyDesk = Desk | LabelDesk | FailureDesk
MOST_SHOWN = 41_000
"""Characters of one text: a run as coders of failures read it is whole, and so is the text to be edited."""
MOST_QUOTES, MOST_PLACES = 40, 100
"""Quotes of findings that are looked for, and places of one text that are marked."""


def draft_page(
    desk: AnyDesk, queue: Queue, draft: DraftForReview, nonce: str, fault: str = "", edited: str = ""
) -> str:
    """The page of a draft; `fault`: why a decision was refused, `edited` the text that came with it."""
    names = [one.id for one in queue.drafts]
    at, decided = names.index(draft.id), queue.decided.get(draft.id)
    if queue.manner.whole:
        fields = [(queue.manner.whole, draft.markdown)]
    else:
        item = parse(draft.markdown)
        fields = [(name.capitalize(), getattr(item, name)) for name in field_names(schema_of(item))]
    findings = () if desk.blind else sorted(draft.findings, key=lambda one: one.finding == "PASS")
    return _template().render(
        nonce=nonce,
        queue=queue,
        draft=draft,
        number=at + 1,
        before=names[at - 1] if at else "",
        after=names[at + 1] if at + 1 < len(names) else "",
        decided=decided,
        fault=fault,
        text=edited or (decided.markdown if decided else ""),
        fields=fields,
        findings=findings,
        quotes={
            place: tuple(one.quote for one in findings if one.quote and one.where == place)
            for place in ("item", "trace")
        },
        about=desk.about(draft),
        blind=desk.blind,
        runs=tuple(zip(queue.manner.runs, desk.runs(draft), strict=True)),
    )


def end_page(queue: Queue, nonce: str, finished: bool) -> str:
    """The page where a person says that all is decided, and the last one, after they did."""
    return _template().render(nonce=nonce, queue=queue, draft=None, finished=finished)


def marked(text: str, quotes: Sequence[str]) -> Markup:
    """The text, escaped, and marked where a quote stands; of two that overlap, the first place."""
    longest_first = sorted(filter(None, quotes), key=len, reverse=True)[:MOST_QUOTES]
    pattern = "|".join(map(re.escape, longest_first))
    pieces = re.split(f"({pattern})", text, maxsplit=MOST_PLACES) if pattern else [text]
    shown = (escape(printable(piece)) for piece in pieces)
    return Markup("").join(Markup("<mark>%s</mark>") % one if at % 2 else one for at, one in enumerate(shown))


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda shown: shown if isinstance(shown, Markup) else printable(shown),
    )
    environment.filters["marked"] = marked
    environment.filters["cut"] = lambda text: shortened(text, MOST_SHOWN)
    return environment.get_template("page.html.jinja")


HOST = "127.0.0.1"
MOST_BYTES = 200


@dataclass(frozen=True, slots=True)
class PageAddress:
    """On this machine alone; port 0 is any that is free."""

    port: int = 0
    token: str = field(default_factory=lambda: token_urlsafe(24))

    def __str__(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"


def kept_address(folder: Path) -> PageAddress:
    """The address kept in a run's folder, which a stopped run names; anew where its port is taken."""
    path = folder / REVIEW_ADDRESS
    refuse_foreign(path)
    if path.exists():
        with suppress(ValueError, OSError), path.open(encoding="ascii") as file:
            port, token = file.read(MOST_BYTES).split()
            with HTTPServer((HOST, int(port)), BaseHTTPRequestHandler):
                return PageAddress(int(port), token)
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

    def __init__(self, desk: AnyDesk, at: PageAddress) -> None:
        super().__init__((HOST, at.port), _Visit)
        self.desk, self.token = desk, at.token
        self.shown: dict[str, float] = {}


class _Visit(BaseHTTPRequestHandler):
    """One request: GET of a draft or of the end, POST of a decision."""

    server: _Server
    timeout = SILENT_S
    server_version, sys_version = "loadbearing", ""

    def do_GET(self) -> None:
        self._answer(self._look)

    def do_POST(self) -> None:
        self._answer(self._decide)

    def log_message(self, *_: object) -> None:
        """Nothing: the address holds the token."""

    def _answer(self, work: Callable[[str], None]) -> None:
        """Let a request through that knows the token and came to this very address, and answer its faults."""
        try:
            work(self._asked())
        except _Refused as fault:
            self._send(fault.status, str(fault))
        except (SpecFault, LedgerFault) as fault:
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, str(fault))

    def _asked(self) -> str:
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

    def _show(self, queue: Queue, name: str, fault: str = "", edited: str = "") -> None:
        nonce, desk = token_urlsafe(16), self.server.desk
        if name == "end":
            return self._send(HTTPStatus.OK, end_page(queue, nonce, False), nonce)
        draft = next((one for one in queue.drafts if one.id == name), None)
        if draft is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "no such draft waits")
        if not fault:
            self.server.shown[name] = time.monotonic()
        page = draft_page(desk, queue, draft, nonce, fault, edited)
        self._send(HTTPStatus.UNPROCESSABLE_ENTITY if fault else HTTPStatus.OK, page, nonce)

    def _decide(self, name: str) -> None:
        form, desk = self._form(), self.server.desk
        if name == "end":
            if (queue := desk.queue()).left:
                raise _Refused(HTTPStatus.CONFLICT, f"{queue.manner.noun}s still wait")
            nonce = token_urlsafe(16)
            self._send(HTTPStatus.OK, end_page(queue, nonce, True), nonce)
            desk.finished.set()  # after the answer: the process may end now
            return None
        how, text, hows = form.get("how", ""), form.get("markdown", ""), desk.queue().manner.words
        if how not in hows:
            raise _Refused(HTTPStatus.BAD_REQUEST, f"how is one of {', '.join(hows)}")
        begun = self.server.shown.get(name)
        seconds = None if begun is None else round(time.monotonic() - begun, 1)
        try:
            desk.decide(
                Decision(draft=name, how=how, markdown=text, seconds=seconds, blind=desk.blind, by=desk.by)
            )
        except DeskFault as fault:
            return self._show(desk.queue(), name, str(fault), text)
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
def served(desk: AnyDesk, at: PageAddress | None = None) -> Iterator[str]:
    """Serve the desk at an address, or on a free port, in a thread, until the block is left; its address."""
    with _Server(desk, at or PageAddress()) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="review page", daemon=True)
        thread.start()
        try:
            yield str(PageAddress(server.server_port, server.token))
        finally:
            server.shutdown()
            thread.join()
