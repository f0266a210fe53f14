"""The pages of a desk as routes of Starlette: each draft, each decision, and the end."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from secrets import token_urlsafe

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import DraftDecision
from memtrial.ledger.row_text import LedgerFault
from memtrial.pages.decision_form import LARGEST, parse_form, read_body
from memtrial.pages.desk import Desk, DeskFault, Queue
from memtrial.pages.desk_page import PlacedDesk, RefusedText, draft_page, end_page
from memtrial.pages.page_access import PageAccess, content_policy
from memtrial.pages.page_address import PageAddress

UNDO = "undo"
"""What a form says in the place of a way to decide, to take a decision back."""


def build_page_app(desk: Desk, address: PageAddress) -> ASGIApp:
    """The pages of this desk alone, for whoever knows the address."""
    placed = PlacedDesk(desk)
    return guard_routes([Mount(f"/{address.token}", routes=route_desk(lambda _: placed))], address)


def guard_routes(routes: Sequence[BaseRoute], address: PageAddress) -> ASGIApp:
    """An application of these routes, for whoever knows the address; a fault of the disk is one line."""
    app = Starlette(
        routes=routes,
        exception_handlers={SpecFault: _tell, LedgerFault: _tell, ClientDisconnect: _let_go},
    )
    return PageAccess(app, address)


def route_desk(find: Callable[[Request], PlacedDesk]) -> list[BaseRoute]:
    """The pages of the desk that a request is for; HTTPException where there is none."""
    pages = DeskPages(find)
    return [
        Route("/", pages.go_on),
        Route("/end", pages.show_end),
        Route("/end", pages.finish, methods=["POST"]),
        Route("/{draft}", pages.show_draft),
        Route("/{draft}", pages.take_decision, methods=["POST"], max_body_size=LARGEST),
    ]


@dataclass(frozen=True, slots=True)
class DeskPages:
    """What is answered; all but the reading of a form is done in threads, as it waits for the disk.

    Args:
        shown: when the page of a path was shown last, in seconds of the monotonic clock.
    """

    find: Callable[[Request], PlacedDesk]
    shown: dict[str, float] = field(default_factory=dict)

    def go_on(self, request: Request) -> Response:
        """To the first draft that waits, or to the end."""
        return _go_to(request, self.find(request).desk.queue().after("") or "end")

    def show_end(self, request: Request) -> Response:
        """How much is decided, and a way to finish once all is."""
        placed, nonce = self.find(request), token_urlsafe(16)
        return respond(end_page(placed, placed.desk.queue(), nonce, False), nonce)

    def finish(self, request: Request) -> Response:
        """Say that all is decided."""
        placed, nonce = self.find(request), token_urlsafe(16)
        if (queue := placed.desk.queue()).left:
            raise HTTPException(HTTPStatus.CONFLICT, f"{queue.manner.noun}s still wait")
        answer = respond(end_page(placed, queue, nonce, True), nonce)
        # after the answer, as the process may end now; whoever left meanwhile said so, too
        answer.background = BackgroundTask(placed.desk.finished.set)
        return answer

    def show_draft(self, request: Request) -> Response:
        """A draft that waits."""
        placed = self.find(request)
        answer = _show(placed, placed.desk.queue(), request.path_params["draft"])
        self.shown[request.url.path] = time.monotonic()
        return answer

    async def take_decision(self, request: Request) -> Response:
        """A decision on a draft, or the word to take it back: it is on the disk before this answers."""
        body = await read_body(request)
        return await run_in_threadpool(self._decide, request, body)

    def _decide(self, request: Request, body: bytes) -> Response:
        form, placed, name = parse_form(body), self.find(request), request.path_params["draft"]
        desk, how, text = placed.desk, form.get("how", ""), form.get("markdown", "")
        reason, hows = form.get("reason", "").strip(), desk.queue().manner.words
        if how not in (*hows, UNDO):
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"how is one of {', '.join(hows)}")
        begun = self.shown.get(request.url.path)
        decision = DraftDecision(
            draft=name,
            how=how,
            markdown=text,
            reason=reason,
            seconds=None if begun is None else round(time.monotonic() - begun, 1),
            blind=desk.blind,
            by=desk.by,
        )
        try:
            desk.undo(name) if how == UNDO else desk.decide(decision)
        except (DeskFault, SpecFault) as fault:
            return _show(placed, desk.queue(), name, RefusedText(str(fault), how, text or reason))
        return _go_to(request, name if how == UNDO else desk.queue().after(name) or "end")


def _show(placed: PlacedDesk, queue: Queue, name: str, refused: RefusedText | None = None) -> Response:
    draft = next((waiting for waiting in queue.drafts if waiting.id == name), None)
    if draft is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "no such draft waits")
    nonce = token_urlsafe(16)
    status = HTTPStatus.OK if refused is None else HTTPStatus.UNPROCESSABLE_ENTITY
    return respond(draft_page(placed, queue, draft, nonce, refused), nonce, status)


def _go_to(request: Request, name: str) -> Response:
    """To a page beside the one that was asked for."""
    folder, _, _ = request.scope["raw_path"].decode("ascii").rpartition("/")
    return RedirectResponse(f"{folder}/{name}", HTTPStatus.SEE_OTHER)


def respond(text: str, nonce: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """A page with a nonce for its own style and script."""
    headers = {"Content-Security-Policy": content_policy(nonce)}
    return HTMLResponse(text.encode("utf-8", "replace"), status, headers)


async def _tell(_: Request, fault: Exception) -> Response:
    """The one line of a fault."""
    return PlainTextResponse(str(fault).encode("utf-8", "replace"), HTTPStatus.INTERNAL_SERVER_ERROR)


async def _let_go(*_: object) -> Response:
    """A client that left before the end of its form decided nothing; nobody reads this answer."""
    return PlainTextResponse("the form was cut short", HTTPStatus.BAD_REQUEST)
