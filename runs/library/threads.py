"""Calling what runs an event loop of its own, from a script or from a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")


def without_loop(work: Callable[[], Made]) -> Made:
    """The work's result; where an event loop runs already, as in a notebook, from a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()
