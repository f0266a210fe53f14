"""Calls of the command line for the tests of this room: forks of one warm process, and one finished run."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.once import once
from tests.support.refusing import Done, Warm
from tests.support.small import write_spec

Call = Callable[..., Done]
WITHIN_S = 120
TINY = """
name: tiny
environment: {world: workshop, train: 4, test: 2}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer}
arms: [none, control]
conditions: [filler]
repeats: 1
analysis: {flips: 199}
"""
RUN = ("run", "tiny.yaml", "--display", "none", "--no-report")


@pytest.fixture(scope="session")
def call(warm: Warm) -> Call:
    """A call of the command line, as in a process of its own."""

    def calling(*arguments: str, cwd: Path, **variables: str) -> Done:
        return warm.call(*arguments, cwd=cwd, variables=variables, within_s=WITHIN_S)

    return calling


def finished_run(warm: Warm, factory: pytest.TempPathFactory) -> Path:
    """The one that all tests of a run copy."""

    def make(folder: Path) -> None:
        write_spec(folder, TINY, "tiny.yaml")
        done = warm.call(*RUN, cwd=folder, within_s=WITHIN_S)
        assert done.code == 0, done

    return once(factory, "tiny", make)


@pytest.fixture(scope="session")
def finished(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a spec and its finished run; it is copied, never changed."""
    return finished_run(warm, tmp_path_factory)


@pytest.fixture
def there(finished: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished, tmp_path, symlinks=True, dirs_exist_ok=True)
    return tmp_path
