"""Name → embedder: `hashing`, `openai/<model>` or another provider's, `sentence-transformers/<model>`."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

from loadbearing.models.client.keys import Keys
from loadbearing.models.client.model_string import split_model
from loadbearing.models.client.reply_size import MAX_REPLY_BYTES
from loadbearing.models.client.retry import RetryPolicy
from loadbearing.models.client.types import ModelFault
from loadbearing.models.embeddings.embedding import Embedder, HashingEmbedder
from loadbearing.models.embeddings.local import LocalSource
from loadbearing.models.embeddings.provider import ProviderSource
from loadbearing.models.embeddings.store import KeptEmbedder, Source
from loadbearing.models.providers.openai_compatible import reach

WITHOUT = ("anthropic", "deepseek", "groq", "moonshot", "replay", "simulated", "xai", "zai")
"""Providers of language models that make no vectors."""

PATHS = {"gemini": "/openai/embeddings"}
"""Where vectors lie below a provider's address, if not at `/embeddings`."""


def open_embedder(
    name: str,
    keys: Keys,
    connection: sqlite3.Connection,
    retry_policy: RetryPolicy = RetryPolicy(),
    say: Callable[[str], None] = lambda _: None,
    max_reply_bytes: int = MAX_REPLY_BYTES,
) -> Embedder:
    """The embedder of a name. Nothing is asked for or loaded before the first text.

    Args:
        keys: keys and addresses.
        connection: of the file in which vectors are kept; those of `hashing` cost nothing and are not.
        retry_policy: how often and how long one request to a provider is tried.
        say: told of every fault of a provider, in a line.
        max_reply_bytes: for each text, a larger answer of a provider is a fault.

    Raises:
        ModelFault: no such embedder, or something that it needs is missing.
    """
    if name == "hashing":
        return HashingEmbedder()
    return KeptEmbedder(_source(name, keys, retry_policy, say, max_reply_bytes), connection)


def check_embedder(name: str, keys: Keys) -> None:
    """Everything about an embedder that can be said without asking it.

    Raises:
        ModelFault: no such embedder, or something that it needs is missing.
    """
    if name != "hashing":
        _source(name, keys, RetryPolicy(), lambda _: None, MAX_REPLY_BYTES)


def _source(
    name: str, keys: Keys, retry_policy: RetryPolicy, say: Callable[[str], None], max_reply_bytes: int
) -> Source:
    if name.startswith("sentence-transformers/"):
        return LocalSource(name.removeprefix("sentence-transformers/"))
    provider, model, settings = split_model(name)
    unknown = sorted(settings.keys() - {"dimensions"})
    if unknown:
        raise ModelFault(f"an embedder takes the setting dimensions; {name!r} has {', '.join(unknown)}")
    asked = settings.get("dimensions")
    if asked is not None and not re.fullmatch(r"[1-9][0-9]{0,4}", asked):
        raise ModelFault(f"dimensions is a whole number from 1 to 99999; got {asked!r} in {name!r}")
    if provider in WITHOUT:
        raise ModelFault(
            f"{provider!r} makes no vectors, but {name!r} is named as embedder; there are hashing,"
            " sentence-transformers/..., openai/..., gemini/..., mistral/... and other servers like them"
        )
    reached = reach(name, provider, keys)
    return ProviderSource(
        asked=f"{provider}/{model}",
        model=model,
        url=reached.address + PATHS.get(provider, "/embeddings"),
        key=reached.key,
        keys=keys,
        dimensions=None if asked is None else int(asked),
        max_reply_bytes=max_reply_bytes,
        retry_policy=retry_policy,
        say=say,
    )
