"""The command line in forks of one warm process: as isolated as a process each, at a fraction of the time."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from traceback import print_exc

from tests.support.small import SPEC, write_spec

LONGEST_S = 10
"""Of processor time."""
LONGEST_WAIT_S = 600
MOST_MEMORY = 4 * 2**30
LONGEST_LINE = 1500
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Done:
    """How a call of the command line ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Warm:
    """A process that has loaded everything, and forks for each call."""

    process: subprocess.Popen[str]
    scratch: Path

    def call(
        self,
        *arguments: str,
        cwd: Path,
        variables: Mapping[str, str] | None = None,
        ends: Mapping[int, str] | None = None,
        within_s: int = LONGEST_S,
    ) -> Done:
        """One call; the environment holds `variables` and nothing that this machine's has.

        Args:
            ends: by number, streams that are `closed`, whose reader is `gone`, or that lead to a path.
            within_s: seconds of processor time after which it will come to no end.
        """
        environment = {"PATH": "/usr/bin:/bin", "COLUMNS": "100", "HOME": str(cwd)} | dict(variables or {})
        asked = {"arguments": arguments, "cwd": str(cwd), "environment": environment}
        asked |= {"ends": ends or {}, "within_s": within_s}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        code = int(self.process.stdout.readline())
        said = [(self.scratch / name).read_bytes().decode("utf-8", "replace") for name in ("out", "err")]
        return Done(code, *said)


HEAVY = (
    "dspy",
    "langgraph.graph",
    "scipy.stats",
    "sklearn.feature_extraction.text",
    "polars",
    "statsmodels.api",
    "matplotlib.figure",
    "matplotlib.backends.backend_svg",
)
"""What a run, a report or an analysis loads on its way."""


@contextmanager
def warm_process(scratch: Path, *libraries: str) -> Iterator[Warm]:
    """Begin one, end it.

    Args:
        libraries: what it loads besides, for calls that do more than to refuse.
    """
    command = [sys.executable, "-m", "tests.support.refusing", str(scratch), *libraries]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Warm(process, scratch)
        process.stdin.close()  # type: ignore[union-attr]


def files_in(folder: Path) -> dict[str, str]:
    """Everything below a folder, with what each holds; the lock of a run is no content."""
    return {str(path.relative_to(folder)): _held(path) for path in sorted(folder.rglob("*"))}


def _held(path: Path) -> str:
    if path.is_symlink():
        return f"leads to {path.readlink()}"
    if path.is_file():
        return sha256(path.read_bytes()).hexdigest() if os.access(path, os.R_OK) else "not to be read"
    return "folder" if path.is_dir() else "something else"


def refused(warm: Warm, folder: Path, *arguments: str, **more: Mapping[str, str]) -> str:
    """The one line of a call that is refused as bad input, and leaves no trace of itself."""
    before = files_in(folder)
    done = warm.call(*arguments, cwd=folder, **more)
    assert done.code == 2, done
    assert done.out == "", done
    lines = done.err.splitlines()
    assert len(lines) == 1, done
    assert lines[0].startswith("loadbearing: "), done
    assert lines[0].isprintable(), done
    assert len(lines[0]) <= LONGEST_LINE, done
    assert "Traceback" not in lines[0], done
    assert files_in(folder) == before
    return lines[0]


def spec_with(folder: Path, text: str | bytes = SPEC) -> Path:
    """A spec in a folder."""
    if isinstance(text, str):
        return write_spec(folder, text)
    path = folder / "small.yaml"
    path.write_bytes(text)
    return path


def serve(scratch: Path) -> None:
    """Answer calls, a line of JSON each, until there are no more."""
    import loadbearing.cli.app
    import loadbearing.cli.experiment.run
    import loadbearing.cli.parts.check
    import loadbearing.cli.parts.serve_scripted
    import loadbearing.cli.reading.compare
    import loadbearing.cli.reading.export
    import loadbearing.cli.reading.report
    import loadbearing.cli.reading.schema
    import loadbearing.cli.reading.show
    import loadbearing.cli.reading.status
    import loadbearing.runs.library.condense
    import loadbearing.runs.library.perturb
    import loadbearing.runs.library.plan
    import loadbearing.runs.planning.forecast_text  # noqa: F401

    for line in sys.stdin:
        asked = json.loads(line)
        sys.stdout.flush()
        child = os.fork()
        if not child:
            _call(scratch, **asked)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _call(
    scratch: Path,
    arguments: list[str],
    cwd: str,
    environment: dict[str, str],
    ends: dict[str, str],
    within_s: int,
) -> None:
    """In the fork: become a call of the command line."""
    from loadbearing.cli.app import main

    # processor time, so that a machine that is busy with other things rings no bell; what hangs takes none
    signal.setitimer(signal.ITIMER_PROF, within_s)
    signal.alarm(LONGEST_WAIT_S)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(scratch / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    for name, end in ends.items():
        _lead(int(name), end)
    sys.argv = ["loadbearing", *arguments]
    code: int | str | None = 70
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    finally:
        if sys.exc_info()[0] is not None:
            print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


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
    for library in sys.argv[2:]:
        import_module(library)
    serve(Path(sys.argv[1]))
