"""Replies that are given again to an equal request of another session, where the user allows it."""

from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import sha256

from multidict import CIMultiDict

from memtrial.proxy.passed_headers import Headers

TELLING = ("anthropic-version", "anthropic-beta", "openai-beta", "accept-encoding", "content-encoding")
"""Headers that can change what is answered, or how it is written."""


@dataclass(frozen=True, slots=True)
class SharedReply:
    """A whole reply; its bytes are in the store under `number`."""

    number: int
    session: str
    headers: CIMultiDict[str]


@dataclass
class SharedReplies:
    """The replies by the digest of their request.

    A session gets each of them once, and never its own: the second of two equal requests is another draw.
    """

    _replies: defaultdict[bytes, list[SharedReply]] = field(default_factory=lambda: defaultdict(list))
    _given: set[tuple[str, int]] = field(default_factory=set)

    def take(self, key: bytes, session: str) -> SharedReply | None:
        """A reply that this session has not had; None where there is none."""
        for reply in self._replies.get(key, ()):
            if reply.session != session and (session, reply.number) not in self._given:
                self._given.add((session, reply.number))
                return reply
        return None

    def keep(self, key: bytes, reply: SharedReply) -> None:
        """Add a reply."""
        self._replies[key].append(reply)


def sharing_key(method: str, path: str, headers: Headers, digest: str) -> bytes:
    """What two requests have in common that may share a reply; `digest` is of the body as it is sent."""
    telling = [f"{name}: {headers.get(name, '')}" for name in TELLING]
    return sha256("\n".join([method, path, *telling, digest]).encode()).digest()
