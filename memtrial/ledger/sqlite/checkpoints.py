"""The file of checkpoints beside a ledger: where an interrupted loop of a condenser waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memtrial.private_file import claim_database

if TYPE_CHECKING:
    import aiosqlite


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[aiosqlite.Connection]:
    """A database for its owner alone, begun where none is."""
    import aiosqlite

    claim_database(path)
    async with aiosqlite.connect(path) as connection:
        await connection.execute("PRAGMA synchronous=NORMAL")
        yield connection
