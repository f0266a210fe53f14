"""Where a provider is reached and with which key; a key goes to no other address unconfirmed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from loadbearing.models.client.keys import PLACEHOLDER, Keys
from loadbearing.models.client.model_string import LOCAL, provider_of
from loadbearing.models.client.types import ModelFault
from loadbearing.models.providers.provider import ALL, Provider, known_provider

NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""What a provider may be called: its variables are named after it."""

NO_REQUESTS = (*LOCAL, "hashing", "sentence-transformers")
"""Providers, and embedders named without one, that send no requests."""


class Reached(NamedTuple):
    """How a provider is reached in this environment.

    Args:
        holder: the variable that holds the key; empty where none is needed.
        told: a line on the key that goes to another address than the provider's own; empty where none does.
    """

    provider: Provider
    address: str
    key: str
    holder: str = ""
    told: str = ""


def reach(model: str, provider: str, keys: Keys) -> Reached:
    """Where a provider is and with which key. Nothing is sent.

    A provider that is not in the table is reached at `<PROVIDER>_BASE_URL`, as a server that speaks OpenAI's
    chat completions. Key and address must come from the same source, the environment or one file: a `.env`
    that somebody else wrote into a folder above this one must not redirect a key of the environment.

    Raises:
        ModelFault: no such provider, no key, an invalid address, or one from another source than the key.
    """
    prefix = provider.upper().replace("-", "_")
    variable = f"{prefix}_BASE_URL"
    given = keys.given.get(provider, keys.given.get(""))
    row = known_provider(provider)
    if row is None and ((given or keys.get(variable)) is None or not NAME.fullmatch(provider)):
        there = ", ".join([*sorted(one.name for one in ALL), *sorted(LOCAL)])
        named = variable if NAME.fullmatch(provider) else "<PROVIDER>_BASE_URL"
        raise ModelFault(
            f"no provider {provider!r} in {model!r}; there are {there}, and any server that speaks OpenAI's"
            f" chat completions where {named} is set"
        )
    row = row or Provider(provider, "", (f"{prefix}_API_KEY",))
    address = keys.address(variable, row.address) if given is None else given
    holder = keys.holder(row.keys) or ""
    known = row.key_needed or bool(holder)
    key = keys.secret(row.keys, address, model) if known else PLACEHOLDER
    if address == row.address:
        return Reached(row, address, key, holder)
    sent = [holder] * bool(holder) + [name for name in row.also_sent if keys.values.get(name)]
    if given is None:
        _refuse_mixed(keys, provider, variable, address, sent)
    by = "--base-url" if given is not None else f"{variable} in {keys.origin(variable)}"
    told = [f"{name} of {keys.origin(name)} goes to {_host(address)}, as {by} says" for name in sent]
    return Reached(row, address, key, holder, "; ".join(told))


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
    """A line on each key that goes to another address than its provider's own.

    Args:
        names: of the models and embedders of a run.

    Raises:
        ModelFault: as `reach`, or a base URL on the command line is for none of them, or for several.
    """
    asked = {provider_of(name): name for name in names if provider_of(name) not in NO_REQUESTS}
    idle = sorted(keys.given.keys() - asked.keys() - {""})
    if idle or ("" in keys.given and len(asked) != 1):
        there = ", ".join(sorted(asked)) or "no provider"
        raise ModelFault(f"--base-url is written PROVIDER=URL for a provider that is asked; here: {there}")
    return tuple(told for provider, name in asked.items() if (told := reach(name, provider, keys).told))
