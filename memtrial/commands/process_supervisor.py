"""A process that starts a command, adopts whatever it leaves behind, and goes when all of that is ended.

It runs as a script of its own, of the standard library alone. On its standard input it gets the order, a line
of JSON, then `T`, to ask the command to end; when the input ends, as it does where who ordered it was killed,
all is killed. It reports in a line of JSON, on the descriptor that its argument names.
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

SET_DEATH_SIGNAL, SET_SUBREAPER = 1, 36
"""Options of prctl, on Linux."""
LOOK_S = 0.1
SHARE = 20
"""A look at the processes takes at most the 20th part of the time."""
WITHIN_S = 10.0
"""How long it is tried to end processes that do not go."""
STANDARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
CONTROL = 0
RESIDENT = 21
"""Of the fields of /proc/PID/stat behind the name: pages of memory."""


def set_process_option(option: int, value: int) -> None:
    """Call prctl, where the system has it."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def read_order() -> dict[str, Any]:
    """The first line of the control channel; an empty order where it ended before."""
    text = bytearray()
    while not text.endswith(b"\n"):
        piece = os.read(CONTROL, 64 * 1024)
        if not piece:
            sys.exit(1)
        text += piece
    order: dict[str, Any] = json.loads(text)
    return order


def start(order: dict[str, Any]) -> tuple[int, str]:
    """The command's process and an empty text, or why it could not be started."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _become(order, writing)
    os.close(writing)
    with open(reading, encoding="utf-8") as said:
        why = said.read()
    if why:
        os.waitpid(child, 0)
    return child, why


def _become(order: dict[str, Any], writing: int) -> NoReturn:
    """Turn this fork into the command."""
    try:
        os.setsid()
        set_process_option(SET_DEATH_SIGNAL, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # where memory runs out the system ends a command first, and not its caller
        most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        asked = order["file_bytes"]
        bound = asked if most == resource.RLIM_INFINITY else min(asked, most)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bound, bound))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(order["folder"])
        os.execvpe(order["words"][0], order["words"], order["variables"])
    except (OSError, ValueError) as fault:
        # of a program the name is said by who ordered it; what else is missing is its folder
        where = f": {order['folder']}" if getattr(fault, "filename", "") == order["folder"] else ""
        os.write(writing, f"{getattr(fault, 'strerror', None) or fault}{where}".encode())
    finally:
        os._exit(127)


def descendants() -> dict[int, int]:
    """All living processes that come from this one with the pages of memory that each holds, ended ones left
    out; none where /proc is missing."""
    below: dict[int, list[int]] = {}
    pages: dict[int, int] = {}
    with suppress(FileNotFoundError):
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                with suppress(OSError, IndexError, ValueError), open(f"/proc/{entry}/stat", "rb") as file:
                    fields = file.read(4096).rpartition(b")")[2].split()
                    if fields[0] not in b"ZX":
                        below.setdefault(int(fields[1]), []).append(int(entry))
                        pages[int(entry)] = int(fields[RESIDENT])
    every, waiting = [], [os.getpid()]
    while waiting:
        born = below.get(waiting.pop(), [])
        every += born
        waiting += born
    return {process: pages[process] for process in every}


def is_beyond(pages: Mapping[int, int], most: int) -> bool:
    """Whether processes hold more bytes of memory than this; pages that they share are counted in parts."""
    if sum(pages.values()) * resource.getpagesize() <= most:
        return False  # shared pages were counted whole
    held = 0
    for process in pages:
        with suppress(OSError, IndexError, ValueError), open(f"/proc/{process}/smaps_rollup", "rb") as file:
            shares = [line for line in file.read(8192).splitlines() if line.startswith(b"Pss:")]
            held += int(shares[0].split()[1]) * 1024
    return held > most


def reap(child: int, status: int | None) -> tuple[int | None, bool]:
    """Take note of processes that ended: the command's status, and whether any process is there still."""
    while True:
        try:
            ended, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status, False
        if not ended:
            return status, True
        if ended == child:
            status = how


def end_all(child: int, status: int | None) -> tuple[int | None, int]:
    """Kill the command and all that comes from it, until this process has no child: the status, and how many
    could not be ended."""
    until = time.monotonic() + WITHIN_S
    while True:
        every = descendants()
        with suppress(ProcessLookupError, PermissionError):
            if status is None:  # its number is its own until it is reaped
                os.killpg(child, signal.SIGKILL)
        for process in every:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        status, some = reap(child, status)
        if not some:
            return status, 0
        if time.monotonic() > until:
            return status, max(1, len(descendants()))
        time.sleep(0.005)


def follow(child: int, order: dict[str, Any], woken: int) -> tuple[int | None, str]:
    """Wait until the command ends, or is to end at once: its status, and what it had too many or too much
    of, `processes` or `memory`."""
    status: int | None = None
    look_s, next_look = LOOK_S, time.monotonic() + LOOK_S
    while status is None:
        wait = max(0.0, next_look - time.monotonic())
        ready, _, _ = select.select([CONTROL, woken], [], [], wait)
        if woken in ready:
            os.read(woken, 4096)
            status, _ = reap(child, status)
        if CONTROL in ready:
            if os.read(CONTROL, 1) != b"T":
                return status, ""
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGTERM)
        if time.monotonic() >= next_look:
            begun = time.monotonic()
            every = descendants()
            if len(every) > order["processes"]:
                return status, "processes"
            if is_beyond(every, order["memory_bytes"]):
                return status, "memory"
            look_s = max(LOOK_S, SHARE * (time.monotonic() - begun))
            next_look = time.monotonic() + look_s
    return status, ""


def supervise(report: int) -> None:
    """Carry one order out."""
    os.set_inheritable(report, False)
    set_process_option(SET_SUBREAPER, 1)
    order = read_order()
    woken, waking = os.pipe()
    for end in (woken, waking):
        os.set_blocking(end, False)
    for name in STANDARD:
        # handled, and not ignored: that a command would inherit
        signal.signal(name, lambda *_: None)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    child, why = start(order)
    if why:
        os.write(report, json.dumps({"why": why}).encode())
        return
    status, beyond = follow(child, order, woken)
    status, left = end_all(child, status)
    os.write(report, json.dumps({"status": status, "beyond": beyond, "left": left}).encode())


if __name__ == "__main__":
    supervise(int(sys.argv[1]))
