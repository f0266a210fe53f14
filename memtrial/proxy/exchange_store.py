"""Where exchanges are kept: the protocol, and a store in memory."""

from dataclasses import dataclass, field
from typing import Protocol

from memtrial.proxy.exchange import Exchange, ExchangeEnd, ExchangeIntent


class ExchangeStore(Protocol):
    """Keeps every request before it is sent, and its reply before the client has the last of it.

    Raises StoreFault, in `begin` and `end`, where that cannot be done; then nothing more is sent.
    """

    def begin(self, intent: ExchangeIntent, body: bytes) -> None:
        """Keep a request that is about to be sent."""

    def end(self, end: ExchangeEnd, reply: bytes) -> None:
        """Keep how it ended, and the bytes of the reply as they came, with their content coding."""

    def exchanges(self) -> tuple[Exchange, ...]:
        """All so far, in the order of their numbers."""

    def request_body(self, number: int) -> bytes:
        """The body that was sent. KeyError: there is no such exchange."""

    def reply_body(self, number: int) -> bytes:
        """The bytes of the reply. KeyError: there is no such exchange, or it has no reply that is kept."""


@dataclass
class MemoryExchanges:
    """Exchanges in memory, equal bodies once."""

    _kept: dict[int, Exchange] = field(default_factory=dict)
    _bodies: dict[str, bytes] = field(default_factory=dict)

    def begin(self, intent: ExchangeIntent, body: bytes) -> None:
        self._bodies[intent.digest] = body
        self._kept[intent.number] = Exchange(intent)

    def end(self, end: ExchangeEnd, reply: bytes) -> None:
        if end.is_kept:
            self._bodies[end.digest] = reply
        self._kept[end.number] = Exchange(self._kept[end.number].intent, end)

    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(self._kept.values())

    def request_body(self, number: int) -> bytes:
        return self._bodies[self._kept[number].intent.digest]

    def reply_body(self, number: int) -> bytes:
        end = self._kept[number].end
        if end is None or not end.is_kept:
            raise KeyError(number)
        return self._bodies[end.digest]
