"""A session of the proxy: a token of its own, what it may use, and what it has used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from memtrial.proxy.proxy_account import ProxyAccount, ProxyLimits

Rewrite = Callable[[str, bytes, str], bytes]
"""Of the path, the body and the content codings of a request: the body that is sent, in the same codings.
ProxyRefusal where it must not be sent."""


def leave(path: str, body: bytes, codings: str) -> bytes:  # noqa: ARG001
    """Send a body as it came."""
    return body


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """How the requests of a session are treated.

    Args:
        name: what its exchanges are kept under; no two sessions of a proxy share one.
        limits: its own, within those of the proxy.
        rewrite: what is done to the body of a request before it is kept and sent. What it gives depends on
            these alone.
        share: an equal request of another session that allows it, too, gets the same reply. Equal are method,
            path and body, byte for byte: clients that put a changing text into each request share nothing.
    """

    name: str
    limits: ProxyLimits = ProxyLimits()
    rewrite: Rewrite = leave
    share: bool = False


@dataclass(eq=False)
class ProxySession:
    """A session that is open.

    Args:
        url: of the proxy, without `/v1` and a slash at its end.
        token: what the client gives as its key, in place of the user's.
        closed: why nothing more passes; empty while something does.
    """

    terms: SessionTerms
    url: str
    token: str = field(repr=False)
    account: ProxyAccount
    closed: str = ""
    _at_work: set[asyncio.Task[object]] = field(default_factory=set, repr=False)

    @property
    def anthropic_url(self) -> str:
        """What ANTHROPIC_BASE_URL takes."""
        return self.url

    @property
    def openai_url(self) -> str:
        """What OPENAI_BASE_URL takes."""
        return f"{self.url}/v1"

    def environment(self) -> dict[str, str]:
        """The variables that send the providers' own clients here, with the token as their key."""
        return {
            "ANTHROPIC_BASE_URL": self.anthropic_url,
            "ANTHROPIC_API_KEY": self.token,
            "OPENAI_BASE_URL": self.openai_url,
            "OPENAI_API_KEY": self.token,
        }

    def close(self) -> None:
        """Let nothing more pass; requests in flight are ended, upstream too."""
        self.closed = self.closed or "the session is closed"
        for task in self._at_work:
            task.cancel()

    @contextmanager
    def work(self) -> Iterator[None]:
        """The running task is one of its requests."""
        task = asyncio.current_task()
        assert task is not None
        self._at_work.add(task)
        try:
            yield
        finally:
            self._at_work.discard(task)
