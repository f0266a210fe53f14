"""The form of a decision, as the browser sends it."""

import asyncio
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST = 16 * 2**20
"""Bytes of an edit, each character of which may take three in a form; the route reads no more."""
MOST_FIELDS = 4
FORM_S = 10
"""A form that is not whole after so long is let go: it comes from this machine."""


async def read_body(request: Request) -> bytes:
    """The whole form.

    Raises:
        HTTPException: it has no length, or the client falls silent within it.
        ClientDisconnect: the client leaves within it.
    """
    if "Content-Length" not in request.headers:
        raise HTTPException(HTTPStatus.LENGTH_REQUIRED, "a length is needed")
    try:
        async with asyncio.timeout(FORM_S):
            return await request.body()
    except TimeoutError as fault:
        raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, "the rest of the form did not come") from fault


def parse_form(body: bytes) -> dict[str, str]:
    """The first value of each field; HTTPException where it is no form, or has more fields than ours."""
    try:
        fields = parse_qs(
            body.decode("ascii", "replace"),
            keep_blank_values=True,
            errors="replace",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError as fault:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "a form of this page is needed") from fault
    return {key: values[0] for key, values in fields.items()}
