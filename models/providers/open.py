"""Model string → backend, by provider."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.models.client.keys import Keys
from loadbearing.models.client.model_string import provider_of, split_model
from loadbearing.models.client.reply_size import MAX_REPLY_BYTES
from loadbearing.models.client.types import Backend, ModelFault
from loadbearing.models.providers.anthropic import open_anthropic
from loadbearing.models.providers.anthropic_batches import AnthropicBatches, BatchBook
from loadbearing.models.providers.dspy import DspyBackend
from loadbearing.models.providers.provider import ALL, known_provider
from loadbearing.models.providers.reach import reach
from loadbearing.models.providers.replay import open_replay
from loadbearing.models.simulated.members import open_simulated


def open_backend(model: str, keys: Keys | None = None, max_reply_bytes: int = MAX_REPLY_BYTES) -> Backend:
    """The backend of a model string. Nothing is sent, and no library of a provider is loaded.

    Args:
        keys: keys and addresses; None knows of none.
        max_reply_bytes: larger replies of a provider are faults.

    Raises:
        ModelFault: no such provider, no key for it, or settings it does not have.
    """
    # the setting of a replay is itself a model string with settings
    if provider_of(model) == "replay":
        return open_replay(model)
    provider, name, settings = split_model(model)
    if provider == "simulated":
        return open_simulated(model)
    _refuse(model, settings)
    known = keys or Keys()
    if provider == "anthropic":
        return open_anthropic(model, name, known, max_reply_bytes)
    return DspyBackend(reach(model, provider, known), name, known, max_reply_bytes)


def open_batches(
    model: str, book: BatchBook, keys: Keys | None = None, max_reply_bytes: int = MAX_REPLY_BYTES
) -> AnthropicBatches:
    """Message batches of a model.

    Args:
        book: where the ids of open batches are saved.

    Raises:
        ModelFault: the provider has none here, or as `open_backend`.
    """
    provider, name, settings = split_model(model)
    row = known_provider(provider)
    if row is None or not row.batches:
        having = ", ".join(f"{one.name}/..." for one in ALL if one.batches)
        raise ModelFault(f"message batches are there for {having}, not for {model!r}; leave --batch out")
    _refuse(model, settings)
    return AnthropicBatches(open_anthropic(model, name, keys or Keys(), max_reply_bytes), book)


def is_simulated(model: str) -> bool:
    """Whether answers come from a simulated participant, also through a replay.

    Raises:
        ModelFault: the run to be replayed cannot be read.
    """
    if provider_of(model) != "replay":
        return provider_of(model) == "simulated"
    recorded = open_replay(model)
    recorded.disconnect()
    return is_simulated(recorded.recorded)


def _refuse(model: str, settings: Mapping[str, str]) -> None:
    if settings:
        raise ModelFault(f"{model!r} has no setting {', '.join(sorted(settings))}; its settings: none")
