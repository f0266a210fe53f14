"""A table of a million rows: read, checked and shaped, against pandas reading the same file."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from bench.figure import Figure, beside, spent_by
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.outcome_table import shape
from memtrial.outcomes.table_options import TableOptions

ROWS, REPEATS, TIMES = 1_000_000, 20, 3
CELLS = (("none", "without"), *((arm, c) for arm in ("a", "b", "c") for c in ("intact", "filler", "swap")))


def figures() -> Iterator[Figure]:
    """Rows a second as a ratio to `pandas.read_csv`, which checks nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outcomes.csv"
        _write(path)
        shape(read_sheet(path), TableOptions({}))  # libraries are loaded once
        both = beside(
            lambda: spent_by(lambda: shape(read_sheet(path), TableOptions({})).outcomes.cells("model")),
            lambda: spent_by(lambda: pd.read_csv(path)),
            TIMES,
        )
    detail = (
        f"{ROWS:,} rows read, checked and averaged by task and cell in {both.ours_s:.2f} s "
        f"({ROWS / both.ours_s:,.0f} rows/s); pandas.read_csv alone {both.peer_s:.2f} s"
    )
    yield Figure("analyze: table / pandas.read_csv", detail, both.ratio, spread=both.spread)


def _write(path: Path) -> None:
    place = np.arange(ROWS)
    cell, repeat, task = place % len(CELLS), place // len(CELLS) % REPEATS, place // len(CELLS) // REPEATS
    arms, conditions = (np.array([one[side] for one in CELLS])[cell] for side in (0, 1))
    score = np.random.default_rng(0).integers(0, 2, ROWS)
    columns = {"task": task, "arm": arms, "condition": conditions, "repeat": repeat, "score": score}
    pd.DataFrame(columns).to_csv(path, index=False)


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
