"""The providers that are reached through DSPy, and where each keeps its address and key."""

from __future__ import annotations

import re
from typing import NamedTuple

from models.call import ModelFault
from models.keys import PLACEHOLDER, Keys

NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""What a provider may be called: its variables are called after it."""


class Service(NamedTuple):
    """A provider: its own base URL, the variables that may hold its key, and lm15's name of its dialect."""

    address: str
    keys: tuple[str, ...]
    dialect: str
    key_needed: bool = True


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
"""The providers there are. The dialect says how a server spells its settings; `vllm` is the plainest."""


class Reached(NamedTuple):
    """How one provider is really reached."""

    dialect: str
    address: str
    key: str


def reach(model: str, provider: str, keys: Keys) -> Reached:
    """Where a provider is and with which key. Nothing is sent.

    A provider that is not in the table is reached where `<PROVIDER>_BASE_URL` says, as a server that speaks
    OpenAI's chat completions.

    Raises:
        ModelFault: no such provider, no key, or an address that is none.
    """
    prefix = provider.upper().replace("-", "_")
    if provider not in SERVICES and (keys.get(f"{prefix}_BASE_URL") is None or not NAME.fullmatch(provider)):
        there = ", ".join(["anthropic", *sorted(SERVICES), "replay", "simulated"])
        variable = f"{prefix}_BASE_URL" if NAME.fullmatch(provider) else "<PROVIDER>_BASE_URL"
        raise ModelFault(
            f"no provider {provider!r} in {model!r}; there are {there}, and any server that speaks OpenAI's"
            f" chat completions where {variable} is set"
        )
    service = SERVICES.get(provider) or Service("", (f"{prefix}_API_KEY",), "vllm")
    address = keys.address(f"{prefix}_BASE_URL", service.address)
    known = service.key_needed or any(keys.get(one) for one in service.keys)
    return Reached(
        service.dialect, address, keys.secret(service.keys, address, model) if known else PLACEHOLDER
    )
