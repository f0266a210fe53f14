"""Name → embedder: `hashing`, `openai/<model>` or another provider's, `sentence-transformers/<model>`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from loadbearing.models.client.keys import Keys
from loadbearing.models.client.limits import MAX_REPLY_BYTES, RetryPolicy
from loadbearing.models.client.types import LOCAL, ModelFault, split_model
from loadbearing.models.embeddings.embedding import Embedder, HashingEmbedder, Vectors
from loadbearing.models.embeddings.provider import ProviderEmbedder
from loadbearing.models.embeddings.store import KeptEmbedder
from loadbearing.models.providers.reach import known_provider, reach

EXTRA = "pip install loadbearing[embeddings]"


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
        connection: to the file in which vectors are kept; those of `hashing` cost nothing and are not.
        say: called with a line on every fault of a provider.
        max_reply_bytes: a larger answer of a provider, for each of its texts, is a fault.

    Raises:
        ModelFault: no such embedder, or something that it needs is missing.
    """
    if name == "hashing":
        return HashingEmbedder()
    source: Embedder
    if name.startswith("sentence-transformers/"):
        source = LocalEmbedder(name.removeprefix("sentence-transformers/"))
    else:
        provider, _, settings = split_model(name)
        row = known_provider(provider)
        if settings or provider in LOCAL or (row is not None and row.embeddings is None):
            raise ModelFault(
                f"{name!r} makes no vectors; there are hashing, sentence-transformers/..., openai/...,"
                " gemini/..., mistral/... and other servers like them, without settings (such as dimensions)"
            )
        reached = reach(name, provider, keys)
        url = f"{reached.address}{reached.provider.embeddings}"
        source = ProviderEmbedder(name, url, reached.key, keys, max_reply_bytes, retry_policy, say)
    return KeptEmbedder(source, connection)


def check_embedder(name: str, keys: Keys) -> None:
    """Check an embedder as far as that goes without a request. Raises as `open_embedder`."""
    with closing(sqlite3.connect(":memory:")) as nothing:
        open_embedder(name, keys, nothing)


@dataclass(frozen=True)
class LocalEmbedder:
    """A model on this machine, through sentence-transformers, an extra that installs torch.

    Args:
        name: a folder, or the hub's name, from which the model is downloaded on first use.

    Raises:
        ModelFault: sentence-transformers is not installed.
    """

    name: str

    def __post_init__(self) -> None:
        if find_spec("sentence_transformers") is None:
            raise ModelFault(f"sentence-transformers/{self.name} needs an extra that is not here: {EXTRA}")

    @property
    def space(self) -> str:
        """The model's name."""
        return f"sentence-transformers/{self.name}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n_texts, d); of a text that is too long the model reads the beginning.

        Raises:
            ModelFault: the model cannot be loaded, or gives no finite vectors.
        """
        found = np.asarray(self._model.encode(list(texts), show_progress_bar=False), dtype=np.float32)
        if found.shape[:1] != (len(texts),) or found.ndim != 2 or not np.isfinite(found).all():
            raise ModelFault(f"{self.space} gave no finite vectors for {len(texts)} texts: {found.shape}")
        return Vectors(self.space, found, answered=self.name)

    @cached_property
    def _model(self) -> Any:
        try:
            return import_module("sentence_transformers").SentenceTransformer(self.name)
        except (OSError, ValueError, RuntimeError, ImportError) as fault:
            why = " ".join(str(fault).split())[:200]
            raise ModelFault(f"sentence-transformers cannot load {self.name!r}: {why}") from fault
