"""Work side by side of which none is given up when another breaks."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

Made = TypeVar("Made")


async def end_all(works: Iterable[Awaitable[Made]]) -> list[Made]:
    """What each gives. The first fault rises once all have ended, so that what was asked is saved."""
    results: list[Made] = []
    for ended in await asyncio.gather(*works, return_exceptions=True):
        if isinstance(ended, BaseException):
            raise ended
        results.append(ended)
    return results
