"""Calls of the command line for the tests of this room: forks of one warm process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.refusing import HEAVY, Done, warm_process

Call = Callable[..., Done]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """A call of the command line, as in a process of its own."""
    with warm_process(tmp_path_factory.mktemp("warm"), *HEAVY) as warm:

        def calling(*arguments: str, cwd: Path, **variables: str) -> Done:
            return warm.call(*arguments, cwd=cwd, variables=variables, within_s=120)

        yield calling
