"""The requests in flight that a run may have, divided among its workers anew as they come and go."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.shared_work import RateUse, SharedWork
from memtrial.models.client.client import ModelClient

EVERY_S = 0.5


@asynccontextmanager
async def divide_connections(shared: SharedWork, client: ModelClient, most: int) -> AsyncIterator[None]:
    """While this lasts the client keeps to its part of `most` requests to each provider, less where one said
    that it were too many; where it cannot be asked for, the client is halted."""
    throttles = client.throttles

    async def divide_again() -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(throttles.begun.wait(), EVERY_S)
            throttles.begun.clear()
            try:
                for provider, use in throttles.take_uses().items():
                    used = RateUse(use.active, use.wanted, use.answers)
                    throttles.allow(provider, shared.share_connections(provider, most, used))
            except LedgerFault as fault:
                client.transport.halt(str(fault))
                return
            finally:
                if client.transport.halted:
                    throttles.recall()

    task = asyncio.create_task(divide_again())
    try:
        yield
    finally:
        task.cancel()
