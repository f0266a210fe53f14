"""The requests in flight that a run may have, divided among its workers anew as they come and go."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.shared_work import SharedWork
from memtrial.models.client.client import ModelClient

EVERY_S = 0.5


@asynccontextmanager
async def divide_connections(shared: SharedWork, client: ModelClient, most: int) -> AsyncIterator[None]:
    """While this lasts the client keeps to its part of `most`; where it cannot be asked for, it is halted."""

    def divide() -> None:
        client.allow(shared.share_connections(most, client.in_flight))

    async def divide_again() -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                divide()
            except LedgerFault as fault:
                client.transport.halt(str(fault))
                return

    divide()
    task = asyncio.create_task(divide_again())
    try:
        yield
    finally:
        task.cancel()
