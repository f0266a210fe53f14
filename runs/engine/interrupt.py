"""Ctrl-C: the first lets calls in flight finish and saves them; the second stops at once.

SIGTERM (end the process) and SIGHUP (the terminal is closed) count as Ctrl-C.
"""

import math
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ONE_HANGUP_S = 0.05
"""The system and the shell both send SIGHUP when a terminal is closed; that is one interrupt, not two."""
INTERRUPTED = "interrupted"
FIRST = "interrupted: calls in flight are finished and kept; once more stops at once"


@contextmanager
def on_interrupt(halt: Callable[[str], None], say: Callable[[str], None]) -> Iterator[None]:
    """Within it, the first of the signals halts and the second raises KeyboardInterrupt.

    The handlers are the process's, not the event loop's, so they also run while it computes. After `halt`
    nothing more may be sent; `say` gets a line that says so.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    asked = False

    def stop() -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        halt(INTERRUPTED)
        loop.call_soon_threadsafe(say, FIRST)  # a handler may not print: it may interrupt a print

    with _handle_signals(stop, SIGNALS):
        yield


@contextmanager
def like_ctrl_c() -> Iterator[None]:
    """Within it, each of the signals raises KeyboardInterrupt, as Ctrl-C does."""

    def stop() -> None:
        raise KeyboardInterrupt

    with _handle_signals(stop, SIGNALS[1:]):
        yield


def ending_signals() -> tuple[signal.Signals, ...]:
    """The signals that end a process; without SIGHUP where it is ignored (`nohup`)."""
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    return tuple(
        signal_number for signal_number in SIGNALS if not (ignored and signal_number == signal.SIGHUP)
    )


@contextmanager
def _handle_signals(stop: Callable[[], None], numbers: Iterable[signal.Signals]) -> Iterator[None]:
    before, hung_up_at = {}, -math.inf

    def handler(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        nonlocal hung_up_at
        if number == signal.SIGHUP:
            last, hung_up_at = hung_up_at, time.monotonic()
            if hung_up_at - last < ONE_HANGUP_S:
                return
        stop()

    try:
        for number in set(numbers) & set(ending_signals()):
            before[number] = signal.signal(number, handler)
    except ValueError:
        # not the main thread (a test, a notebook): the default way of stopping stays
        yield
        return
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
