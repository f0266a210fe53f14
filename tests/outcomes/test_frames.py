"""Frames of pandas and polars in the place of a file: the same sheet, whatever marks a missing value."""

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.outcome_table import shape
from memtrial.outcomes.table_fault import TableFault
from memtrial.outcomes.table_options import TableOptions
from tests.support.odd_tables import DAMAGED, PLAIN

COLUMNS: dict[str, list[Any]] = {
    "task": [1, 2, None],
    "arm": ["a", " b ", None],
    "^s.*$": [0.5, float("nan"), 1.0],
    "won": [True, None, False],
    "day": [dt.date(2026, 1, 2), None, dt.date(2026, 1, 3)],
    "steps": [[1], [1, 2], None],
}
TEXTS = {
    "task": ["1", "2", ""],
    "arm": ["a", "b", ""],
    "^s.*$": ["0.5", "", "1"],
    "won": ["True", "", "False"],
    "day": ["2026-01-02", "", "2026-01-03"],
}


@dataclass(frozen=True)
class Chunks:
    """A column as pyarrow has it."""

    values: list[Any]

    def to_pylist(self) -> list[Any]:
        return self.values


@dataclass(frozen=True)
class LikeArrow:
    """What is used of a table of pyarrow, which is not installed everywhere."""

    held: Mapping[str, list[Any]]

    @property
    def column_names(self) -> list[str]:
        return list(self.held)

    def itercolumns(self) -> Iterator[Chunks]:
        return map(Chunks, self.held.values())


def arrow(columns: Mapping[str, list[Any]]) -> Any:
    if find_spec("pyarrow") is None:
        return LikeArrow(columns)
    import pyarrow as pa

    return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})


def dicts(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, arrow, dicts])
def test_values_of_every_type_become_text(make: Any) -> None:
    sheet = read_sheet(make(COLUMNS))
    assert sheet.frame.to_dict(as_series=False) == TEXTS
    assert sheet.unread == ("steps",)


def test_parquet_and_json_lines_are_read_like_frames(tmp_path: Path) -> None:
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "t[1]*.parquet")
    # line by line, as numbers of one column may differ in type
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    lines = [json.dumps({k: None if v != v else v for k, v in row.items()}, default=str) for row in rows]
    (tmp_path / "t.jsonl").write_text("\ufeff" + "\n\n".join(lines), encoding="utf-8")
    for name in ("t[1]*.parquet", "t.jsonl"):
        sheet = read_sheet(tmp_path / name)
        texts = {key: [text.replace("true", "True").replace("false", "False") for text in found]
                 for key, found in sheet.frame.to_dict(as_series=False).items()}  # fmt: skip
        assert texts == TEXTS, name
        assert sheet.unread == ("steps",)


def test_other_marks_of_pandas_for_a_missing_value() -> None:
    frame = pd.DataFrame(
        {
            7: pd.array([1, None], dtype="Int64"),
            "text": pd.array(["x", None], dtype="string"),
            "when": pd.to_datetime(["2026-01-02", None]),
            "kind": pd.Categorical(["u", None]),
            "flag": pd.array([True, None], dtype="boolean"),
        },
        index=["one", "two"],
    )
    found = read_sheet(frame).frame
    assert found.columns == ["7", "text", "when", "kind", "flag"]
    assert found.row(0) == ("1", "x", "2026-01-02 00:00:00", "u", "True")
    assert found.row(1) == ("", "", "", "", "")


@pytest.mark.parametrize("keys", [["task"], ["task", "arm"], ["arm", "task"]])
def test_what_pandas_grouped_by_is_read_as_columns(keys: list[str]) -> None:
    frame = pd.DataFrame({"task": [2, 1, 1], "arm": ["a", "a", "b"], "score": [0.5, 1.0, 0.0]})
    plain, indexed = read_sheet(frame).frame, read_sheet(frame.set_index(keys)).frame
    assert indexed.select(plain.columns).equals(plain)
    # an index without a name numbers the rows, and a name that is a column's, too, is that column
    assert read_sheet(frame.set_index(pd.Index([7, 8, 9]))).frame.equals(plain)
    assert read_sheet(frame.set_index("task", drop=False)).frame.equals(plain)


@pytest.mark.parametrize("text", [PLAIN, DAMAGED])
def test_a_frame_is_shaped_like_its_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    tables = (
        tmp_path / "t.csv",
        str(tmp_path / "t.csv"),
        pl.read_csv(tmp_path / "t.csv"),
        pd.read_csv(tmp_path / "t.csv"),
        pl.read_csv(tmp_path / "t.csv").to_dicts(),
        [tmp_path / "t.csv"],
        arrow(pl.read_csv(tmp_path / "t.csv").to_dict(as_series=False)),
    )
    first, *others = (shape(read_sheet(table), TableOptions({})) for table in tables)
    for other in others:
        assert (other.said, other.notes, other.arms) == (first.said, first.notes, first.arms)
        one, two = first.outcomes.cells("model"), other.outcomes.cells("model")
        assert (two.tasks, two.cells) == (one.tasks, one.cells)
        np.testing.assert_array_equal(two.means, one.means)


def test_what_is_no_table_is_refused() -> None:
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    for table, says in (
        (twice, "several called 'a'"),
        (pl.DataFrame({"a": [], "b": []}), "no rows"),
        (pl.LazyFrame({"a": [1]}), "got LazyFrame"),
        ({"task": [1]}, "got dict"),
        ([], "no rows"),
        ([{"task": 1}, 2], "row 2 is int"),
        ([{1: 2}], "row 1 is dict"),
        (["here.csv", 3], "row 1 is str"),
        (LikeArrow({}), "no rows"),
    ):
        with pytest.raises(TableFault, match=says):
            read_sheet(table)
