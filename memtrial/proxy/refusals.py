"""Errors of the proxy itself, in the form of the provider that the client speaks with.

What another try cannot mend has a status that no client sends again (400, not 429), and says so in the header
that the providers' libraries heed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memtrial.proxy.proxy_routes import ANTHROPIC

if TYPE_CHECKING:
    from aiohttp import web

ANTHROPIC_TYPES = {
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    502: "api_error",
    504: "timeout_error",
}
OPENAI_TYPES = {502: "server_error", 504: "server_error"}
CODES = {401: "invalid_api_key", 404: "not_found"}
HEALS = (502, 504)


class ProxyRefusal(Exception):
    """A request is answered with an error of the proxy's own. The message is one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def error_body(provider: str, status: int, message: str) -> bytes:
    """The body of an error in a provider's form."""
    line = f"memtrial proxy: {message}"
    if provider == ANTHROPIC:
        kind = ANTHROPIC_TYPES.get(status, "invalid_request_error")
        return json.dumps({"type": "error", "error": {"type": kind, "message": line}}).encode()
    kind, code = OPENAI_TYPES.get(status, "invalid_request_error"), CODES.get(status)
    return json.dumps({"error": {"message": line, "type": kind, "param": None, "code": code}}).encode()


def refuse(provider: str, refusal: ProxyRefusal) -> web.Response:
    """The whole answer."""
    from aiohttp import web

    answer = web.Response(
        status=refusal.status,
        body=error_body(provider, refusal.status, str(refusal)),
        content_type="application/json",
    )
    if refusal.status not in HEALS:
        answer.headers["x-should-retry"] = "false"
    return answer
