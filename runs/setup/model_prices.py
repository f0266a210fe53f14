"""What the models of a run cost, as far as it is known."""

from __future__ import annotations

from loadbearing.models.client.prices import Price, PriceTable, shipped_prices
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.spec.spec import Spec


def prices_of(spec: Spec) -> PriceTable:
    """The table that ships, with the spec's own prices before it."""
    own = {
        model: Price(one.input, one.output, one.cache_read, one.cache_write, one.batch)
        for model, one in spec.budget.prices.items()
    }
    return shipped_prices().with_own(own)


def check_prices(spec: Spec, models: tuple[str, ...], prices: PriceTable) -> None:
    """A budget needs a price for every model.

    Raises:
        SpecFault: there is a budget, and a model without a price.
    """
    if spec.budget.max_cost_usd is None or spec.budget.allow_unknown_prices:
        return
    unknown = [model for model in models if prices.of(model) is None]
    if unknown:
        raise SpecFault(
            f"a budget needs prices; none is known for {', '.join(unknown)} (price table of {prices.date}). "
            "Give budget.prices for it, or --allow-unknown-prices to leave its cost out"
        )
