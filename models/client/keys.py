"""Keys and addresses of providers, from the environment and a `.env` file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from loadbearing.models.client.types import ModelFault

SECRET = ("_API_KEY", "_AUTH_TOKEN")
"""Endings of the names of secrets."""

SHORTEST_SECRET = 8
"""Shorter values are not hidden: they occur in ordinary text."""

LARGEST_FILE = 64 * 1024
"""Bytes of a `.env`."""

PLACEHOLDER = "no-key-needed"
"""Sent to a server on this machine where no key is set."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys and addresses, and where they come from. Values appear in no representation.

    Args:
        values: environment variable → value.
        in_file: the same of a `.env`, for variables that the environment does not have.
        file: that `.env`.
        given: provider → base URL from the command line; a URL for the only provider has an empty name.
    """

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    in_file: Mapping[str, str] = field(default_factory=dict, repr=False)
    file: Path | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    _secrets: tuple[str, ...] = field(init=False, repr=False, default=())

    def __post_init__(self) -> None:
        """Find the secrets, longest first: one may be the start of another."""
        found = {
            value.strip()
            for name, value in (*self.values.items(), *self.in_file.items())
            if name.upper().endswith(SECRET) and len(value.strip()) >= SHORTEST_SECRET
        }
        object.__setattr__(self, "_secrets", tuple(sorted(found, key=lambda one: (-len(one), one))))

    def get(self, name: str) -> str | None:
        """The value of a variable, stripped; None where it is not set or empty."""
        return self.values.get(name, self.in_file.get(name, "")).strip() or None

    def origin(self, name: str) -> str:
        """Where a variable is set: the environment, or the path of the file."""
        return "the environment" if name in self.values or self.file is None else str(self.file)

    def hide(self, text: str) -> str:
        """The text with `[key]` in place of every known secret."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, "[key]")
        return text

    def address(self, name: str, default: str) -> str:
        """The base URL in a variable, or the default, without a slash at the end.

        Raises:
            ModelFault: it is no http or https address of a host, or holds a password, a query or a fragment.
        """
        url = self.get(name)
        return default if url is None else plain_address(name, url)

    def holder(self, names: Sequence[str]) -> str | None:
        """The first of the variables that holds a key."""
        return next((name for name in names if self.get(name) is not None), None)

    def secret(self, names: Sequence[str], address: str, model: str) -> str:
        """The first of the variables that holds a key; a placeholder for a server on this machine.

        Raises:
            ModelFault: none is set, or what is set cannot be sent.
        """
        name = self.holder(names)
        if name is not None:
            value = self.get(name) or ""
            if not value.isascii() or not value.isprintable() or " " in value:
                raise ModelFault(f"{name} holds a blank or a letter that no key has; set it again")
            return value
        if is_here(address):
            return PLACEHOLDER
        raise ModelFault(
            f"{model!r} needs a key: set {' or '.join(names)} in the environment or in a .env file"
        )


def plain_address(name: str, url: str) -> str:
    """A base URL without a slash at the end.

    Args:
        name: what names it: a variable or an option.

    Raises:
        ModelFault: it is no http or https address of a host, or holds a password, a query or a fragment.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or any(mark.isspace() or not mark.isprintable() for mark in url):
        # the value is not shown: it may be a key in the wrong variable
        raise ModelFault(f"{name} is no address; it is written like http://127.0.0.1:8000/v1")
    if parts.username is not None or parts.query or parts.fragment:
        raise ModelFault(f"{name} is a plain address, without a user, a password, a query or a fragment")
    return url.rstrip("/")


def is_here(address: str) -> bool:
    """The address is on this machine."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def read_keys(environment: Mapping[str, str], folder: Path, base_urls: Sequence[str] = ()) -> Keys:
    """The environment and, where it is silent, the nearest `.env` in the folder or above it.

    Nothing is written back into the environment, and nothing in the file is expanded.

    Args:
        base_urls: `PROVIDER=URL`, or a URL for the only provider, from the command line.

    Raises:
        ModelFault: there is such a file, but it cannot be read, or a base URL is none.
    """
    nearest = next((path for one in (folder, *folder.parents) if (path := one / ".env").is_file()), None)
    in_file = {} if nearest is None else _of_file(nearest)
    return Keys(dict(environment), in_file, nearest, _given(base_urls))


def _given(base_urls: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in base_urls:
        head, _, rest = one.partition("=")
        provider, url = ("", one) if not rest or "/" in head else (head, rest)
        if provider in found or (found and "" in (provider, *found)):
            raise ModelFault("--base-url is given once for each provider, as PROVIDER=URL")
        found[provider] = plain_address("--base-url", url)
    return found


def _of_file(path: Path) -> dict[str, str]:
    from dotenv import dotenv_values

    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ModelFault(
                f"{path} is larger than {LARGEST_FILE // 1024} kB; a .env holds NAME=value lines"
            )
        found = dotenv_values(path, interpolate=False, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise ModelFault(f"{path} cannot be read as NAME=value lines: {type(fault).__name__}") from None
    return {name: value for name, value in found.items() if value is not None}
