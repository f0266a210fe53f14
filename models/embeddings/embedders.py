"""Name → embedder: `hashing`, `openai/<model>` or another provider's."""

from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.models.client.keys import Keys
from loadbearing.models.client.limits import MAX_REPLY_BYTES
from loadbearing.models.embeddings.embedding import Embedder, HashingEmbedder
from loadbearing.models.embeddings.provider import ProviderEmbedder, open_provider


def open_embedder(name: str, model_client: ModelClient) -> Embedder:
    """The embedder of a name that was checked. Nothing is asked for or loaded before the first text."""
    if name == "hashing":
        return HashingEmbedder()
    return ProviderEmbedder(Caller(model_client, name, purpose="embed"))


def check_embedder(name: str, keys: Keys) -> None:
    """Check an embedder as far as that goes without a request.

    Raises:
        ModelFault: no such embedder, or something that it needs is missing.
    """
    if name != "hashing":
        open_provider(name, keys, MAX_REPLY_BYTES)
