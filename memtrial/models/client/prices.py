"""What a reply costs, by the dated table in prices.toml or the user's own prices."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType

from memtrial.models.client.types import LOCAL, Reply, provider_of

DATE_SUFFIX = re.compile(r"[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens.

    Args:
        input: of the prompt, those neither read from nor written to the provider's prompt cache.
        output: of the reply, thinking included.
        cache_read, cache_write: of the prompt; None where the provider makes no difference to `input`.
    """

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None

    def usd(self, reply: Reply) -> float:
        """What a reply cost, in US dollars."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        total = reply.input_tokens * self.input + reply.output_tokens * self.output
        return (total + reply.cache_read_tokens * read + reply.cache_write_tokens * write) / 1_000_000


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by model string; `own` are the user's and win. `date` is the month of those that ship."""

    date: str
    source: str
    shipped: Mapping[str, Price] = field(repr=False)
    own: Mapping[str, Price] = field(default_factory=dict)

    def of(self, model: str) -> Price | None:
        """The price of a model string, with or without its date, or None; never of a name that only begins
        alike.
        """
        address = model.partition("?")[0]
        if provider_of(address) in LOCAL:
            return Price(0.0, 0.0)
        for prices in (self.own, self.shipped):
            for name in (model, address, DATE_SUFFIX.sub("", address)):
                if name in prices:
                    return prices[name]
        return None

    def usd(self, asked: str, reply: Reply) -> float | None:
        """What the reply to a request of this model string cost, in US dollars; None: no price is known."""
        price = self.of(asked)
        return None if price is None else price.usd(reply)


def shipped_prices(own: Mapping[str, Price] = MappingProxyType({})) -> PriceTable:
    """The table that ships with the code, with the user's own prices before it."""
    table = tomllib.loads((files("memtrial.models.client") / "prices.toml").read_text(encoding="utf-8"))
    shipped = {
        f"{provider}/{model}": Price(**row)
        for provider, rows in table["prices"].items()
        for models, row in rows.items()
        for model in models.split()
    }
    return PriceTable(table["date"], table["source"], shipped, own)
