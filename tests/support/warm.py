"""Forks `memtrial` processes on request, with every library loaded: tests then wait for the run alone.

Reads a JSON object a line and answers with one: `call` runs the command line in a fork to its end and tells
the exit code; `begin` tells the number of the fork and does not wait; `poll` tells a fork's exit code, null
while it runs. Each is a process of its own: it can be killed like any other.

All workers of a run of the tests share the one that has loaded the libraries; each talks to a fork of it.
"""

import ctypes
import fcntl
import gc
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HERE = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
    "COLUMNS": "100",
    "OMP_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
}
LONGEST_WAIT_S = 600
ALONE_S = 5.0
"""The server ends when nobody has been there for so long."""
MOST_MEMORY = 4 * 2**30
HEAVY = (
    "dspy",
    "langgraph.graph",
    "scipy.stats",
    "sklearn.feature_extraction.text",
    "polars",
    "statsmodels.api",
    "matplotlib.figure",
    "matplotlib.style",
    "matplotlib.backends.backend_svg",
)
"""What a run, a report or an analysis loads on its way."""
PRODUCT = (
    "condensers.draft_calls",
    "models.client.structured",
    "models.providers.anthropic_http",
    "outcomes.files.table_files",
    *("reports.render.html_report", "reports.render.markdown_report", "reports.render.terminal"),
    *("views.results.run_results", "views.results.table_results"),
    *("api.planted_runs", "api.analyze", "api.calibrate"),
    *("api.condense", "api.perturb", "api.run", "runs.forecast.forecast_text"),
)
"""What the verbs load of the product besides their own modules, on their way."""


@cache
def _line() -> Any:
    """To a fork of the server, for all tests of this process; the fork ends when this one does."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"of-{os.getpid()}")
    place = f"{tempfile.gettempdir()}/memtrial-warm-{run}"
    talk = socket.socket(socket.AF_UNIX)
    with open(f"{place}.lock", "w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        if talk.connect_ex(place):
            Path(place).unlink(missing_ok=True)
            command = [sys.executable, "-m", "tests.support.warm", place]
            server = subprocess.Popen(command, cwd=ROOT, env=HERE, stdin=subprocess.DEVNULL)
            while talk.connect_ex(place):
                assert server.poll() is None
                time.sleep(0.02)
    return talk.makefile("rw", encoding="utf-8")


def ask(what: str, **asked: Any) -> Any:
    """Have it `call`, `begin` or `poll`."""
    print(json.dumps({"what": what, **asked}), file=_line(), flush=True)
    return json.loads(_line().readline())


def _listen(place: str) -> None:
    """Load everything, and fork for each who comes, until nobody does."""
    from memtrial.cli.app import VERBS

    server = socket.socket(socket.AF_UNIX)
    server.bind(place)
    server.listen()
    server.settimeout(ALONE_S)
    verbs = (f"cli.{place.partition(':')[0]}" for place, _ in VERBS.values())
    product = (f"memtrial.{name}" for name in (*verbs, *PRODUCT))
    for library in ("anthropic", "faiss", "dotenv", *HEAVY, *product):
        with suppress(ImportError):  # a fork that needs it will say so
            import_module(library)
    _use_once()
    gc.freeze()  # what is loaded stays: no fork looks through it, or copies it
    gc.set_threshold(50_000, 20, 20)
    _in_large_pages()
    there: set[int] = set()
    while True:
        try:
            talk, _ = server.accept()
        except TimeoutError:
            there = {pid for pid in there if not os.waitpid(pid, os.WNOHANG)[0]}
            if not there:
                break
            continue
        pid = os.fork()
        if not pid:
            for number in (0, 1):
                os.dup2(talk.fileno(), number)
            talk.close()
            server.close()
            _serve()
            os._exit(0)
        there.add(pid)
        talk.close()
    for end in ("", ".lock"):
        Path(f"{place}{end}").unlink(missing_ok=True)


def _use_once() -> None:
    """What the first use of a library or of the product takes, and every fork would take anew.

    Nothing that begins a thread, which a fork would lack: no polars, no event loop, no ledger.
    """
    from pydantic import BaseModel
    from sklearn.preprocessing import normalize

    from memtrial.reports.figures.svg import difference_axis, inline_svg
    from memtrial.reports.render.html_report import TEMPLATES
    from memtrial.runs.run_folder.code_digest import code_digests

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.errorbar([1, 2], [1, 2], xerr=[0.1, 0.1], fmt="o")
        difference_axis(axes, (0, 2), 0.1)

    code_digests()
    normalize([[1.0]])
    for record in _below(BaseModel):
        if record.__module__.startswith("memtrial."):
            record.model_rebuild()
    for name in TEMPLATES.list_templates(["jinja"]):
        TEMPLATES.get_template(name)
    inline_svg((4, 2), fill, "once", "once")


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    """The classes that inherit from this one."""
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def _in_large_pages() -> None:
    """Halve what a fork costs the system, which notes each page; where it knows no large ones, they stay."""
    maps, large, collapse = Path("/proc/self/maps"), 1 << 21, 25
    for line in maps.read_text().splitlines() if maps.exists() else ():
        span, rights, _, _, file, *_ = line.split()
        if (rights, file) == ("rw-p", "0"):
            start, end = (int(place, 16) // large for place in span.split("-"))
            for place in range(start + 1, end):
                ctypes.CDLL(None).madvise(ctypes.c_void_p(place * large), ctypes.c_size_t(large), collapse)


def _serve() -> None:
    """Until the one who asks is gone."""
    codes: dict[int, int] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        what = asked.pop("what")
        if what == "poll":
            print(json.dumps(_code(codes, asked["pid"], os.WNOHANG)), flush=True)
            continue
        pid = os.fork()
        if not pid:
            _become(**asked)
        codes.pop(pid, None)  # of an earlier process with this number
        print(json.dumps(pid if what == "begin" else _code(codes, pid, 0)), flush=True)


def _code(codes: dict[int, int], pid: int, how: int) -> int | None:
    """The exit code of a fork, also where it was told before."""
    if pid not in codes:
        done, status = os.waitpid(pid, how)
        if done:
            codes[pid] = os.waitstatus_to_exitcode(status)
    return codes.get(pid)


def _become(
    arguments: list[str],
    cwd: str,
    environment: dict[str, str],
    out: str,
    err: str,
    ends: dict[str, str] | None = None,
    within_s: int = 0,
    terminal: str = "",
    hangup: str = "",
) -> None:
    """In the fork: the command line as a shell would have started it, to its end.

    Args:
        arguments: of `memtrial`; or `-c` and a program in Python.
        terminal: it gets this one as its own.
        hangup: whether the signal is `heard` or `ignored`; else as in the process that runs the tests.
    """
    if hangup:
        signal.signal(signal.SIGHUP, signal.SIG_DFL if hangup == "heard" else signal.SIG_IGN)
    if within_s:
        # processor time: a machine that is busy with other things rings no bell; what hangs takes none
        signal.setitimer(signal.ITIMER_PROF, within_s)
        signal.alarm(LONGEST_WAIT_S)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, out), (2, err)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND), number)
    for name, end in (ends or {}).items():
        _lead(int(name), end)
    if terminal:
        os.setsid()
        own = os.open(terminal, os.O_RDWR)  # the first one that a leader of a session opens is its own
        for number in (0, 1, 2):
            os.dup2(own, number)
    sys.argv = ["memtrial", *arguments]
    code: int | str | None = 70
    try:
        if arguments[0] == "-c":
            exec(arguments[1], {"__name__": "__main__"})
        else:
            from memtrial.cli.app import main

            main()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 - what the system would print, and its exit code
        traceback.print_exc()
        code = 1
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


def _lead(number: int, end: str) -> None:
    """Where a standard stream leads."""
    if end == "closed":
        os.close(number)
    elif end == "gone":
        reader, writer = os.pipe()
        os.dup2(writer, number)
        os.close(reader)
        os.close(writer)
    else:
        os.dup2(os.open(end, os.O_RDWR | os.O_NOCTTY), number)


if __name__ == "__main__":
    _listen(sys.argv[1])
