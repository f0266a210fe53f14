"""Which headers pass: all but those of one connection, and those that hold a secret of either side."""

from collections.abc import Mapping, Sequence

from multidict import CIMultiDict, CIMultiDictProxy

Headers = CIMultiDictProxy[str]
OF_THE_CONNECTION = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""RFC 9110, 7.6.1, and their forerunners; with them go those that `connection` names."""
OF_THE_REQUEST = frozenset(
    {"host", "content-length", "expect", "authorization", "x-api-key", "api-key", "cookie"}
)
"""Said anew to the provider, or not at all."""
TOKENS = ("x-api-key", "authorization", "api-key")
"""Where a client says its key."""


def find_tokens(headers: Headers) -> list[str]:
    """What a client gives as its key, in each place where it may stand."""
    tokens = [value for name in TOKENS for value in headers.getall(name, ())]
    return [value[7:] if value[:7].lower() == "bearer " else value for value in map(str.strip, tokens)]


def hide_tokens(text: str, tokens: Sequence[str]) -> str:
    """A path, or another text of a request, as it may be kept and shown."""
    for token in filter(None, tokens):
        text = text.replace(token, "[token]")
    return text


def pass_request(headers: Headers, tokens: Sequence[str], own: Mapping[str, str]) -> CIMultiDict[str]:
    """The headers for the provider: the client's without what is its connection's or holds one of its
    tokens, and those of the user's key."""
    left_out = OF_THE_REQUEST | _list_unpassed(headers) | {name.lower() for name in own}
    passed = CIMultiDict(
        (name, value)
        for name, value in headers.items()
        if name.lower() not in left_out and not any(token in value for token in tokens)
    )
    passed.update(own)
    return passed


def pass_reply(headers: Headers) -> CIMultiDict[str]:
    """The headers for the client."""
    left_out = _list_unpassed(headers)
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in left_out)


def _list_unpassed(headers: Headers) -> frozenset[str]:
    named = (word.strip().lower() for value in headers.getall("connection", ()) for word in value.split(","))
    return OF_THE_CONNECTION | frozenset(named)
