"""The command line in forks of one warm process: as isolated as a process each, at a fraction of the time."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.support.small import SPEC, write_spec
from tests.support.warm import ask

LONGEST_S = 10
"""Of processor time."""
LONGEST_LINE = 1500


@dataclass(frozen=True, slots=True)
class Done:
    """How a call of the command line ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Warm:
    """Calls in forks of a process that has loaded everything; what they say is kept in `scratch`."""

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
        said = [self.scratch / name for name in ("out", "err")]
        code = ask(
            "call",
            arguments=arguments,
            cwd=str(cwd),
            environment=environment,
            **dict(zip(("out", "err"), map(str, said), strict=True)),
            ends=ends or {},
            within_s=within_s,
        )
        return Done(code, *(path.read_bytes().decode("utf-8", "replace") for path in said))


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
    assert lines[0].startswith("memtrial: "), done
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
