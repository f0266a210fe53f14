"""The user's server as a process: started, written to, and ended with all of its group."""

import os
import signal
import subprocess
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from memtrial.memory_relay.bounded_lines import RelayFault
from memtrial.memory_relay.relay_plan import ServerStart

PIECE = 64 * 1024
GRACE_S = 2.0
"""How long a server may take to end once its input is closed."""


@dataclass
class ServerProcess:
    """A server that runs. What it prints as errors is read all along; the end of it is kept."""

    process: "subprocess.Popen[bytes]"
    errors: deque[bytes] = field(default_factory=lambda: deque(maxlen=2))
    drain: threading.Thread | None = None

    @property
    def output(self) -> int:
        """The descriptor that it answers on."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def send(self, line: bytes) -> None:
        """Hand it a line; nothing where it reads no more."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def hang_up(self) -> None:
        """Close its input, wait a little, and end it."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE_S)
        self.kill()

    def kill(self) -> None:
        """End it and its process group; what has left the group is ended by whoever started this process."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def say_end(self) -> str:
        """How it ended, where it did by itself: its code, and the last line of its errors."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE_S)
        if self.drain is not None:
            self.drain.join(GRACE_S)
        code = self.process.poll()
        how = "closed its output" if code is None else f"ended with code {code}"
        lines = b"".join(self.errors).decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{how}: {last[:200]}" if last else how


def start_server(start: ServerStart) -> ServerProcess:
    """Start it in a process group of its own. RelayFault where it cannot be started."""
    try:
        process = subprocess.Popen(
            start.words, cwd=start.folder, env=dict(start.variables), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or str(fault)
        raise RelayFault(f"cannot be started: {start.words[0]}: {why}") from fault
    server = ServerProcess(process)
    server.drain = threading.Thread(target=_drain, args=(server,), daemon=True)
    server.drain.start()
    return server


def _drain(server: ServerProcess) -> None:
    assert server.process.stderr is not None
    with suppress(OSError, ValueError):
        while piece := os.read(server.process.stderr.fileno(), PIECE):
            server.errors.append(piece[-2000:])
