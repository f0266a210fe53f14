"""A process of this program that a run begins and talks to; it ends with the run, however that ends."""

import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from memtrial.reader_process import reader_variables

STANDARD_ERROR = 2
END_S = 10.0
"""Seconds that a process has to give back what it holds."""
Line = Connection
"""Between a run and such a process: what one sends the other receives, until one of them ends."""


class ChildFault(RuntimeError):
    """The process has ended, which nobody asked it to."""


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """One of them, which answers in the order in which it is asked."""

    process: subprocess.Popen[bytes]
    line: Line

    def ask(self, question: object) -> Any:
        """What it answers, by pickle. Raises ChildFault where it ends instead."""
        self.tell(question)
        return self.hear()

    def tell(self, question: object) -> None:
        """Send something, by pickle. Raises ChildFault where it has ended."""
        try:
            self.line.send(question)
        except OSError as fault:
            raise self._fault() from fault

    def hear(self) -> Any:
        """Its next answer. Raises ChildFault where it ends instead."""
        try:
            return self.line.recv()
        except (EOFError, OSError) as fault:
            raise self._fault() from fault

    def _fault(self) -> ChildFault:
        return ChildFault(f"ended with exit code {self.process.wait()}")

    def end(self) -> None:
        """Have it end, whatever it does; it gives back what it holds first, if that does not take long."""
        self.process.terminate()  # nothing happens where it has ended
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.line.close()


def begin_child(program: str) -> ChildProcess:
    """A process that runs a module of this package, by the same Python with the same libraries.

    It inherits nothing but its end of the line, as a number in its arguments; what it prints goes to standard
    error. Nothing of `__main__` is run again.
    """
    ours, theirs = Pipe()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", program, str(theirs.fileno())],
            stdin=subprocess.DEVNULL, stdout=STANDARD_ERROR, pass_fds=(theirs.fileno(),),
            env=reader_variables(),
        )  # fmt: skip
    return ChildProcess(process, ours)


def serve_line(answer: Callable[[Line], None]) -> None:
    """The other side: answer what comes on the line of this process until nothing does, or it is to end."""
    # a terminal sends them to all of its processes: the run alone answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    with Line(int(sys.argv[1])) as line:
        try:
            answer(line)
        except (EOFError, ConnectionError):
            pass  # the run has ended
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends already


def _end(*_: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)
