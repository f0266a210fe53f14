"""A word for whoever waits, where a user's code ends the process of a run: `os._exit` says nothing itself."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memtrial.plugins.deferred_signals import ENDING, defer_signals

STANDARD_ERROR = 2


@contextmanager
def process_watch(plugins: Sequence[str]) -> Iterator[None]:
    """Where the process ends within this block, a fork of it says so on standard error.

    Nothing is watched for a run of shipped members alone. The exit code is that of whatever ended it.
    """
    if not plugins:
        yield
        return
    message = (
        f"memtrial: the process was ended from within or killed; this run calls {', '.join(plugins)},"
        " which `memtrial check` tries alone; progress is saved; run the same command to resume\n"
    ).encode("utf-8", "replace")
    reading, writing = os.pipe()
    answer_signals = defer_signals()
    watcher = os.fork()
    if not watcher:
        # only the system is called here: what other threads of the run held is held for ever in a fork
        try:
            for number in ENDING:  # a terminal sends them to both: the run itself answers
                signal.signal(number, signal.SIG_IGN)
            os.close(writing)
            if not os.read(reading, 1):
                os.write(STANDARD_ERROR, message)
        finally:
            os._exit(0)
    os.close(reading)
    try:
        answer_signals()
        yield
    finally:
        os.write(writing, b".")
        os.close(writing)
        os.waitpid(watcher, 0)
