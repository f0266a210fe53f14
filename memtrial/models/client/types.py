"""One call to a language model: the model string, the request, the reply, and what answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from memtrial.models.client.content_blocks import (
    Block,
    Content,
    TextBlock,
    describe_block,
    encode,
    is_plain,
    join_texts,
)

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

Role = Literal["system", "user", "assistant"]
Stop = Literal["end", "length", "refusal", "tool use"]
_OfTheLine = Literal["rate limit", "overloaded", "server error", "time-out", "connection"]
_OfTheRequest = Literal["bad request", "fewer tokens", "not permitted", "not found"]
_OfTheReply = Literal["malformed reply", "large reply", "empty reply", "other model"]
Kind = _OfTheLine | _OfTheRequest | _OfTheReply

OWN = "own"
"""The provider of an agent that brings its own model: nothing is asked of it here."""
WEIGHTS = "local"
"""The provider of weights in a file on this machine: a real model, whose answers cost time alone."""
REMADE = "simulated"
"""The provider whose answers come of the request alone: one is made again where it is wanted."""
LOCAL = (WEIGHTS, OWN, "replay", REMADE)
"""Providers whose answers are made on this machine and cost nothing, or that are asked nothing."""


class ModelFault(RuntimeError):
    """A model is not available or did not answer: an error of infrastructure, not a failure of the agent."""


@dataclass(eq=False)
class ProviderFault(ModelFault):
    """One request to a provider brought no answer.

    Args:
        heals: the same request may be answered if it is sent again.
        retry_after_s: how long the provider asks to wait.
        reply: what came back and cannot be used, but may have cost money.
    """

    message: str
    kind: Kind
    heals: bool
    retry_after_s: float | None = None
    reply: Reply | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation: `Message("user", "Go.")`, or with a tuple of blocks as its content.

    Args:
        more: the message's further fields, as a JSON object in the words of the request's `wire` format.
        spelling: which of the format's own spellings it came in, as its module in `models/wire` says; the
            model does not see it.
    """

    role: Role
    content: Content
    more: str = ""
    spelling: str = ""

    @property
    def text(self) -> str:
        """Its texts in one; images, tool uses and what tools gave back are no texts."""
        return self.content if isinstance(self.content, str) else join_texts(self.content)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its content as blocks; a plain text is one."""
        return (TextBlock(self.content),) if isinstance(self.content, str) else self.content

    def describe(self) -> tuple[Any, ...]:
        """All of it that can change an answer, for the digest: role and text where there is no more."""
        if not self.more and is_plain(self.content):
            return self.role, join_texts(self.content)
        return self.role, [describe_block(block) for block in self.blocks], self.more


@dataclass(frozen=True)
class Request:
    """Everything that determines an answer, apart from chance; None is the provider's own, or no limit.

    Args:
        draw: whose draw this is, where equal requests are to be answered each for itself; it is not sent.
        begun: what digested the beginning of the same conversation, if something did.
        settings: further fields that can change the answer, such as tools, as a JSON object.
        delivery: further fields that cannot, such as `stream`, as a JSON object.
        wire: the format of `models/wire` in whose words further fields are; empty where there are none.
        spelling: as of `Message`.
        choices: the reply is to be one of these texts, verbatim; empty where it is free.
        scored: the probability of each of the choices is asked for, too.
    """

    model: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    max_tokens: int | None = 2048
    draw: str = ""
    settings: str = ""
    delivery: str = ""
    wire: str = ""
    spelling: str = ""
    choices: tuple[str, ...] = ()
    scored: bool = False
    begun: TalkDigest | None = field(default=None, compare=False, repr=False)

    @cached_property
    def digest(self) -> bytes:
        """Sha256 of the canonical JSON of the request, 32 bytes."""
        more: list[Any] = [self.settings] if self.settings else []
        # not there where the reply is free, so that such a request has the digest it always had
        more += [{"choices": self.choices, "scored": self.scored}] if self.choices else []
        before = _encode_settings(self.model, self.temperature, self.max_tokens)
        digested = (self.begun or TalkDigest()).read(before, self.messages)
        digested.update(f"]{''.join(f',{encode(each)}' for each in more)}]".encode() if more else b"]]")
        return digested.digest()


def key_of(request: Request, repeat: int) -> bytes:
    """The key of a call: the digest of the request, the repeat, and whose draw it is; 32 bytes."""
    draw = request.draw.encode("utf-8", "surrogatepass")
    return sha256(request.digest + repeat.to_bytes(8, "big", signed=True) + draw).digest()


@dataclass
class TalkDigest:
    """Digests the requests of a conversation that grows at its end: no message is read twice."""

    _before: str = ""
    _messages: tuple[Message, ...] = ()
    _digested: Hash = field(default_factory=sha256)

    def read(self, before: str, messages: tuple[Message, ...]) -> Hash:
        """The digest as far as these messages, whose list is open; what stands before them is JSON."""
        known = len(self._messages)
        if not known or before != self._before or messages[:known] != self._messages:
            self._digested, known = sha256(f"[{before},[".encode()), 0
        more = ",".join(map(_encode_message, messages[known:]))
        self._digested.update((f",{more}" if known and more else more).encode())
        self._before, self._messages = before, messages
        return self._digested.copy()


@lru_cache(maxsize=256, typed=True)  # all requests of a role have the same; 0 and 0.0 are two texts
def _encode_settings(model: str, temperature: float | None, max_tokens: int | None) -> str:
    return ",".join(map(encode, (model, temperature, max_tokens)))


@lru_cache(maxsize=256)  # trials of a block begin alike; so few that long texts take little
def _encode_message(message: Message) -> str:
    if isinstance(message.content, str) and not message.more:
        # what the line below gives, without an encoder made for each short list
        return f"[{encode(message.role)},{encode(message.content)}]"
    return encode(message.describe())


@dataclass(frozen=True, slots=True)
class Instead:
    """A tuned instruction for a structured call, and worked examples that are shown before the question."""

    instructions: str
    demos: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, and what was sent for it.

    Args:
        text: may be empty where the model refused or ran into `max_tokens`.
        input_tokens: of the prompt, those neither read from nor written to the provider's prompt cache.
        model: the id the provider named, which need not be the one asked for.
        temperature: the one that was sent; None where none was, even if the request has one.
        verbatim: the request was unchanged in the body that was sent and in the provider's echo, if any.
        usd: what it cost when it was answered, in US dollars; None where no price is known.
        blocks: all that was answered, where it is more than one plain text; `text` joins its texts.
        more: the reply's further fields, as a JSON object in the words of its wire format.
        shares: the probability of each of the request's choices, in their order; they sum to 1. Empty where
            none was asked for, or the server tells none.
    """

    text: str
    input_tokens: int
    output_tokens: int
    model: str
    cached: bool = False
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    stop: Stop = "end"
    temperature: float | None = None
    verbatim: bool = True
    usd: float | None = 0.0
    blocks: tuple[Block, ...] = ()
    more: str = ""
    shares: tuple[float, ...] = ()


@runtime_checkable
class Loads(Protocol):
    """A backend whose library takes a second or more to load."""

    def load(self) -> None:
        """Load it, in any thread: before a request's time begins, and while others are answered."""


def split_model(model: str) -> tuple[str, str, dict[str, str]]:
    """`provider/name?k=v&k=v` → provider, name, settings; ModelFault for another shape or a setting twice."""
    address, _, query = model.partition("?")
    provider, _, name = address.partition("/")
    if not (provider and name):
        raise ModelFault(f"a model is named provider/name, for example simulated/reader; got {model!r}")
    settings: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        key, equals, value = pair.partition("=")
        if not equals or key in settings:
            raise ModelFault(
                f"a setting of a model is written key=value and never stands twice; got {pair!r} in {model!r}"
            )
        settings[key] = value
    return provider, name, settings


def provider_of(model: str) -> str:
    """The part before the first slash."""
    return model.partition("/")[0]
