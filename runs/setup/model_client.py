"""The model client of one session: keys, limits, prices and budget from the spec."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from loadbearing.ledger.store import Ledger
from loadbearing.models.client.cache import CallCache, StoreFault
from loadbearing.models.client.client import Batches, ModelClient
from loadbearing.models.client.limits import RetryPolicy
from loadbearing.models.client.transport import Transport
from loadbearing.models.client.types import provider_of
from loadbearing.models.providers.open import open_backend, open_batches
from loadbearing.runs.errors import RunFault
from loadbearing.runs.setup.preflight import Experiment

AHEAD = 2
"""Episodes for each connection: some wait for an answer that another one has asked for, and use none."""
PROCESSES = 2
"""Worlds that are processes of their own, at a time, unless the spec says otherwise."""


def open_client(experiment: Experiment, ledger: Ledger, say: Callable[[str], None]) -> ModelClient:
    """A model client for one session.

    Args:
        say: gets a line for each fault, and for each halved limit of connections.

    Raises:
        RunFault: calls cannot be stored in the ledger's file.
    """
    spec, engine = experiment.spec, experiment.spec.engine
    try:
        cache = CallCache(ledger.connection)
    except StoreFault as fault:
        raise RunFault(str(fault)) from fault
    transport = Transport(
        retry_policy=RetryPolicy(engine.attempts, engine.call_timeout_s, engine.first_wait_s),
        max_connections=engine.max_connections,
        prices=experiment.prices,
        max_usd=spec.budget.max_cost_usd,
        say=lambda text: say(experiment.keys.hide(text)),
    )

    def batched(model: str) -> Batches | None:
        if not spec.engine.batch or provider_of(model) in ("simulated", "replay"):
            return None
        return open_batches(model, cache, experiment.keys, engine.max_reply_bytes)

    opener = partial(open_backend, keys=experiment.keys, max_reply_bytes=engine.max_reply_bytes)
    return ModelClient(cache, opener, transport, batched)


def workers(experiment: Experiment, blocking: bool) -> int:
    """Episodes played at a time.

    Args:
        blocking: a world is a process of its own.
    """
    spec = experiment.spec
    if spec.engine.workers is not None:
        return spec.engine.workers
    if all(provider_of(model) in ("simulated", "replay") for model in experiment.models):
        return 1
    return PROCESSES if blocking else AHEAD * spec.engine.max_connections
