"""The pages of a desk as a Starlette application: each draft, each decision, and the end."""

import time
from dataclasses import dataclass, field
from http import HTTPStatus
from secrets import token_urlsafe

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import DraftDecision
from memtrial.ledger.row_text import LedgerFault
from memtrial.pages.decision_form import LARGEST, parse_form, read_body
from memtrial.pages.desk import DeskFault, Queue
from memtrial.pages.draft_page import AnyDesk, RefusedText, draft_page, end_page
from memtrial.pages.page_access import PageAccess, content_policy
from memtrial.pages.page_address import PageAddress


def build_page_app(desk: AnyDesk, address: PageAddress) -> ASGIApp:
    """The pages of this desk, for whoever knows the address."""
    pages = DeskPages(desk, address)
    routes = [
        Route("/", pages.go_on),
        Route("/end", pages.show_end),
        Route("/end", pages.finish, methods=["POST"]),
        Route("/{draft}", pages.show_draft),
        Route("/{draft}", pages.take_decision, methods=["POST"], max_body_size=LARGEST),
    ]
    app = Starlette(
        routes=[Mount(f"/{address.token}", routes=routes)],
        exception_handlers={SpecFault: _tell, LedgerFault: _tell, ClientDisconnect: _let_go},
    )
    return PageAccess(app, address)


@dataclass(frozen=True, slots=True)
class DeskPages:
    """What is answered; all but the reading of a form is done in threads, as it waits for the disk.

    Args:
        shown: when a draft was shown last, in seconds of the monotonic clock.
    """

    desk: AnyDesk
    address: PageAddress
    shown: dict[str, float] = field(default_factory=dict)

    def go_on(self, _: Request) -> Response:
        """To the first draft that waits, or to the end."""
        return self._go_to(self.desk.queue().after("") or "end")

    def show_end(self, _: Request) -> Response:
        """How much is decided, and a way to finish once all is."""
        nonce = token_urlsafe(16)
        return _page(end_page(self.desk.queue(), nonce, False), nonce)

    def finish(self, _: Request) -> Response:
        """Say that all is decided."""
        if (queue := self.desk.queue()).left:
            raise HTTPException(HTTPStatus.CONFLICT, f"{queue.manner.noun}s still wait")
        nonce = token_urlsafe(16)
        answer = _page(end_page(queue, nonce, True), nonce)
        # after the answer, as the process may end now; whoever left meanwhile said so, too
        answer.background = BackgroundTask(self.desk.finished.set)
        return answer

    def show_draft(self, request: Request) -> Response:
        """A draft that waits."""
        answer = self._draft(self.desk.queue(), request.path_params["draft"])
        self.shown[request.path_params["draft"]] = time.monotonic()
        return answer

    async def take_decision(self, request: Request) -> Response:
        """A decision on a draft: it is on the disk before this answers."""
        body = await read_body(request)
        return await run_in_threadpool(self._decide, request.path_params["draft"], body)

    def _decide(self, name: str, body: bytes) -> Response:
        form, desk = parse_form(body), self.desk
        how, text, hows = form.get("how", ""), form.get("markdown", ""), desk.queue().manner.words
        reason = form.get("reason", "").strip()
        if how not in hows:
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"how is one of {', '.join(hows)}")
        begun = self.shown.get(name)
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
            return self._draft(desk.queue(), name, RefusedText(str(fault), how, text or reason))
        return self._go_to(desk.queue().after(name) or "end")

    def _draft(self, queue: Queue, name: str, refused: RefusedText | None = None) -> Response:
        draft = next((waiting for waiting in queue.drafts if waiting.id == name), None)
        if draft is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "no such draft waits")
        nonce = token_urlsafe(16)
        status = HTTPStatus.OK if refused is None else HTTPStatus.UNPROCESSABLE_ENTITY
        return _page(draft_page(self.desk, queue, draft, nonce, refused), nonce, status)

    def _go_to(self, name: str) -> Response:
        return RedirectResponse(f"/{self.address.token}/{name}", HTTPStatus.SEE_OTHER)


def _page(text: str, nonce: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    headers = {"Content-Security-Policy": content_policy(nonce)}
    return HTMLResponse(text.encode("utf-8", "replace"), status, headers)


async def _tell(_: Request, fault: Exception) -> Response:
    """The one line of a fault."""
    return PlainTextResponse(str(fault).encode("utf-8", "replace"), HTTPStatus.INTERNAL_SERVER_ERROR)


async def _let_go(*_: object) -> Response:
    """A client that left before the end of its form decided nothing; nobody reads this answer."""
    return PlainTextResponse("the form was cut short", HTTPStatus.BAD_REQUEST)
