"""Model string → backend, by provider."""

from pathlib import Path

from memtrial.models.client.keys import Keys
from memtrial.models.client.limits import MAX_REPLY_BYTES
from memtrial.models.client.types import OWN, WEIGHTS, ModelFault, provider_of, split_model
from memtrial.models.providers.anthropic import AnthropicBackend
from memtrial.models.providers.dspy import DspyBackend
from memtrial.models.providers.local.local_backend import open_local
from memtrial.models.providers.own_calls import OwnCalls
from memtrial.models.providers.provider_table import reach
from memtrial.models.providers.replay import open_replay
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.protocols import Backend


def open_backend(
    model: str, keys: Keys | None = None, max_reply_bytes: int = MAX_REPLY_BYTES, logs: Path | None = None
) -> Backend:
    """The backend of a model string, ModelFault where it cannot be had. No provider's library is loaded.

    Args:
        logs: the folder of a run's logs, for those of a server that the backend starts.
    """
    # the setting of a replay is itself a model string with settings
    if provider_of(model) == "replay":
        return open_replay(model)
    provider, name, settings = split_model(model)
    if provider == "simulated":
        return open_simulated(model)
    if provider == OWN:
        return OwnCalls(model)
    if settings:
        raise ModelFault(f"{model!r} has no setting {', '.join(sorted(settings))}; its settings: none")
    keys = keys or Keys()
    if provider == WEIGHTS:
        return open_local(model, keys, max_reply_bytes, logs)
    opener = AnthropicBackend if provider == "anthropic" else DspyBackend
    return opener(reach(model, provider, keys), name, keys, max_reply_bytes)


def is_simulated(model: str) -> bool:
    """Whether answers come from a simulated participant, also through a replay; raises as `open_replay`."""
    if provider_of(model) != "replay":
        return provider_of(model) == "simulated"
    recorded = open_replay(model)
    recorded.calls.close()
    return is_simulated(recorded.recorded)
