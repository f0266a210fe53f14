"""Model strings: `provider/name?setting=value`."""

from __future__ import annotations

from loadbearing.models.client.types import ModelFault

LOCAL = ("replay", "simulated")
"""Providers whose answers are made on this machine and cost nothing."""


def split_model(model: str) -> tuple[str, str, dict[str, str]]:
    """`provider/name?k=v&k=v` → provider, name, settings.

    Raises:
        ModelFault: the string has another shape, or a setting twice.
    """
    address, _, query = model.partition("?")
    provider, _, name = address.partition("/")
    if not (provider and name):
        raise ModelFault(f"a model is named provider/name, for example simulated/reader; got {model!r}")
    settings: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        key, equals, value = pair.partition("=")
        if not equals or key in settings:
            raise ModelFault(
                f"a setting of a model is written key=value and never stands twice; got {pair!r} in {model!r}"
            )
        settings[key] = value
    return provider, name, settings


def provider_of(model: str) -> str:
    """The part before the first slash."""
    return model.partition("/")[0]
