"""The result of one request of a message batch."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from loadbearing.models.client.reply_size import MAX_REPLY_BYTES, bounded, too_large
from loadbearing.models.client.types import Kind, ProviderFault, Reply, Request
from loadbearing.models.providers.anthropic import AnthropicBackend, read_message
from loadbearing.models.providers.http_errors import (
    malformed,
    one_line,
    refuses_temperature,
    without_temperature,
)

ERRORS: Mapping[str, tuple[Kind, bool]] = {
    "invalid_request_error": ("bad request", False),
    "request_too_large": ("bad request", False),
    "authentication_error": ("not permitted", False),
    "billing_error": ("not permitted", False),
    "permission_error": ("not permitted", False),
    "not_found_error": ("not found", False),
    "rate_limit_error": ("rate limit", True),
    "timeout_error": ("time-out", True),
    "overloaded_error": ("overloaded", True),
}
"""Type of an error of one request → kind, and whether it heals; others are the server's and heal."""

LARGE = "too large"


class Sent(NamedTuple):
    """What was sent for one key: the parsed body, and the temperature in it."""

    body: Any
    temperature: float | None


async def read_lines(
    pieces: AsyncIterator[bytes], wanted: Collection[bytes], most: int, asked: str
) -> dict[bytes, Any]:
    """The results of a batch by key; of one that is too large only that it is.

    Args:
        wanted: the keys of its requests; others are ignored.
        most: bytes of one result. All of them are read while they have the usual size on average.

    Raises:
        ValueError, TypeError, KeyError: a line is no result.
        ProviderFault: there is more than so many results can be.
    """
    whole = max(most, MAX_REPLY_BYTES) * len(wanted)
    body = b"".join([piece async for piece in bounded(pieces, whole, asked)])
    found: dict[bytes, Any] = {}
    for line in filter(bytes.strip, body.split(b"\n")):
        one = json.loads(line)
        key = bytes.fromhex(one["custom_id"])
        if key in wanted:
            found[key] = {"type": LARGE} if len(line) > most else one["result"]
    return found


def read_result(result: Any, sent: Sent, request: Request, backend: AnthropicBackend) -> Reply:
    """The reply in a result.

    Args:
        result: the parsed JSON of the result of one request, or None where the batch has none.

    Raises:
        ProviderFault: it holds none. Where the model refused the temperature, none is sent from now on.
    """
    keys, asked = backend.keys, request.model
    how = result.get("type") if isinstance(result, dict) else None
    if how == "succeeded":
        reply = read_message(result.get("message"), sent.body, request, sent.temperature, keys)
        return replace(reply, batched=True)
    if how == "errored":
        said = json.dumps(result.get("error"))
        if sent.temperature is not None and refuses_temperature(400, said):
            backend.takes_temperature = False
            raise without_temperature(asked)
        kind, heals = next((one for name, one in ERRORS.items() if name in said), ("server error", True))
        raise ProviderFault(one_line(f"{asked}: in a batch: {kind}: {said}", keys), kind, heals)
    if how == LARGE:
        raise too_large(asked, backend.max_reply_bytes)
    if how == "canceled":
        raise ProviderFault(f"{asked}: the batch was cancelled", "server error", heals=False)
    if how == "expired":
        raise ProviderFault(f"{asked}: the batch expired", "time-out", heals=True)
    raise malformed(asked, "a batch without a result for this request", keys)
