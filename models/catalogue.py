"""Model string → backend, by provider."""

from __future__ import annotations

from models.call import Backend, ModelFault
from models.door import split_model
from models.simulated.catalogue import open_simulated


def open_backend(model: str) -> Backend:
    """The backend of a model string. Providers join here.

    Raises:
        ModelFault: no such provider or model.
    """
    provider, _, _ = split_model(model)
    if provider == "simulated":
        return open_simulated(model)
    raise ModelFault(f"no provider {provider!r} yet in {model!r}; this version has simulated/...")
