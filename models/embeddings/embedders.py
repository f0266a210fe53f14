"""Name → embedder: `hashing`, `openai/<model>` or another provider's, `sentence-transformers/<model>`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.models.client.keys import Keys
from loadbearing.models.client.limits import MAX_REPLY_BYTES
from loadbearing.models.client.types import ModelFault
from loadbearing.models.embeddings.embedding import Array, Embedder, HashingEmbedder
from loadbearing.models.embeddings.provider import ProviderEmbedder, open_provider

EXTRA = "pip install loadbearing[embeddings]"
HERE = "sentence-transformers/"


def open_embedder(name: str, model_client: ModelClient) -> Embedder:
    """The embedder of a name that was checked. Nothing is asked for or loaded before the first text."""
    if name == "hashing":
        return HashingEmbedder()
    if name.startswith(HERE):
        return LocalEmbedder(name.removeprefix(HERE))
    return ProviderEmbedder(Caller(model_client, name, purpose="embed"))


def check_embedder(name: str, keys: Keys) -> None:
    """Check an embedder as far as that goes without a request.

    Raises:
        ModelFault: no such embedder, or something that it needs is missing.
    """
    if name.startswith(HERE):
        LocalEmbedder(name.removeprefix(HERE))
    elif name != "hashing":
        open_provider(name, keys, MAX_REPLY_BYTES)


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
            raise ModelFault(f"{self.space} needs an extra that is not here: {EXTRA}")

    @property
    def space(self) -> str:
        """The model's name."""
        return f"{HERE}{self.name}"

    async def embed(self, texts: Sequence[str]) -> Array:
        """Vectors of shape (n_texts, d); of a text that is too long the model reads the beginning.

        Raises:
            ModelFault: the model cannot be loaded, or gives no finite vectors.
        """
        found = np.asarray(self._model.encode(list(texts), show_progress_bar=False), dtype=np.float32)
        if found.shape[:1] != (len(texts),) or found.ndim != 2 or not np.isfinite(found).all():
            raise ModelFault(f"{self.space} gave no finite vectors for {len(texts)} texts: {found.shape}")
        return found

    @cached_property
    def _model(self) -> Any:
        try:
            return import_module("sentence_transformers").SentenceTransformer(self.name)
        except (OSError, ValueError, RuntimeError, ImportError) as fault:
            why = " ".join(str(fault).split())[:200]
            raise ModelFault(f"sentence-transformers cannot load {self.name!r}: {why}") from fault
