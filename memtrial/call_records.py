"""What is kept of the calls to models: plain rows that a call store writes and finds."""

from dataclasses import dataclass

from memtrial.call_purpose import Purpose

TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
"""How tokens of a call are counted; those of a provider's cache are in their own counts alone."""


@dataclass(frozen=True, slots=True)
class KeptCall:
    """One answered call.

    Args:
        key: digest of the request and its repeat, 32 bytes.
        asked: the model string that was asked; `answered`: the model id that came back.
        reply: the text.
        usd: what it cost when it was answered; None where no price is known.
        stop: why the reply ended.
        temperature: the one that was sent; None where none was.
        verbatim: every text of the request stood unchanged in what was sent.
        purpose: what it was asked for.
        send: the number of the intent that it answers; None where nothing was sent.
        blocks: all that was answered, as JSON, where it is more than the one plain text of `reply`.
        shares: the probability of each choice, as a JSON list, where the server told it.
        ended_s: when the answer was there, in seconds since the epoch; None where nothing was sent, and in a
            ledger of before this was kept.
    """

    key: bytes
    asked: str
    answered: str
    reply: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    usd: float | None
    stop: str
    temperature: float | None
    verbatim: bool
    purpose: Purpose
    send: int | None
    blocks: str | None = None
    shares: str | None = None
    ended_s: float | None = None


SHORT = 8
"""Bytes of a key by which a call that cost nothing is known: two among ten million are alike by a chance of 3
in a million."""


@dataclass(frozen=True, slots=True)
class FreeCall:
    """One call to a model that gives the same answer again at no cost: it is counted, its text is not kept.

    Args:
        key: the first `SHORT` bytes of the call's key; the rest as of `KeptCall`.
    """

    key: bytes
    asked: str
    answered: str
    purpose: Purpose
    stop: str
    temperature: float | None
    verbatim: bool
    input_tokens: int
    output_tokens: int

    def to_kept(self) -> KeptCall:
        """The same as a row of the table of calls, without a text, under its short key."""
        return KeptCall(
            key=self.key,
            asked=self.asked,
            answered=self.answered,
            reply="",
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cache_read_tokens=0,
            cache_write_tokens=0,
            usd=0.0,
            stop=self.stop,
            temperature=self.temperature,
            verbatim=self.verbatim,
            purpose=self.purpose,
            send=None,
        )


def short_key(key: bytes) -> bytes:
    """The key under which a call that cost nothing is known."""
    return key[:SHORT]


@dataclass(frozen=True, slots=True)
class SendRecord:
    """The intent to send a request; `number` counts them from 1, `sent_s` is seconds since the epoch."""

    number: int
    key: bytes
    asked: str
    sent_s: float


@dataclass(frozen=True, slots=True)
class SendFaultRecord:
    """An intent that brought no answer: the kind of fault, its cost in US dollars, and when it was known, in
    seconds since the epoch."""

    number: int
    kind: str
    message: str
    usd: float
    ended_s: float | None = None


@dataclass(frozen=True, slots=True)
class SharedCallRecord:
    """A further purpose for which the answer of a call was used; `key` is short where it cost nothing."""

    key: bytes
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class CallBatch:
    """What is committed at once: all of it or nothing."""

    calls: tuple[KeptCall, ...] = ()
    sends: tuple[SendRecord, ...] = ()
    faults: tuple[SendFaultRecord, ...] = ()
    shared: tuple[SharedCallRecord, ...] = ()
    free: tuple[FreeCall, ...] = ()
