"""The providers, where each keeps its address and key, and that a key goes nowhere unasked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from loadbearing.models.client.keys import PLACEHOLDER, Keys
from loadbearing.models.client.model_string import provider_of
from loadbearing.models.client.types import ModelFault

NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""What a provider may be called: its variables are called after it."""


class Service(NamedTuple):
    """A provider.

    Args:
        address: its own base URL.
        keys: the variables that may hold its key.
        dialect: lm15's name of how it is spoken to.
        along: variables of the environment that its client sends along by itself.
    """

    address: str
    keys: tuple[str, ...]
    dialect: str
    key_needed: bool = True
    along: tuple[str, ...] = ()


SERVICES: dict[str, Service] = {
    "openai": Service("https://api.openai.com/v1", ("OPENAI_API_KEY",), "openai"),
    "gemini": Service(
        "https://generativelanguage.googleapis.com/v1beta", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "gemini"
    ),
    "deepseek": Service("https://api.deepseek.com", ("DEEPSEEK_API_KEY",), "deepseek"),
    "groq": Service("https://api.groq.com/openai/v1", ("GROQ_API_KEY",), "groq"),
    "mistral": Service("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), "vllm"),
    "moonshot": Service(
        "https://api.moonshot.ai/v1", ("MOONSHOT_API_KEY", "MOONSHOTAI_API_KEY"), "moonshotai"
    ),
    "openrouter": Service("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), "openrouter"),
    "xai": Service("https://api.x.ai/v1", ("XAI_API_KEY",), "xai"),
    "zai": Service("https://api.z.ai/api/paas/v4", ("ZAI_API_KEY",), "zai"),
    "ollama": Service("http://localhost:11434/v1", ("OLLAMA_API_KEY",), "ollama", key_needed=False),
    "sglang": Service("http://localhost:30000/v1", ("SGLANG_API_KEY",), "sglang", key_needed=False),
    "vllm": Service("http://localhost:8000/v1", ("VLLM_API_KEY",), "vllm", key_needed=False),
}
"""The providers there are beside Anthropic. The dialect says how a server spells its settings; `vllm` is the
plainest."""


ANTHROPIC = Service(
    "https://api.anthropic.com",
    ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "anthropic",
    along=("ANTHROPIC_CUSTOM_HEADERS",),
)
"""Reached through its own SDK."""

AT_HOME = ("simulated", "replay", "hashing", "sentence-transformers")
"""What comes before the slash, or stands alone, where nothing is sent."""


class Reached(NamedTuple):
    """How one provider is really reached.

    Args:
        holder: the variable that holds the key; empty where none is needed.
        told: where a key goes that does not go to the provider's own address, in a line; empty elsewhere.
    """

    dialect: str
    address: str
    key: str
    holder: str = ""
    told: str = ""


def reach(model: str, provider: str, keys: Keys) -> Reached:
    """Where a provider is and with which key. Nothing is sent.

    A provider that is not in the table is reached where `<PROVIDER>_BASE_URL` says, as a server that speaks
    OpenAI's chat completions. Key and address come from one place, the environment or one file: whoever can
    write a file into a folder above this one must not say where a key of the environment goes.

    Raises:
        ModelFault: no such provider, no key, an address that is none, or one from another place than the key.
    """
    prefix = provider.upper().replace("-", "_")
    variable = f"{prefix}_BASE_URL"
    given = keys.given.get(provider, keys.given.get(""))
    service = ANTHROPIC if provider == "anthropic" else SERVICES.get(provider)
    if service is None and ((given or keys.get(variable)) is None or not NAME.fullmatch(provider)):
        there = ", ".join(["anthropic", *sorted(SERVICES), "replay", "simulated"])
        named = variable if NAME.fullmatch(provider) else "<PROVIDER>_BASE_URL"
        raise ModelFault(
            f"no provider {provider!r} in {model!r}; there are {there}, and any server that speaks OpenAI's"
            f" chat completions where {named} is set"
        )
    service = service or Service("", (f"{prefix}_API_KEY",), "vllm")
    address = keys.address(variable, service.address) if given is None else given
    holder = keys.holder(service.keys) or ""
    known = service.key_needed or bool(holder)
    key = keys.secret(service.keys, address, model) if known else PLACEHOLDER
    if address == service.address:
        return Reached(service.dialect, address, key, holder)
    sent = [holder] * bool(holder) + [name for name in service.along if keys.values.get(name)]
    if given is None:
        _refuse_mixed(keys, provider, variable, address, sent)
    by = "--base-url" if given is not None else f"{variable} in {keys.origin(variable)}"
    told = [f"{name} of {keys.origin(name)} goes to {_host(address)}, as {by} says" for name in sent]
    return Reached(service.dialect, address, key, holder, "; ".join(told))


def _refuse_mixed(keys: Keys, provider: str, variable: str, address: str, sent: list[str]) -> None:
    where = keys.origin(variable)
    other = next((name for name in sent if keys.origin(name) != where), None)
    if other is not None:
        raise ModelFault(
            f"{variable} in {where} would send {other} of {keys.origin(other)} to {_host(address)}; put both"
            f" in one place, or confirm the address with --base-url {provider}=URL"
        )


def _host(address: str) -> str:
    return urlsplit(address).netloc


def destinations(names: Iterable[str], keys: Keys) -> tuple[str, ...]:
    """Where keys go that do not go to their provider's own address, a line each.

    Args:
        names: of the models and embedders that are asked.

    Raises:
        ModelFault: as `reach`, or a base URL on the command line is for none of them, or for several.
    """
    asked = {provider_of(name): name for name in names if provider_of(name) not in AT_HOME}
    idle = sorted(keys.given.keys() - asked.keys() - {""})
    if idle or ("" in keys.given and len(asked) != 1):
        there = ", ".join(sorted(asked)) or "no provider"
        raise ModelFault(f"--base-url is written PROVIDER=URL for a provider that is asked; here: {there}")
    return tuple(told for provider, name in asked.items() if (told := reach(name, provider, keys).told))
