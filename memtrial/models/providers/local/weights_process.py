"""Starts the process that serves weights, on this machine alone, and ends it."""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from memtrial.models.client.keys import SECRET
from memtrial.models.client.types import ModelFault
from memtrial.models.providers.local.weights_file import Weights
from memtrial.private_file import make_private, private

SCRIPT = Path(__file__).with_name("weights_server.py")
TRIES = 3
"""Ports that are tried: another program may take one between the look and the start."""
START_S = 600.0
"""The longest that weights take to load."""
END_S = 10.0
CONTEXT = 8192
"""Tokens of a request and its reply."""
CACHED_MIB = 256
"""Memory for conversations that are not in hand; llama.cpp's own measure is 8 GiB."""
LOG_BYTES, LONGEST_ERROR = 256 * 1024, 200
"""How much of a log is searched for the cause of a fault, and what is shown of it."""
ERROR = " E "
"""Marks an error in llama.cpp's log."""


@dataclass(frozen=True, slots=True)
class WeightsProcess:
    """A server that answers at `address` whoever sends `key`."""

    process: subprocess.Popen[bytes]
    address: str
    key: str

    @property
    def ended(self) -> bool:
        """Whether it is gone."""
        return self.process.poll() is not None

    def ends_within(self, wait_s: float) -> bool:
        """Whether it is gone within so many seconds."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(wait_s)
        return self.ended

    def stop(self) -> None:
        """End it; nothing of it is left when this returns."""
        with suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start_server(
    weights: Weights,
    log: Path | None,
    script: Path = SCRIPT,
    choose_port: Callable[[], int] | None = None,
) -> WeightsProcess:
    """Start a server on a free port of this machine; it answers when this returns.

    Args:
        log: what it says is added to this file, whose folder is made; None: to nothing.
        script: what is run in its process.
        choose_port: a port to try; one that is free now, unless given.

    Raises:
        ModelFault: it cannot be started, or answers nothing within ten minutes.
    """
    if log is not None:
        make_private(log.parent)
    why = ""
    for _ in range(TRIES):
        key, port = token_hex(16), (choose_port or free_port)()
        order: dict[str, str | int] = {
            "path": str(weights.path),
            "name": weights.served_name,
            "port": port,
            "key": key,
            "context": CONTEXT,
            "threads": threads(),
            "cached_mib": CACHED_MIB,
        }
        begin = log.stat().st_size if log is not None and log.exists() else 0
        process, answer = _start(order, log, script)
        if "address" in answer:
            return WeightsProcess(process, f"{answer['address']}/v1", key)
        why = _first_error(log, begin) or answer.get("why", f"its process ended ({_how(process)})")
        if not is_taken(port):
            break
    where = "" if log is None else f"; its log: {log}"
    raise ModelFault(f"no server could be started on {weights.path}: {why}{where}")


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def is_taken(port: int) -> bool:
    """Whether somebody listens on a port."""
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def threads() -> int:
    """Processor threads of a server: all cores that this process may use but one.

    llama.cpp's threads spin while they wait for each other: with as many as there are cores, any other work
    on the machine slows all of them down thirtyfold (measured with two).
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, cores - 1)


def _start(
    order: dict[str, str | int], log: Path | None, script: Path
) -> tuple[subprocess.Popen[bytes], dict[str, str]]:
    """The process and its report; an empty report where it ended, or took too long, without one."""
    reading, writing = os.pipe()
    output = os.open(os.devnull, os.O_WRONLY) if log is None else private(log, _APPENDING)
    try:
        process = subprocess.Popen(
            # -P: what lies beside the script is no library of it
            [sys.executable, "-P", str(script), str(writing), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            pass_fds=(writing,),
            env=leave_keys_out(os.environ),
            # Ctrl-C is for the run, which finishes what is in flight; a closed terminal, too
            start_new_session=True,
        )
    finally:
        os.close(writing)
        os.close(output)
    with open(reading, "rb", buffering=0) as report, selectors.DefaultSelector() as selector:
        with suppress(BrokenPipeError):
            assert process.stdin is not None
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
        selector.register(report, selectors.EVENT_READ)
        line = report.readline() if selector.select(START_S) else b""
    answer: dict[str, str] = json.loads(line) if line.endswith(b"\n") else {}
    if "address" not in answer:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
    return process, answer


_APPENDING = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def leave_keys_out(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without the keys of providers, with the libraries of this process."""
    kept = {name: value for name, value in environment.items() if not name.upper().endswith(SECRET)}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _how(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _first_error(log: Path | None, begin: int) -> str:
    """The first error in the log from a place on; empty where there is none."""
    if log is None:
        return ""
    with open(log, "rb", opener=private) as file:
        file.seek(begin)
        lines = file.read(LOG_BYTES).decode("utf-8", "replace").splitlines()
    marked = (line.partition(ERROR)[2].strip() for line in lines if ERROR in line)
    first = next(marked, "")
    return " ".join(first.split())[:LONGEST_ERROR]
