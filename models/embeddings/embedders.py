"""Name → embedder: `hashing`, `openai/<model>` or another provider's, `sentence-transformers/<model>`."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

from loadbearing.models.client.keys import Keys
from loadbearing.models.client.model_string import LOCAL, split_model
from loadbearing.models.client.reply_size import MAX_REPLY_BYTES
from loadbearing.models.client.retry import RetryPolicy
from loadbearing.models.client.types import ModelFault
from loadbearing.models.embeddings.embedding import Embedder, HashingEmbedder
from loadbearing.models.embeddings.local import LocalEmbedder
from loadbearing.models.embeddings.provider import ProviderEmbedder
from loadbearing.models.embeddings.store import KeptEmbedder
from loadbearing.models.providers.provider import known_provider
from loadbearing.models.providers.reach import reach


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
        connection: to the file in which vectors are kept; those of `hashing` cost nothing and are not.
        retry_policy: how often and how long one request to a provider is tried.
        say: called with a line on every fault of a provider.
        max_reply_bytes: a larger answer of a provider, for each of its texts, is a fault.

    Raises:
        ModelFault: no such embedder, or something that it needs is missing.
    """
    if name == "hashing":
        return HashingEmbedder()
    return KeptEmbedder(_source(name, keys, retry_policy, say, max_reply_bytes), connection)


def check_embedder(name: str, keys: Keys) -> None:
    """Check an embedder as far as that goes without a request.

    Raises:
        ModelFault: no such embedder, or something that it needs is missing.
    """
    if name != "hashing":
        _source(name, keys)


def _source(
    name: str,
    keys: Keys,
    retry_policy: RetryPolicy = RetryPolicy(),
    say: Callable[[str], None] = lambda _: None,
    max_reply_bytes: int = MAX_REPLY_BYTES,
) -> Embedder:
    if name.startswith("sentence-transformers/"):
        return LocalEmbedder(name.removeprefix("sentence-transformers/"))
    provider, model, settings = split_model(name)
    unknown = sorted(settings.keys() - {"dimensions"})
    if unknown:
        raise ModelFault(f"an embedder takes the setting dimensions; {name!r} has {', '.join(unknown)}")
    asked = settings.get("dimensions")
    if asked is not None and not re.fullmatch(r"[1-9][0-9]{0,4}", asked):
        raise ModelFault(f"dimensions is a whole number from 1 to 99999; got {asked!r} in {name!r}")
    if provider in LOCAL or ((row := known_provider(provider)) and row.embeddings is None):
        raise ModelFault(
            f"{provider!r} makes no vectors, but {name!r} is named as embedder; there are hashing,"
            " sentence-transformers/..., openai/..., gemini/..., mistral/... and other servers like them"
        )
    reached = reach(name, provider, keys)
    return ProviderEmbedder(
        asked=f"{provider}/{model}",
        model=model,
        url=f"{reached.address}{reached.provider.embeddings}",
        key=reached.key,
        keys=keys,
        dimensions=None if asked is None else int(asked),
        max_reply_bytes=max_reply_bytes,
        retry_policy=retry_policy,
        say=say,
    )
