"""Signals that wait while the process forks: what is raised in Python's own steps after a fork is lost."""

import signal
import threading
from collections.abc import Callable
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def defer_signals() -> Callable[[], None]:
    """From now on only note the signals that end a process; call what is returned to answer them as before.

    Python drops an exception of its steps after a fork, those of `logging` among them, with a trace on
    standard error: an interrupt that fell into one would be no interrupt. A signal without a handler ends the
    process wherever it comes, and stays as it is; so do all outside the main thread, which answers none.
    """
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        noted.append(number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in ENDING}
        before = {number: handler for number, handler in handlers.items() if callable(handler)}
        for number in before:
            signal.signal(number, note)

    def answer() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)
        for waiting in noted:
            signal.raise_signal(waiting)

    return answer
