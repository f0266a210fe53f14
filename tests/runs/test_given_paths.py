"""What the library is given in the place of a path or a table: a named fault in one line, no traceback."""

from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import memtrial as mt
from memtrial.api.failures import failures
from memtrial.api.gates import regress, to_label
from memtrial.faults import SpecFault
from memtrial.outcomes.failures.failure_columns import read_counts, read_labels
from memtrial.outcomes.table_fault import TableFault
from tests.support.small import SPEC, write_spec

HALF = "a\ud800b"
NO_PATHS: dict[str, Any] = {
    "a Series of pandas": pd.Series([1, 2]),
    "a Series of polars": pl.Series([1, 2]),
    "a lazy frame": pl.LazyFrame({"a": [1]}),
    "a number": 3,
    "bytes": b"t.csv",
    "nothing": None,
    "a long path": "x" * 5_000,
    "a long Path": Path("x" * 5_000),
    "many folders": "y/" * 3_000,
    "half of a pair": Path(HALF),
    "a byte that is no text": Path("a\udc80b"),
    "a null": Path("a\0b"),
}
DOORS: dict[str, Callable[[Any], object]] = {
    "analyze": mt.analyze,
    "condense": lambda given: mt.condense(given, mt.CondenseOptions(condenser="native")),
    "load": mt.load,
    "plan": mt.plan,
    "run": mt.run,
    "ablate": mt.ablate,
    "perturb": lambda given: mt.perturb(given, "corrupt_invert"),
    "failures": failures,
    "regress": lambda given: regress(fixtures=given),
    "items to label": lambda given: to_label(given, Path(__file__)),
    "counts": read_counts,
    "labels": read_labels,
}


def line_of(call: Callable[[], object]) -> str:
    with pytest.raises((SpecFault, TableFault)) as caught:
        call()
    line = str(caught.value)
    assert line.isprintable()
    assert len(line.encode()) < 600
    return line


@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_path_is_refused(door: str, tmp_path: Path) -> None:
    with chdir(tmp_path):
        for name, given in NO_PATHS.items():
            if not (door == "perturb" and isinstance(given, str)):  # there a text is markdown
                assert line_of(lambda given=given: DOORS[door](given)), name
    assert not list(tmp_path.iterdir())


def test_a_pilot_is_refused_likewise(tmp_path: Path) -> None:
    spec = write_spec(tmp_path, SPEC)
    for given in ("x" * 5_000, pd.Series([1]), Path(HALF)):
        assert "pilot" in line_of(lambda given=given: mt.plan(spec, pilot=given))


def test_half_of_a_surrogate_pair_in_a_frame_is_named() -> None:
    cells = {"task": ["a", "b"], "arm": ["none", "m"], "score": [0, 1]}
    for odd in (
        cells | {"task": [HALF, "b"]},
        {"ta\udc80sk": ["a", "b"], **cells},
        cells | {"arm": [HALF, 1]},
    ):
        assert "half of a surrogate pair" in line_of(lambda odd=odd: mt.analyze(pd.DataFrame(odd)))
