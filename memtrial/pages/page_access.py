"""Who is let in to a page, and what no browser may do with it."""

from dataclasses import dataclass
from http import HTTPStatus
from secrets import compare_digest

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memtrial.pages.page_address import PageAddress


def content_policy(nonce: str = "") -> str:
    """What a browser may load and send: without a nonce nothing; with it the page's own style, script and
    forms."""
    own = f"style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; form-action 'self'; " if nonce else ""
    return f"default-src 'none'; {own}base-uri 'none'; frame-ancestors 'none'"


HEADERS = {
    "Content-Security-Policy": content_policy(),
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""Of every answer, where the application does not set its own."""


@dataclass(frozen=True, slots=True)
class PageAccess:
    """An ASGI application behind its address: whoever does not know it never gets to `app`."""

    app: ASGIApp
    address: PageAddress

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for header, value in HEADERS.items():
                    headers.setdefault(header, value)
            await send(message)

        answer = refuse_stranger(Request(scope), self.address) or self.app
        await answer(scope, receive, send_guarded)


def refuse_stranger(request: Request, address: PageAddress) -> Response | None:
    """The answer to a request to another host name, without the token, or from elsewhere to decide.

    None where it is let in.
    """
    # a page from elsewhere whose name was made to lead here still sends its own name
    if request.headers.get("Host") != address.host:
        return PlainTextResponse("another host", HTTPStatus.FORBIDDEN)
    _, _, rest = request.scope["path"].partition("/")
    token, slash, _ = rest.partition("/")
    if not compare_digest(token.encode("utf-8", "replace"), address.token.encode()):
        return PlainTextResponse("the address needs its token, as it was printed", HTTPStatus.FORBIDDEN)
    if not slash:
        return PlainTextResponse("no such page", HTTPStatus.NOT_FOUND)
    # a script of another page that asks sends its origin; a link or an address typed in sends none
    given = request.headers.get("Origin")
    if given not in (None, address.origin):
        return PlainTextResponse("another origin", HTTPStatus.FORBIDDEN)
    if given is None and request.method not in ("GET", "HEAD"):
        return PlainTextResponse("a decision comes from the review page itself", HTTPStatus.FORBIDDEN)
    return None
