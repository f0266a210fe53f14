"""A run as a process of its own: begun, killed, begun again."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.warm import HERE, ask

LOOK_S = 0.01
RUN = ("run", "spec.yaml", "--out", "out")
WITHOUT_REPORT = (*RUN, "--no-report")
"""Half of what a small run takes is its report."""


@dataclass
class Process:
    """A run that goes on, or has ended.

    Args:
        cold: started by the system; None where it was forked from one that has its libraries loaded.
    """

    pid: int
    out: Path
    err: Path
    cold: subprocess.Popen[bytes] | None

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        if self.cold is not None:
            return self.cold.poll()
        code: int | None = ask("poll", pid=self.pid)
        return code

    def send(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def told(self) -> str:
        """Its standard output so far."""
        return self.out.read_text() if self.out.exists() else ""

    def lines(self) -> Iterator[str]:
        """What it says on the way, line by line, until it has ended."""
        seen = 0
        while True:
            going = self.poll() is None
            lines = self.err.read_text().splitlines(keepends=True)
            for line in lines[seen:]:
                if line.endswith("\n"):
                    seen += 1
                    yield line
            if not going:
                return
            time.sleep(LOOK_S)

    def wait(self, within_s: float) -> bool:
        """Wait for its end; whether it came."""
        until = time.monotonic() + within_s
        while self.poll() is None and time.monotonic() < until:
            time.sleep(LOOK_S)
        return self.poll() is not None

    def ended(self, within_s: float = 600.0) -> tuple[int, str]:
        """Exit code and errors of a process that ends by itself."""
        if not self.wait(within_s):
            self.kill()
            raise AssertionError(f"it goes on and on: {self.err.read_text()}")
        code, err = self.poll(), self.err.read_text()
        assert "Traceback" not in err, err
        assert code is not None
        return code, err

    def kill(self) -> bool:
        """End it as a power cut would. Whether it was still running."""
        running = self.poll() is None
        if running:
            self.send(signal.SIGKILL)
            while self.poll() is None:
                time.sleep(LOOK_S)
        return running


def begin(
    folder: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    cold: bool = False,
    terminal: str = "",
    hangup: str = "",
    verb: tuple[str, ...] = WITHOUT_REPORT,
) -> Process:
    """`memtrial run spec.yaml --out out`, or another verb, begun in a folder that holds the spec."""
    place = folder / f"said-{time.monotonic_ns()}"
    place.mkdir()
    out, err = place / "out", place / "err"
    whole = [*verb, *arguments]
    around = HERE | {"HOME": str(folder)} | dict(environment or {})
    err.touch()
    if cold:
        with out.open("wb") as told, err.open("wb") as complained:
            command = [sys.executable, "-m", "memtrial", *whole]
            process = subprocess.Popen(command, cwd=folder, env=around, stdout=told, stderr=complained)
        return Process(process.pid, out, err, process)
    pid = ask(
        "begin",
        arguments=whole,
        cwd=str(folder),
        environment=around,
        out=str(out),
        err=str(err),
        terminal=terminal,
        hangup=hangup,
    )
    return Process(pid, out, err, None)


def carry_out(
    folder: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    cold: bool = False,
    verb: tuple[str, ...] = WITHOUT_REPORT,
) -> tuple[int, str]:
    """One command from its begin to its end."""
    return begin(folder, *arguments, environment=environment, cold=cold, verb=verb).ended()
