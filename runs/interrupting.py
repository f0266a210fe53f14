"""Ctrl-C: once, the calls in flight are finished and kept; twice, everything stops."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = "interrupted"
FIRST = "interrupted: calls in flight are finished and kept; once more stops at once"


@contextmanager
def on_interrupt(halt: Callable[[str], None], say: Callable[[str], None]) -> Iterator[None]:
    """Within it, the first SIGINT or SIGTERM halts and the second raises KeyboardInterrupt.

    The handlers are the process's, not the event loop's: they are heard while it computes, too.

    Args:
        halt: lets nothing more be sent; looked at by whoever is about to send.
        say: told so, in a line.
    """
    loop = asyncio.get_running_loop()
    asked = False

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        halt(INTERRUPTED)
        loop.call_soon_threadsafe(say, FIRST)  # a handler may not print: it may stand in the midst of it

    before = {}
    try:
        for number in SIGNALS:
            before[number] = signal.signal(number, stop)
    except ValueError:
        # not the main thread (a test, a notebook): the default way of stopping stays
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
