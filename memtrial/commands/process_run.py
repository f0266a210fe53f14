"""Run a command within bounds; when that returns, nothing of it is running any more.

A supervisor of its own (`process_supervisor.py`) adopts what leaves the command's process group or session.
Where the supervisor is killed, processes are known by a mark in their environment.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from threading import Event

from memtrial.commands.folder_growth import FolderGrowth
from memtrial.commands.output_tail import OutputTail
from memtrial.commands.process_order import (
    TIME_LIMIT,
    CommandFault,
    ProcessEnd,
    ProcessOrder,
    ProcessStopped,
)

MARK = "TRIAL_MARK"
SUPERVISOR = Path(__file__).with_name("process_supervisor.py")
TAIL_BYTES = 8_000
"""How much of the end of an output is kept."""
LOOK_S = 0.05
GROWTH_S = 0.5
"""Seconds between two looks at the folder."""
LINGER_S = 0.2
"""How long output is still read when all has ended: a stranger may hold it open."""
REPORT_S = 20.0
"""How long the supervisor may take to end everything."""
ROUNDS = 50
"""How often processes that make more processes are looked for."""


def run_process(order: ProcessOrder, stop: Event | None = None) -> ProcessEnd:
    """Run a command, and wait for its end.

    Args:
        stop: set by another thread, it ends the command at once.

    Raises:
        CommandFault: it could not be started, or the process that watched it was killed.
        ProcessStopped: `stop` was set.
    """
    if stop is not None and stop.is_set():
        raise ProcessStopped("stopped")
    mark, begun = token_hex(16), time.monotonic()
    reading, writing = os.pipe()
    try:
        # nothing of the user's environment reaches even the supervisor
        supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(SUPERVISOR), str(writing)], env={MARK: mark}, cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            pass_fds=(writing,), start_new_session=True,
        )  # fmt: skip
    except OSError as fault:
        os.close(reading)
        raise CommandFault(f"no process can be started: {fault.strerror or fault}") from fault
    finally:
        os.close(writing)
    running = _Running(order, supervisor, reading, begun)
    try:
        running.send_order(mark)
        running.follow(stop)
    finally:
        running.close()
        if "status" not in running.report and "why" not in running.report:
            end_marked(mark)
    return running.end()


@dataclass
class _Running:
    """A command that runs, as its supervisor says and its output shows."""

    order: ProcessOrder
    supervisor: "subprocess.Popen[bytes]"
    reading: int
    begun: float
    stopped: str = ""
    kill_at: float = float("inf")
    tail: OutputTail = field(default_factory=lambda: OutputTail(TAIL_BYTES))
    said: bytes = b""
    report: dict[str, object] = field(default_factory=dict)

    def send_order(self, mark: str) -> None:
        order, limits = self.order, self.order.limits
        line = {
            "words": order.words,
            "folder": str(order.folder),
            "variables": {**order.variables, MARK: mark},
            "processes": limits.processes,
            "file_bytes": limits.file_bytes,
            "memory_bytes": limits.memory_bytes,
        }
        self._tell(json.dumps(line).encode() + b"\n")

    def _tell(self, message: bytes) -> None:
        assert self.supervisor.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self.supervisor.stdin.write(message)
            self.supervisor.stdin.flush()

    def follow(self, stop: Event | None) -> None:
        """Read until the supervisor has reported and gone, and bound what the command uses."""
        assert self.supervisor.stdout is not None
        output, growth = (
            self.supervisor.stdout.fileno(),
            FolderGrowth(self.order.measured or self.order.folder),
        )
        next_growth, gone_at = self.begun + GROWTH_S, None
        with selectors.DefaultSelector() as selector:
            for descriptor in (output, self.reading):
                os.set_blocking(descriptor, False)
                selector.register(descriptor, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select(LOOK_S):
                    self._read(key.fd, output, selector)
                if stop is not None and stop.is_set():
                    raise ProcessStopped("stopped")
                now = time.monotonic()
                if self.reading not in selector.get_map():
                    gone_at = gone_at or now
                    if now - gone_at > LINGER_S:
                        return
                    continue
                used = 0
                if now >= next_growth:
                    used = growth.look()
                    next_growth = time.monotonic() + max(GROWTH_S, 20 * (time.monotonic() - now))
                self._bound(now, used)

    def _read(self, descriptor: int, output: int, selector: selectors.BaseSelector) -> None:
        piece = os.read(descriptor, 1024 * 1024)
        if not piece:
            selector.unregister(descriptor)
        elif descriptor == output:
            self.tail.add(piece)
        else:
            self.said += piece

    def _bound(self, now: float, used: int) -> None:
        """Ask the command to end where it goes beyond a limit, and later kill it."""
        limits = self.order.limits
        if self.stopped:
            if now > self.kill_at:
                self._close_control()
            return
        if now - self.begun > limits.seconds:
            self.stopped = TIME_LIMIT
        elif self.tail.size > limits.output_bytes:
            self.stopped = f"more than {limits.output_bytes:,} bytes printed"
        elif used > limits.folder_bytes:
            self.stopped = f"more than {limits.folder_bytes:,} bytes in its folder"
        if self.stopped:
            self._tell(b"T")
            self.kill_at = now + limits.grace_s

    def _close_control(self) -> None:
        assert self.supervisor.stdin is not None
        with suppress(BrokenPipeError):
            self.supervisor.stdin.close()

    def close(self) -> None:
        """Have everything killed that is left, and wait for that."""
        self._close_control()
        try:
            self.supervisor.wait(REPORT_S)
        except subprocess.TimeoutExpired:
            self.supervisor.kill()
            self.supervisor.wait()
        with suppress(BlockingIOError):
            while piece := os.read(self.reading, 65536):
                self.said += piece
        os.close(self.reading)
        assert self.supervisor.stdout is not None
        self.supervisor.stdout.close()
        with suppress(ValueError):
            self.report = json.loads(self.said)

    def end(self) -> ProcessEnd:
        """How it ended; CommandFault where it never began, or nobody can say."""
        report = self.report
        if "why" in report:
            raise CommandFault(f"{self.order.words[0]!r:.200} cannot be started: {report['why']}")
        if "status" not in report:
            raise CommandFault("the process that watched the command was killed, and all of it was ended")
        limits = self.order.limits
        beyond = {
            "processes": f"more than {limits.processes:,} processes at a time",
            "memory": f"more than {limits.memory_bytes:,} bytes of memory",
        }
        self.stopped = self.stopped or beyond.get(str(report["beyond"]), "")
        status, left = report["status"], report["left"]
        assert isinstance(left, int)
        code = os.waitstatus_to_exitcode(status) if isinstance(status, int) and not self.stopped else None
        seconds = time.monotonic() - self.begun
        return ProcessEnd(code, self.stopped, self.tail.text, self.tail.size, seconds, left)


def end_marked(mark: str) -> None:
    """Kill every process that carries this mark in its environment, until there is none."""
    for _ in range(ROUNDS):
        marked = list(_marked(mark))
        for process in marked:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if not marked:
            return
        time.sleep(0.01)


def _marked(mark: str) -> Iterator[int]:
    """Living processes that carry the mark; none where the system does not show environments."""
    sought = f"{MARK}={mark}".encode()
    with suppress(FileNotFoundError):
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                with suppress(OSError), open(f"/proc/{entry}/environ", "rb") as file:
                    if sought in file.read(1024 * 1024).split(b"\0"):
                        yield int(entry)
