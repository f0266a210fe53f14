"""What is kept of a request that came to the proxy: plain values."""

from dataclasses import dataclass
from typing import Literal

from memtrial.models.wire.reply_usage import ReplyUsage

How = Literal["answered", "shared", "refused", "client gone", "provider failed", "closed"]
"""What ended an exchange: a whole reply of any status; an earlier one of another session; the proxy, before
anything was sent; the client; the provider, in the middle or before; the end of the session or the proxy."""


@dataclass(frozen=True, slots=True)
class ExchangeIntent:
    """A request, as it is about to be sent.

    Args:
        number: counts the requests of a proxy from 1.
        session: the name of its session.
        path: with its query.
        digest: sha256 of the body, in hex, as it is sent; `size` its bytes.
        came_as: sha256 of the body as the client sent it, where it was rewritten; else empty.
        begun_s: seconds since the epoch.
        codings: of the body, as its header `content-encoding` says.
        betas: its header `anthropic-beta`, without which some fields of a body are refused.
    """

    number: int
    session: str
    method: str
    path: str
    digest: str
    size: int
    came_as: str
    begun_s: float
    codings: str = ""
    betas: str = ""


@dataclass(frozen=True, slots=True)
class ExchangeEnd:
    """How a request ended.

    Args:
        why: in one line, where it was not simply answered.
        status: of HTTP; None where none was sent.
        digest: sha256 of the bytes of the reply that came, in hex; `size` how many.
        is_kept: these bytes are in the store; a reply that is too large is not.
        usage: None where the reply used nothing, or does not say.
        usd: US dollars; None where no price is known.
        unmetered: it was sent and may have cost more than is counted here.
        shared_from: the number of the exchange whose reply it got; else None.
    """

    number: int
    how: How
    why: str
    status: int | None
    digest: str
    size: int
    is_kept: bool
    usage: ReplyUsage | None
    usd: float | None
    unmetered: bool
    shared_from: int | None
    ended_s: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and how it ended; no end: it is under way, or the process was killed."""

    intent: ExchangeIntent
    end: ExchangeEnd | None = None
