"""The paths that pass: which provider each is for, and whether its replies cost money."""

from dataclasses import dataclass

from memtrial.models.wire.reply_usage import Billed
from memtrial.proxy.passed_headers import Headers

ANTHROPIC, OPENAI = "anthropic", "openai"


@dataclass(frozen=True, slots=True)
class ProxyRoute:
    """A method and a path that pass.

    Args:
        provider: whose API it is, which also says how an error looks.
        below: what is added to the provider's base URL.
        billed: the format of its replies; None where they cost nothing.
    """

    provider: str
    below: str
    billed: Billed | None = None


_ROUTES: dict[tuple[str, str], ProxyRoute] = {
    ("POST", "/v1/messages"): ProxyRoute(ANTHROPIC, "/v1/messages", "messages"),
    ("POST", "/v1/messages/count_tokens"): ProxyRoute(ANTHROPIC, "/v1/messages/count_tokens"),
    ("POST", "/v1/chat/completions"): ProxyRoute(OPENAI, "/chat/completions", "chat"),
    ("POST", "/v1/responses"): ProxyRoute(OPENAI, "/responses", "responses"),
    ("POST", "/v1/embeddings"): ProxyRoute(OPENAI, "/embeddings", "embeddings"),
}
PASSING = f"these do: {', '.join(f'{method} {path}' for method, path in _ROUTES)}, and looks at /v1/models"
"""For those who asked for another path."""
_MODELS = "/v1/models"
LOOKS = ("GET", "HEAD")


def provider_asked(path: str, headers: Headers) -> str:
    """Whose API a client speaks."""
    if path.startswith("/v1/messages") or "anthropic-version" in headers or "x-api-key" in headers:
        return ANTHROPIC
    return OPENAI


def find_route(method: str, path: str, headers: Headers, pass_unknown: bool) -> ProxyRoute | None:
    """The route of a request, its path without a query; None where it does not pass.

    Looks at the list of models, and at the address itself, pass as they are; with `pass_unknown` everything
    does.
    """
    if (route := _ROUTES.get((method, path))) is not None:
        return route
    provider = provider_asked(path, headers)
    is_plain = path in ("/", _MODELS) or (
        path.startswith(f"{_MODELS}/") and _is_name(path[len(_MODELS) + 1 :])
    )
    if not (pass_unknown or (method in LOOKS and is_plain)):
        return None
    return ProxyRoute(provider, path if provider == ANTHROPIC else path.removeprefix("/v1"))


def _is_name(text: str) -> bool:
    """It names a model, and no folder above."""
    return bool(text) and all(part not in ("", ".", "..") for part in text.split("/")) and "%" not in text
