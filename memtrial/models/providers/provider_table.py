"""The providers, a row each, and where one is reached with which key: to no other address unconfirmed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from memtrial.models.client.keys import Keys, is_here, plain_address
from memtrial.models.client.types import LOCAL, ModelFault, provider_of
from memtrial.models.wire.closed_choice import Closing

NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""What a provider may be called: its variables are named after it."""

NO_REQUESTS = (*LOCAL, "hashing")
"""Providers, and embedders named without one, that send no requests."""

PLACEHOLDER = "no-key-needed"
"""Sent to a server on this machine, or one that needs no key, where none is set."""


@dataclass(frozen=True, slots=True)
class Provider:
    """How a provider is reached, at its own base URL or another, and what it offers.

    Args:
        dialect: lm15's name of its protocol, which says how settings are spelled; `vllm` is the plainest.
        more_keys: variables that may hold its key, beside the one with its name.
        also_sent: variables of the environment that its client sends by itself.
        embeddings: where it makes embeddings, below its address; None where it makes none.
        closing: what it takes to close a reply to a list of choices.
    """

    name: str
    address: str
    dialect: str = "vllm"
    more_keys: tuple[str, ...] = ()
    key_needed: bool = True
    also_sent: tuple[str, ...] = ()
    embeddings: str | None = "/embeddings"
    closing: Closing = "schema"

    @property
    def prefix(self) -> str:
        """How the names of its variables begin."""
        return re.sub(r"[-.]", "_", self.name.upper())

    @property
    def keys(self) -> tuple[str, ...]:
        """The variables that may hold its key; the first that is set counts."""
        return (f"{self.prefix}_API_KEY", *self.more_keys)


_GEMINI = "https://generativelanguage.googleapis.com/v1beta"
ALL: tuple[Provider, ...] = (
    Provider(
        "anthropic",
        "https://api.anthropic.com",
        "anthropic",  # through its own SDK
        more_keys=("ANTHROPIC_AUTH_TOKEN",),
        also_sent=("ANTHROPIC_CUSTOM_HEADERS",),
        embeddings=None,
    ),
    Provider("openai", "https://api.openai.com/v1", "openai"),
    Provider("gemini", _GEMINI, "gemini", ("GOOGLE_API_KEY",), embeddings="/openai/embeddings"),
    Provider("deepseek", "https://api.deepseek.com", "deepseek", embeddings=None),
    Provider("groq", "https://api.groq.com/openai/v1", "groq", embeddings=None),
    Provider("mistral", "https://api.mistral.ai/v1"),
    Provider(
        "moonshot", "https://api.moonshot.ai/v1", "moonshotai", ("MOONSHOTAI_API_KEY",), embeddings=None
    ),
    Provider("openrouter", "https://openrouter.ai/api/v1", "openrouter"),
    Provider("xai", "https://api.x.ai/v1", "xai", embeddings=None),
    Provider("zai", "https://api.z.ai/api/paas/v4", "zai", embeddings=None),
    Provider("llama.cpp", "http://127.0.0.1:8080/v1", key_needed=False, closing="grammar"),
    Provider("ollama", "http://127.0.0.1:11434/v1", "ollama", key_needed=False),
    Provider("sglang", "http://127.0.0.1:30000/v1", "sglang", key_needed=False),
    Provider("vllm", "http://127.0.0.1:8000/v1", key_needed=False),
)


class Reached(NamedTuple):
    """How a provider is reached here; `holder` is the variable of the key, empty where none is needed.

    `notice` is a line on the key that goes to another address than the provider's own, or that is missing.
    """

    provider: Provider
    address: str
    key: str
    holder: str
    notice: str


def known_provider(name: str) -> Provider | None:
    """The provider of this name, or None."""
    return next((provider for provider in ALL if provider.name == name), None)


def reach(model: str, provider: str, keys: Keys) -> Reached:
    """Where a provider is and with which key; one that is not in the table is at `<PROVIDER>_BASE_URL`.

    Key and address must come from the same source, the environment or one file: a `.env` that somebody else
    wrote into a folder above this one must not redirect a key of the environment.

    Raises:
        ModelFault: no such provider, no key, an invalid address, or one from another source than the key.
    """
    given, known = keys.given.get(provider, keys.given.get("")), known_provider(provider)
    row = known or Provider(provider, "")
    variable = f"{row.prefix}_BASE_URL"
    url = given or keys.get(variable)
    if known is None and (url is None or not NAME.fullmatch(provider)):
        there = ", ".join([*sorted(row.name for row in ALL), *sorted(LOCAL)])
        raise ModelFault(
            f"no provider {provider!r} in {model!r}; there are {there}, and any server that speaks"
            f" OpenAI's chat completions where {variable!r} is set"
        )
    address = row.address if url is None else plain_address(variable, url)
    holder = next((name for name in row.keys if keys.get(name)), "")
    key = keys.get(holder) or PLACEHOLDER
    if not holder and row.key_needed and not is_here(address):
        need = f"{model!r} needs a key: set {' or '.join(row.keys)} in the environment or in a .env file"
        if keys.needed:
            raise ModelFault(need)
        return Reached(row, address, key, holder, f"to run it, {need}")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ModelFault(f"{holder} holds a blank or a letter that no key has; set it again")
    if address == row.address:
        return Reached(row, address, key, holder, "")
    host, where = urlsplit(address).netloc, keys.origin(variable)
    sent = [holder] * bool(holder) + [name for name in row.also_sent if keys.values.get(name)]
    other = next((name for name in sent if keys.origin(name) != where), None)
    if other is not None and given is None:
        raise ModelFault(
            f"{variable} in {where} would send {other} of {keys.origin(other)} to {host}; put both"
            f" in one place, or confirm the address with --base-url {provider}=URL"
        )
    by = "--base-url" if given else f"{variable} in {where}"
    notices = [f"{name} of {keys.origin(name)} goes to {host}, as {by} says" for name in sent]
    return Reached(row, address, key, holder, "; ".join(notices))


def is_own_server(model: str, keys: Keys) -> bool:
    """Whether a model is served by a program that bills no tokens, as one on this machine does.

    A provider with prices is never meant, even at an address on this machine: there may be a proxy.
    """
    provider = provider_of(model)
    if provider in NO_REQUESTS:
        return False
    row = known_provider(provider)
    if row is not None:
        return not row.key_needed
    return is_here(reach(model, provider, keys).address)


def destinations(names: Iterable[str], keys: Keys) -> tuple[str, ...]:
    """A line on each key of these models and embedders that is missing, or goes to another address than its
    provider's own.

    Raises:
        ModelFault: as `reach`, or a base URL on the command line is for none of them, or for several.
    """
    asked = {provider_of(name): name for name in names if provider_of(name) not in NO_REQUESTS}
    idle = sorted(keys.given.keys() - asked.keys() - {""})
    if idle or ("" in keys.given and len(asked) != 1):
        there = ", ".join(sorted(asked)) or "no provider"
        raise ModelFault(f"--base-url is written PROVIDER=URL for a provider that is asked; here: {there}")
    notices = (reach(name, provider, keys).notice for provider, name in asked.items())
    return tuple(notice for notice in notices if notice)
