"""Work in a process of its own: a user's code may end it, and the one who asked goes on to say so."""

import json
import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import redirect_stdout
from typing import NoReturn

from pydantic import JsonValue

from memtrial.plugins.deferred_signals import defer_signals

Say = Callable[[JsonValue], None]
"""Hand something over to the process that asked."""
LAST = "\n"
INTERRUPTED, BROKEN = 130, 70
"""How the child ends when it was interrupted, and after a bug of ours, whose trace it has printed."""


class ChildEnded(RuntimeError):
    """The process ended before its work was done; its text says how."""


def said_by_child(work: Callable[[Say], None]) -> Generator[JsonValue]:
    """What the work says in a fork of this process, as soon as it does.

    Whoever stops listening, an interrupt among them, ends the child.

    Raises:
        ChildEnded: the work ended the process.
        KeyboardInterrupt: it was interrupted, which may reach it alone.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or both would print what is left in it
    reading, writing = os.pipe()
    answer_signals = defer_signals()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(work, writing, answer_signals)
    os.close(writing)
    ended, line = False, ""
    try:
        answer_signals()
        with open(reading, encoding="utf-8") as lines:
            # a process that the work began may hold the pipe open for longer: the last line is LAST
            while (line := lines.readline()) not in ("", LAST):
                # one that was cut short is not the last word: how the process ended is
                if line.endswith("\n"):
                    yield json.loads(line)
        ended = True
    finally:
        if not ended:
            os.kill(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if line != LAST:  # whatever the code says: it may be 0
        raise ChildEnded(_how(code))


def _work(work: Callable[[Say], None], writing: int, answer_signals: Callable[[], None]) -> NoReturn:
    """Do the work and end the process, whatever comes; nothing that the parent began is ended with it."""
    code = BROKEN
    try:
        answer_signals()
        with open(writing, "w", encoding="utf-8") as lines:

            def say(value: JsonValue) -> None:
                lines.write(f"{json.dumps(value)}\n")
                lines.flush()

            # what a user's code prints is no result
            with redirect_stdout(sys.stderr):
                work(say)
            lines.write(LAST)
        code = 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = BROKEN  # the parent heard enough and is ending this process
    finally:
        if (bug := sys.exception()) is not None:
            sys.excepthook(type(bug), bug, bug.__traceback__)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _how(code: int) -> str:
    if code < 0:
        return f"ended the process by {signal.Signals(-code).name}"
    return f"ended the process with code {code}"
