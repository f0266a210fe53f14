"""The providers of models and embeddings: a row each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    """How a provider is reached and what it offers.

    Args:
        address: its own base URL.
        keys: the variables that may hold its key; the first that is set counts.
        dialect: lm15's name of its protocol, which says how settings are spelled; `vllm` is the plainest.
            `anthropic` is reached through its own SDK instead.
        key_needed: it refuses requests without a key.
        also_sent: variables of the environment that its client sends by itself.
        embeddings: where it makes embeddings, below its address; None where it makes none.
        batches: it answers message batches.
    """

    name: str
    address: str
    keys: tuple[str, ...]
    dialect: str = "vllm"
    key_needed: bool = True
    also_sent: tuple[str, ...] = ()
    embeddings: str | None = "/embeddings"
    batches: bool = False


ALL: tuple[Provider, ...] = (
    Provider(
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        "anthropic",
        also_sent=("ANTHROPIC_CUSTOM_HEADERS",),
        embeddings=None,
        batches=True,
    ),
    Provider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "openai"),
    Provider(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "gemini",
        embeddings="/openai/embeddings",
    ),
    Provider("deepseek", "https://api.deepseek.com", ("DEEPSEEK_API_KEY",), "deepseek", embeddings=None),
    Provider("groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",), "groq", embeddings=None),
    Provider("mistral", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    Provider(
        "moonshot",
        "https://api.moonshot.ai/v1",
        ("MOONSHOT_API_KEY", "MOONSHOTAI_API_KEY"),
        "moonshotai",
        embeddings=None,
    ),
    Provider("openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), "openrouter"),
    Provider("xai", "https://api.x.ai/v1", ("XAI_API_KEY",), "xai", embeddings=None),
    Provider("zai", "https://api.z.ai/api/paas/v4", ("ZAI_API_KEY",), "zai", embeddings=None),
    Provider("ollama", "http://localhost:11434/v1", ("OLLAMA_API_KEY",), "ollama", key_needed=False),
    Provider("sglang", "http://localhost:30000/v1", ("SGLANG_API_KEY",), "sglang", key_needed=False),
    Provider("vllm", "http://localhost:8000/v1", ("VLLM_API_KEY",), key_needed=False),
)


def known_provider(name: str) -> Provider | None:
    """The provider of this name, or None."""
    return next((provider for provider in ALL if provider.name == name), None)
