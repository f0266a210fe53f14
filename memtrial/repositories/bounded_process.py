"""A shell command with a time limit, of which nothing is left running: checks and set-ups.

What is started carries a mark in its environment, so that it is found (on Linux) where it left the group.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from threading import Event
from typing import IO

MARK = "MEMTRIAL_MARK"
TAIL_BYTES = 8_000
"""How much of the end of an output is kept."""
LARGEST_FILE_BLOCKS = 2 * 1024 * 1024
"""Blocks of 512 bytes of the largest file that a command may write: 1 GiB."""
LOOK_S = 0.05
LINGER_S = 0.2
"""How long the output is still read when the command has ended: another process may hold it open."""
ROUNDS = 50
"""How often processes that make more processes are looked for."""
LIMITED = f'ulimit -c 0; ulimit -f {LARGEST_FILE_BLOCKS}; exec /bin/sh -c "$1"'


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended.

    Args:
        code: its exit code, negative for a signal; None where it was stopped at the time limit.
        tail: the end of what it printed, errors included.
    """

    code: int | None
    tail: str
    seconds: float

    @property
    def last_line(self) -> str:
        """The last line that it printed, or that it printed nothing; at most 300 characters."""
        lines = [line.strip() for line in self.tail.splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it printed nothing"


class StoppedFault(RuntimeError):
    """Somebody asked for an end of the work while a command was running."""


def run_command(
    command: str, folder: Path, variables: Mapping[str, str], within_s: float, stop: Event | None = None
) -> CommandEnd:
    """Run a shell command in a folder; when this returns, none of its processes is left.

    Raises:
        StoppedFault: `stop` was set.
        FileNotFoundError: the folder is not there.
    """
    mark = token_hex(16)
    begun = time.monotonic()
    process = subprocess.Popen(
        ["/bin/sh", "-c", LIMITED, "sh", command], cwd=folder, env={**variables, MARK: mark},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    tail = bytearray()
    try:
        ended = _drain(process, process.stdout, tail, begun + within_s, stop)
    finally:
        end_all(process.pid, mark)
        process.stdout.close()
        process.wait()
    code = process.returncode if ended else None
    return CommandEnd(code, tail.decode("utf-8", "replace"), time.monotonic() - begun)


def _drain(
    process: "subprocess.Popen[bytes]", output: IO[bytes], tail: bytearray, until: float, stop: Event | None
) -> bool:
    """Read until the command ends; whether it ended by itself."""
    os.set_blocking(output.fileno(), False)
    closed, ended_s = False, None
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            if closed:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK_S)
            elif selector.select(LOOK_S) and (chunk := os.read(output.fileno(), 64 * 1024)) is not None:
                closed = not chunk
                tail += chunk
                del tail[:-TAIL_BYTES]
                if closed:
                    selector.unregister(output)
            if stop is not None and stop.is_set():
                raise StoppedFault("stopped")
            now = time.monotonic()
            if process.poll() is not None:
                ended_s = ended_s or now
                if closed or now - ended_s > LINGER_S:
                    return True
            elif now > until:
                return False


def end_all(group: int, mark: str) -> None:
    """Kill a process group, and every process that carries its mark, until there is none."""
    for _ in range(ROUNDS):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        marked = list(_marked(mark))
        for pid in marked:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
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
