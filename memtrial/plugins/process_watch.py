"""A word for whoever waits, where a user's code ends the process of a run: `os._exit` says nothing itself."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

DEAF = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a terminal sends to both: the run itself answers it."""
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
    watcher = os.fork()
    if not watcher:
        # only the system is called here: what other threads of the run held is held for ever in a fork
        try:
            for number in DEAF:
                signal.signal(number, signal.SIG_IGN)
            os.close(writing)
            if not os.read(reading, 1):
                os.write(STANDARD_ERROR, message)
        finally:
            os._exit(0)
    os.close(reading)
    try:
        yield
    finally:
        os.write(writing, b".")
        os.close(writing)
        os.waitpid(watcher, 0)
