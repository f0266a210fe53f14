"""Starts the process that serves weights, on this machine alone, and ends it."""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from memtrial.models.client.keys import SECRET
from memtrial.models.client.types import ModelFault
from memtrial.models.providers.local.weights_file import Weights
from memtrial.private_file import private

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
LOG_TAIL = 2_000
"""Bytes of the end of a log in which the cause of a fault is looked for."""


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A server that answers at `address` whoever sends `key`."""

    process: subprocess.Popen[bytes]
    address: str
    key: str

    @property
    def ended(self) -> bool:
        """Whether it is gone."""
        return self.process.poll() is not None

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


def start_server(weights: Weights, log: Path | None, script: Path = SCRIPT) -> ServerProcess:
    """Start a server on a free port of this machine; it answers when this returns.

    Args:
        log: what it says is added to this file; None: to nothing.
        script: what is run in its process.

    Raises:
        ModelFault: it cannot be started, or answers nothing within ten minutes.
    """
    why = ""
    for _ in range(TRIES):
        key = token_hex(16)
        order = {
            "path": str(weights.path),
            "name": weights.served_name,
            "port": free_port(),
            "key": key,
            "context": CONTEXT,
            "threads": threads(),
            "cached_mib": CACHED_MIB,
        }
        process, answer = _start(order, log, script)
        if "address" in answer:
            return ServerProcess(process, f"{answer['address']}/v1", key)
        why = answer.get("why", f"its process ended ({_how(process)}){_last_words(log)}")
    where = "" if log is None else f"; its log: {log}"
    raise ModelFault(f"no server could be started on {weights.path}: {why}{where}")


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


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
    told = os.open(os.devnull, os.O_WRONLY) if log is None else private(log, _APPENDING)
    try:
        process = subprocess.Popen(
            # -P: what lies beside the script is no library of it
            [sys.executable, "-P", str(script), str(writing), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=told,
            stderr=told,
            pass_fds=(writing,),
            env=_variables(),
            # Ctrl-C is for the run, which finishes what is in flight; a closed terminal, too
            start_new_session=True,
        )
    finally:
        os.close(writing)
        os.close(told)
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


def _variables() -> dict[str, str]:
    """The environment without the keys of providers, with the libraries of this process."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().endswith(SECRET)}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _how(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _last_words(log: Path | None) -> str:
    """The last line of the log that speaks of an error."""
    if log is None:
        return ""
    with log.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - LOG_TAIL))
        lines = file.read().decode("utf-8", "replace").splitlines()
    errors = [line for line in lines if "error" in line.lower() or "failed" in line.lower()]
    return f": {errors[-1].strip()}" if errors else ""
