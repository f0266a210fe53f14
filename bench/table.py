"""A table of a million rows, read, checked and shaped, and analysed; polars reads and averages it beside."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

from bench.figure import Beside, Figure, beside, spent_by
from memtrial.api.analyze import analyze
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.outcome_table import shape
from memtrial.outcomes.table_options import TableOptions

ROWS, REPEATS, TIMES = 1_000_000, 20, 3
CELLS = (("none", "without"), *((arm, c) for arm in ("a", "b", "c") for c in ("intact", "filler", "swap")))
AIM_S = 3.0


def figures() -> Iterator[Figure]:
    """Processor time to the table in cells, and to the whole analysis; polars checks nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outcomes.csv"
        _write(path)
        for what, work in (
            ("read, checked and averaged by task and cell", partial(_shape, path)),
            ("the whole analysis, its libraries loaded", partial(analyze, path)),
        ):
            work()  # libraries are loaded once
            _average(path)
            both = beside(partial(spent_by, work), partial(spent_by, partial(_average, path)), TIMES)
            yield from _two(what, both)


def _two(what: str, both: Beside) -> Iterator[Figure]:
    name = f"{ROWS:,} rows, {what}"
    ours, polars_s = (np.median([once.cpu_s for once in times]) for times in (both.ours, both.peer))
    detail = f"{ours:.2f} s of processor time ({ROWS / ours:,.0f} rows a second), polars {polars_s:.2f}"
    yield Figure(f"{name}, against polars that reads and averages", detail, both.cpu_ratio)
    yield Figure(f"{name}, against {AIM_S:.0f} s", f"median of {TIMES}", float(ours) / AIM_S, 1.0)


def _shape(path: Path) -> object:
    return shape(read_sheet(path), TableOptions({})).outcomes.cells("model")


def _average(path: Path) -> object:
    cells = ["task", "arm", "condition"]
    return pl.scan_csv(path).group_by(cells).agg(pl.col("score").mean(), pl.len()).collect()


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
