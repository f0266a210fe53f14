"""Functions that start an event loop of their own, called where one runs already."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import ParamSpec, TypeVar

Asked = ParamSpec("Asked")
Made = TypeVar("Made")


def without_loop(work: Callable[Asked, Made]) -> Callable[Asked, Made]:
    """The same function; where an event loop runs already (a notebook, a lock), in a thread of its own."""

    @wraps(work)
    def alone(*args: Asked.args, **named: Asked.kwargs) -> Made:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return work(*args, **named)
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(work, *args, **named).result()

    return alone
