"""Where requests go: the providers' addresses, and the user's keys as headers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtrial.models.client.keys import Keys, is_here
from memtrial.models.client.types import ModelFault
from memtrial.models.providers.provider_table import Reached, reach
from memtrial.proxy.proxy_routes import ANTHROPIC, OPENAI


@dataclass(frozen=True, slots=True)
class Upstream:
    """A provider as it is reached here.

    Args:
        headers: with the user's key; they appear in no representation.
        notice: a line on the key that goes to another address than the provider's own; else empty.
    """

    provider: str
    address: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    notice: str = ""

    @property
    def is_here(self) -> bool:
        """It is on this machine."""
        return is_here(self.address)


@dataclass(frozen=True, slots=True)
class Upstreams:
    """The providers that can be reached, and why others cannot, by name."""

    reached: Mapping[str, Upstream]
    missing: Mapping[str, str] = field(default_factory=dict)


def open_upstreams(keys: Keys) -> Upstreams:
    """Anthropic and OpenAI by the usual variables and `--base-url`.

    Raises:
        ModelFault: neither can be reached, or a base URL is for another provider.
    """
    other = sorted(keys.given.keys() - {ANTHROPIC, OPENAI})
    if other:
        named = other[0] or "no provider"
        raise ModelFault(f"--base-url is written {ANTHROPIC}=URL or {OPENAI}=URL here; got one for {named}")
    reached: dict[str, Upstream] = {}
    missing: dict[str, str] = {}
    for provider in (ANTHROPIC, OPENAI):
        try:
            reached[provider] = upstream_of(reach(f"{provider}/", provider, keys), keys)
        except ModelFault as fault:
            if provider in keys.given:
                raise
            missing[provider] = str(fault).replace(f"'{provider}/'", provider)
    if not reached:
        raise ModelFault("; ".join(missing.values()))
    return Upstreams(reached, missing)


def upstream_of(reached: Reached, keys: Keys) -> Upstream:
    """A provider with its key as its own client sends it."""
    name = reached.provider.name
    if name == ANTHROPIC and reached.holder != "ANTHROPIC_AUTH_TOKEN":
        headers = {"x-api-key": reached.key}
    else:
        headers = {"authorization": f"Bearer {reached.key}"}
    for variable in reached.provider.also_sent:
        lines = (line.partition(":") for line in (keys.get(variable) or "").splitlines())
        headers |= {
            header.strip(): value.strip() for header, colon, value in lines if colon and header.strip()
        }
    return Upstream(name, reached.address, headers, reached.notice)
