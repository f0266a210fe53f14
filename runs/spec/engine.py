"""How a run is carried out and what it may cost: no part of what it is."""

from pydantic import Field

from loadbearing.models.client.limits import MAX_REPLY_BYTES
from loadbearing.runs.spec.sections import Part


class PriceSpec(Part):
    """Your own prices of a model, in US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(None, ge=0)
    cache_write: float | None = Field(None, ge=0)


class BudgetSpec(Part):
    """What the run may spend, over all sessions; not part of its identity.

    It stops after a balanced block, before it would spend more. `prices`, by model string, override the
    built-in table; with `allow_unknown_prices` a model without a price counts as free.
    """

    max_cost_usd: float | None = Field(None, gt=0)
    allow_unknown_prices: bool = False
    prices: dict[str, PriceSpec] = Field(default_factory=dict)


class EngineSpec(Part):
    """How the run is carried out; not part of its identity.

    Args:
        workers: episodes played in parallel, each in its own world. Default: twice the connections; 2 if the
            world is a separate process; 1 if all models are simulated.
        max_connections: most parallel requests to one provider. Halved on a 429, then raised again.
        attempts: most times that one request is sent.
        call_timeout_s: seconds to wait for an answer to a request.
        first_wait_s: seconds before the second attempt if the provider names none; doubled each time.
        max_reply_bytes: limit for a reply or a vector; a larger one is an error, not retried.
        max_error_share: the run stops early when more of its trials than this are errors.
    """

    workers: int | None = Field(None, ge=1, le=512)
    max_connections: int = Field(16, ge=1, le=512)
    attempts: int = Field(6, ge=1, le=20)
    call_timeout_s: float = Field(300, gt=0, le=3600)
    first_wait_s: float = Field(1.0, gt=0, le=60)
    max_reply_bytes: int = Field(MAX_REPLY_BYTES, ge=1024, le=64 * 1024 * 1024)
    max_error_share: float = Field(0.2, gt=0, le=1)
