"""Vectors from a model on this machine, through sentence-transformers, an extra that installs torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from loadbearing.models.client.types import ModelFault
from loadbearing.models.embeddings.embedding import Vectors

EXTRA = "pip install loadbearing[embeddings]"


@dataclass(frozen=True)
class LocalEmbedder:
    """One model of sentence-transformers, by its name on the hub or by its folder.

    Args:
        name: a folder, where there is one of that name; otherwise the hub's name, which is downloaded on
            first use.

    Raises:
        ModelFault: sentence-transformers is not installed.
    """

    name: str
    space: str = field(init=False)

    def __post_init__(self) -> None:
        """Check that the library is installed, and name a folder by the content of its files."""
        if find_spec("sentence_transformers") is None:
            raise ModelFault(f"sentence-transformers/{self.name} needs an extra that is not here: {EXTRA}")
        folder = Path(self.name)
        content = f", files {_digest(folder)[:16]}" if folder.is_dir() else ""
        object.__setattr__(self, "space", f"sentence-transformers/{self.name}{content}")

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


def _digest(folder: Path) -> str:
    """Sha256 over the names and contents of the files: another model in the same folder is another space."""
    whole = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            with path.open("rb") as file:
                content = sha256()
                while piece := file.read(2**20):
                    content.update(piece)
            whole.update(f"{path.relative_to(folder).as_posix()}\x00{content.hexdigest()}\n".encode())
    return whole.hexdigest()
