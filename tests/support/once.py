"""What several files of tests only read, made once a run of the tests: by the first worker that comes."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder of that name, filled by `make`; it is read or copied, never changed."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # of all workers
    place, whole = base / f"once-{name}", base / f"once-{name}.whole"
    with open(base / f"once-{name}.lock", "w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        if not whole.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(mode=0o700)
            make(place)
            whole.touch()
    return place
