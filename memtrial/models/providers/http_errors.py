"""HTTP errors of providers: their kind, whether they heal, how long to wait."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from memtrial.models.client.keys import Keys
from memtrial.models.client.prompt_delivery import to_keep
from memtrial.models.client.types import Kind, ProviderFault

LONGEST_MESSAGE = 300
"""Characters of a provider's message that are kept: an error page can be long."""

KINDS: dict[int, tuple[Kind, bool]] = {
    401: ("not permitted", False),
    402: ("not permitted", False),
    403: ("not permitted", False),
    404: ("not found", False),
    408: ("time-out", True),
    409: ("server error", True),
    425: ("server error", True),
    429: ("rate limit", True),
    529: ("overloaded", True),
}
"""Status → kind, and whether the same request may be answered later. Others: 5xx heals, the rest does not."""

LEAST_TOKENS = 1024
"""No model's replies are bounded below this: a smaller number in a message is another one."""

OUT_OF_MONEY = ("insufficient_quota", "billing_hard_limit_reached")
"""Codes sent with status 429 that do not heal by waiting."""


def fault_of_status(
    status: int, message: str, headers: Mapping[str, str], asked: str, keys: Keys
) -> ProviderFault:
    """The fault that an error status means; `said` is the message or body, header names are lower case."""
    kind, heals = KINDS.get(status, ("server error", True) if status >= 500 else ("bad request", False))
    if status == 429 and any(code in message for code in OUT_OF_MONEY):
        kind, heals = "not permitted", False
    if 300 <= status < 400 and (place := headers.get("location")):
        message = f"redirected to {place}; a key follows no redirect, --base-url takes the right address"
    line = one_line(f"{asked}: {status} {kind}: {message}", keys)
    return ProviderFault(line, kind, heals, retry_after_s(headers) if heals else None)


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """How long the provider asks us to wait: `retry-after-ms`, or `retry-after` as seconds or HTTP date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            value = float(headers.get(name, ""))
        except ValueError:
            continue
        return max(0.0, value * unit) if math.isfinite(value) else None
    try:
        when = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def one_line(message: str, keys: Keys) -> str:
    """A message as one bounded line, without secrets."""
    # hidden first: half a key would not be found
    line = " ".join(to_keep(keys.hide(message)).split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[:LONGEST_MESSAGE]}…"


def fault_of_malformed(asked: str, what: str, keys: Keys) -> ProviderFault:
    """A reply that cannot be read."""
    return ProviderFault(one_line(f"{asked}: malformed reply: {what}", keys), "malformed reply", heals=True)


def check_counts(model: object, *tokens: object) -> list[int]:
    """The counts of tokens of a reply that names its model; ValueError where it lacks either."""
    counts = [count for count in tokens if type(count) is int and count >= 0]
    if not isinstance(model, str) or not model or len(counts) < len(tokens):
        raise ValueError("a model id and counts of tokens are needed")
    return counts


_MOST = re.compile(r"(\d[\d,]{0,11}+)")


def tokens_refused(
    status: int, message: str, asked: str, sent: int | None
) -> tuple[int, ProviderFault] | None:
    """The most tokens that a model takes, and the fault of a request for more; None of any other fault.

    The message names the number that was sent and, below it, the one that is allowed.
    """
    if status not in (400, 422) or sent is None or "token" not in message.lower():
        return None
    numbers = {int(digits.replace(",", "")) for digits in _MOST.findall(message[:LONGEST_MESSAGE])}
    if sent not in numbers:
        return None
    most = max((number for number in numbers if LEAST_TOKENS <= number < sent), default=None)
    if most is None:
        return None
    line = f"{asked} takes no max_tokens of {sent:,}; from now on {most:,} is sent"
    return most, ProviderFault(line, "fewer tokens", heals=True, retry_after_s=0)


def temperature_refused(status: int, message: str, asked: str) -> ProviderFault | None:
    """The fault of a model that takes no temperature, None of any other: sent again, it goes without one."""
    if status not in (400, 422) or "temperature" not in message.lower():
        return None
    line = f"{asked} takes no temperature; from now on none is sent, and every reply says so"
    return ProviderFault(line, "bad request", heals=True, retry_after_s=0)
