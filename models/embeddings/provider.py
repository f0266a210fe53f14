"""Vectors from a provider through OpenAI's `/embeddings`, which most of them offer, over plain HTTP.

DSPy offers embeddings only through litellm, whose import takes 4.7 s and uses the network; importing openai's
own client takes 1.2 s, httpx 0.2 s (measured).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Annotated

import numpy as np
from pydantic import AllowInfNan, BaseModel, Field, Strict, StrictInt, ValidationError

from loadbearing.models.client.keys import Keys
from loadbearing.models.client.limits import CONNECT_S, MAX_REPLY_BYTES, RetryPolicy, too_large
from loadbearing.models.client.types import ProviderFault
from loadbearing.models.embeddings.embedding import Vectors
from loadbearing.models.providers.http_errors import fault_of_status, one_line

LONGEST_TEXT = 20_000
"""Characters of a text that are sent: models read some 8,000 tokens, and a raw trajectory can be longer."""


@dataclass(frozen=True, slots=True)
class ProviderEmbedder:
    """One embedding model of one provider, `asked` as the spec names it; `keys` are hidden from messages."""

    asked: str
    url: str
    key: str = field(repr=False)
    keys: Keys
    max_reply_bytes: int = MAX_REPLY_BYTES
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    say: Callable[[str], None] = lambda _: None
    rng: Random = field(default_factory=Random)

    @property
    def space(self) -> str:
        """Provider, model, and how much of a text is seen."""
        return f"{self.asked}, its own dimensions, first {LONGEST_TEXT} characters"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n_texts, d), asked for until there is an answer; no text may be blank.

        Raises:
            ProviderFault: no answer after all attempts, or the fault does not heal.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._once(texts)
            except ProviderFault as fault:
                wait_s = self.retry_policy.wait_s(fault, attempt, self.rng)
                then = "given up" if wait_s is None else f"again in {wait_s:.1f} s"
                self.say(f"{fault.kind}, attempt {attempt} of {self.retry_policy.attempts}, {then}: {fault}")
                if wait_s is None:
                    raise
            time.sleep(wait_s)

    def _once(self, texts: Sequence[str]) -> Vectors:
        # a model may write half of a surrogate pair, which no request can carry
        sent = [text[:LONGEST_TEXT].encode("utf-8", "replace").decode() for text in texts]
        body = json.dumps({"model": self.asked.partition("/")[2], "input": sent}).encode()
        raw = self._post(body, len(texts))
        try:
            return read_answer(raw, len(texts), self.space)
        except ValueError as fault:
            said = one_line(f"{self.asked} answered with something else than its vectors: {fault}", self.keys)
            raise ProviderFault(said, "malformed reply", heals=True) from fault

    def _post(self, body: bytes, n_texts: int) -> bytes:
        """The body of the answer."""
        import httpx

        longest_s = self.retry_policy.call_timeout_s
        limits = httpx.Timeout(longest_s, connect=min(CONNECT_S, longest_s))
        sent = {
            "content-type": "application/json",
            "accept-encoding": "identity",
            "authorization": f"Bearer {self.key}",
        }
        until, raw = time.monotonic() + longest_s, bytearray()
        try:
            with httpx.stream("POST", self.url, content=body, headers=sent, timeout=limits) as answer:
                most = self.max_reply_bytes * (n_texts if answer.is_success else 1)
                for piece in answer.iter_bytes():
                    raw += piece
                    if len(raw) > most:
                        raise too_large(self.asked, most)
                    # httpx limits each read: an answer that drips would never end
                    if time.monotonic() > until:
                        raise httpx.ReadTimeout("the answer drips")
        except httpx.TimeoutException as fault:
            said = f"no answer from {self.asked} within {longest_s:g} s"
            raise ProviderFault(said, "time-out", heals=True) from fault
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            said = one_line(f"no connection to {self.asked}: {type(fault).__name__} {fault}", self.keys)
            raise ProviderFault(said, "connection", heals=True) from fault
        if not answer.is_success:
            said, headers = raw.decode("utf-8", "replace"), dict(answer.headers)
            raise fault_of_status(answer.status_code, said, headers, self.asked, self.keys)
        return bytes(raw)


Number = Annotated[float, Strict(), AllowInfNan(False)]


class _Row(BaseModel):
    embedding: list[Number] = Field(min_length=1)
    index: StrictInt | None = None


class _Answer(BaseModel):
    data: list[_Row]
    # a server that leaves these out, or writes something odd, has still answered
    model: object = ""
    usage: object = None


def read_answer(raw: bytes, n: int, space: str = "") -> Vectors:
    """The vectors of an answer to `n` texts, in the order of the texts.

    Raises:
        ValueError: they are not `n` rows of finite numbers, all of one length above 0, each text once.
    """
    try:
        answer = _Answer.model_validate_json(raw)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc'])) or 'JSON'}: {first['msg']}") from None
    rows = {at if row.index is None else row.index: row.embedding for at, row in enumerate(answer.data)}
    if len(answer.data) != n or sorted(rows) != list(range(n)):
        raise ValueError(f"{len(answer.data)} vectors for {n} texts, or their indices are not 0 to {n - 1}")
    # rows of several lengths make no array
    with np.errstate(over="ignore"):
        array = np.array([rows[at] for at in range(n)], dtype=np.float64).astype(np.float32)
    if not np.isfinite(array).all():
        raise ValueError("a number is too large")
    usage = answer.usage if isinstance(answer.usage, dict) else {}
    tokens = usage.get("total_tokens", usage.get("prompt_tokens"))
    return Vectors(
        space,
        array,
        tokens if type(tokens) is int and 0 <= tokens < 2**62 else 0,
        answer.model if isinstance(answer.model, str) else "",
    )
