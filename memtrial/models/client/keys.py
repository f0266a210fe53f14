"""Keys and addresses of providers, from the environment and a `.env` file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from memtrial.models.client.types import ModelFault

SECRET = ("_API_KEY", "_AUTH_TOKEN")
"""Endings of the names of secrets."""

SHORTEST_SECRET = 8
"""Shorter values are not hidden: they occur in ordinary text."""

LARGEST_FILE = 64 * 1024
"""Bytes of a `.env`."""


@dataclass(frozen=True)
class Keys:
    """Keys and addresses, and where they come from. Values appear in no representation.

    Args:
        values: environment variable → value.
        in_file: the same of the `.env` at `file`, for variables that the environment does not have.
        given: provider → base URL from the command line; a URL for the only provider has an empty name.
        needed: False where nothing will be sent, so that a key may be missing.
    """

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    in_file: Mapping[str, str] = field(default_factory=dict, repr=False)
    file: Path | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    needed: bool = True

    def get(self, name: str) -> str | None:
        """The value of a variable, stripped; None where it is not set or empty."""
        return self.values.get(name, self.in_file.get(name, "")).strip() or None

    def origin(self, name: str) -> str:
        """Where a variable is set: the environment, or the path of the file."""
        return "the environment" if name in self.values or self.file is None else str(self.file)

    def hide(self, text: str) -> str:
        """The text with `[key]` in place of every known secret."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text

    @cached_property
    def _secrets(self) -> list[str]:
        """Longest first: one may be the start of another."""
        secrets = {
            value.strip()
            for name, value in (*self.values.items(), *self.in_file.items())
            if name.upper().endswith(SECRET) and len(value.strip()) >= SHORTEST_SECRET
        }
        return sorted(secrets, key=lambda secret: (-len(secret), secret))


def read_keys(environment: Mapping[str, str], folder: Path, base_urls: Sequence[str] = ()) -> Keys:
    """The environment and, where it is silent, the nearest `.env` in the folder or above it, not expanded.

    Args:
        base_urls: `PROVIDER=URL`, or a URL for the only provider, from the command line.

    Raises:
        ModelFault: there is such a file, but it cannot be read, or a base URL is none.
    """
    from dotenv import dotenv_values

    given: dict[str, str] = {}
    for option in base_urls:
        head, _, rest = option.partition("=")
        provider, url = ("", option) if not rest or "/" in head else (head, rest)
        if provider in given or (given and "" in (provider, *given)):
            raise ModelFault("--base-url is given once for each provider, as PROVIDER=URL")
        given[provider] = plain_address("--base-url", url)
    paths = (parent / ".env" for parent in (folder, *folder.parents))
    nearest = next((path for path in paths if path.is_file()), None)
    if nearest is None:
        return Keys(dict(environment), given=given)
    try:
        if nearest.stat().st_size > LARGEST_FILE:
            raise ValueError("larger than a .env")
        variables = dotenv_values(nearest, interpolate=False, encoding="utf-8")
    except (OSError, ValueError) as fault:
        raise ModelFault(
            f"{nearest} is no small UTF-8 file of NAME=value lines: {type(fault).__name__}"
        ) from None
    in_file = {name: value for name, value in variables.items() if value is not None}
    return Keys(dict(environment), in_file, nearest, given)


def plain_address(name: str, url: str) -> str:
    """The URL of a variable or option, without a slash at its end; ModelFault where it is no address."""
    try:
        parts = urlsplit(url)
        more = any((parts.username, parts.password, parts.query, parts.fragment))
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and not more
    except ValueError:
        good = False
    if not good or any(mark.isspace() or not mark.isprintable() for mark in url):
        # the value is not shown: it may be a key in the wrong variable
        raise ModelFault(
            f"{name} is no address; it is written like http://127.0.0.1:8000/v1, without a user,"
            " a password, a query or a fragment"
        )
    return url.rstrip("/")


def is_here(address: str) -> bool:
    """The address is on this machine."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
