"""In the place of Gemini: the hashing embedder, behind the names that ReasoningBank's code imports."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

from memtrial.api.interchange.bank_export import DIMENSIONS
from memtrial.models.embeddings.embedding import HashingEmbedder

NAMES = ("vertexai", "vertexai.language_models", "google.genai", "google.genai.types", "transformers")


@dataclass(frozen=True, slots=True)
class _Vector:
    values: list[float]


@dataclass(frozen=True, slots=True)
class _TextInput:
    text: str
    task_type: str = ""


class _EmbeddingModel:
    """Upstream makes it by name and asks it for one vector at a time."""

    @classmethod
    def from_pretrained(cls, name: str) -> "_EmbeddingModel":  # noqa: ARG003
        return cls()

    def get_embeddings(
        self, inputs: Sequence[_TextInput], output_dimensionality: int = DIMENSIONS
    ) -> list[_Vector]:
        rows = HashingEmbedder(output_dimensionality).vectors([one.text for one in inputs])
        return [_Vector(row) for row in rows.tolist()]


class _NoModel:
    """Whatever else upstream imports of these packages; it is never asked."""


class _Client:
    """Upstream makes it as it imports `google.genai`, and asks it nothing where vectors are all it wants."""

    def __init__(self, vertexai: bool = False, http_options: object = None) -> None: ...


def _begin(project: str | None = None, location: str | None = None) -> None:
    """Nothing is to be begun."""


def stand_in_for_gemini() -> None:
    """Let upstream's `select_memory` search with the hashing embedder, without a key or a network.

    To be called before its modules are imported. Nothing but vectors can be had in this process from then
    on: `vertexai`, `google.genai` and `transformers` are stand-ins in it. `export --bank` fills a cache with
    vectors of the same embedder.
    """
    modules = {name: ModuleType(name) for name in NAMES}
    modules["vertexai"].init = _begin  # type: ignore[attr-defined]
    language = modules["vertexai.language_models"]
    language.TextEmbeddingInput = _TextInput  # type: ignore[attr-defined]
    language.TextEmbeddingModel = _EmbeddingModel  # type: ignore[attr-defined]
    modules["google.genai"].Client = _Client  # type: ignore[attr-defined]
    for name in ("EmbedContentConfig", "GenerateContentConfig", "HttpOptions"):
        setattr(modules["google.genai.types"], name, _NoModel)
    for name in ("AutoTokenizer", "AutoModel"):
        setattr(modules["transformers"], name, _NoModel)
    sys.modules.setdefault("google", ModuleType("google"))
    sys.modules["google"].genai = modules["google.genai"]  # type: ignore[attr-defined]
    sys.modules.update(modules)
