"""Files that are broken somewhere: one line says where, and nothing is filled in or left out."""

import gzip
import os
from pathlib import Path

import polars as pl
import pytest

from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.table_fault import TableFault
from tests.support.odd_tables import PLAIN

LONG = "".join(f"t{row},a,1\n" for row in range(30_000))


def parquet(folder: Path) -> bytes:
    pl.DataFrame({"task": ["t"] * 100, "arm": ["a"] * 100}).write_parquet(folder / "whole")
    return (folder / "whole").read_bytes()


@pytest.mark.parametrize(
    ("name", "held", "says"),
    [
        ("t.csv", PLAIN + "t9,memory,1,2\n", r"3 columns and row 29 has 4 cells: t9 \| memory \| 1 \| 2$"),
        ("t.csv", "task,arm,score\n" + LONG + "t,a\n", "row 30001 has 2 cells"),
        ("t.csv", PLAIN + '"t9,memory,1\n', "row 29 has 1 cell: t9,memory"),
        ("t.csv", PLAIN + "t9,memory,1" + "1" * 2_000_000, "field larger than field limit"),
        ("t.csv.gz", gzip.compress(PLAIN.encode()), "save a sheet as CSV in UTF-8"),
        ("t.csv", PLAIN.encode("utf-16-le"), "save a sheet as CSV in UTF-8"),
        ("t.jsonl", '{"task": 1}\n\n[1]\n', "line 3 is no JSON object"),
        ("t.jsonl", '{"task": 1}\n{"task": 1', "line 2 is no JSON object"),
        ("t.jsonl", '{"task": 1}\n{"task":' + "[" * 100_000 + "\n", "line 2 is no JSON object"),
        ("t.jsonl", b'{"task": "\xe2"}\n', "is not UTF-8"),
        ("t.jsonl", " \n", "is empty"),
        ("t.jsonl", '{"task": "\\ud800"}\n', "cannot be read"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(
    name: str, held: str | bytes, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(held if isinstance(held, bytes) else held.encode())
    with pytest.raises(TableFault, match=says) as caught:
        read_sheet(tmp_path / name)
    assert "is needed; " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_cut_parquet_file_is_refused(tmp_path: Path) -> None:
    whole = parquet(tmp_path)
    for size in range(12, len(whole) - 1, 97):
        (tmp_path / "cut.parquet").write_bytes(whole[:size])
        with pytest.raises(TableFault, match="cannot be read"):
            read_sheet(tmp_path / "cut.parquet")


def test_lines_without_a_cell_are_skipped_and_quotes_inside_a_text_stay(tmp_path: Path) -> None:
    text = '\n\ntask,arm,score\n\n5" pipe,"a ""b"" c",1\n\nx"y,"d\ne",0\n\n'
    (tmp_path / "t.csv").write_text(text)
    found = read_sheet(tmp_path / "t.csv").frame
    assert found.rows() == [('5" pipe', 'a "b" c', "1"), ('x"y', "d\ne", "0")]


def test_json_lines_with_a_new_key_in_every_line_end_early(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("".join(f'{{"k{line}": 1}}\n' for line in range(200_000)))
    with pytest.raises(TableFault, match=r"at most 1,000 keys .* by line 1001"):
        read_sheet(tmp_path / "t.jsonl")


def test_the_nan_that_python_writes_is_a_missing_value(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"score": NaN}\n{"score": 1.0, "steps": []}\n')
    sheet = read_sheet(tmp_path / "t.jsonl")
    assert (sheet.frame["score"].to_list(), sheet.unread) == (["", "1"], ("steps",))


def test_a_sign_that_is_no_utf_8_is_found_far_from_the_beginning(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(("task,arm,score\n" + LONG + "tâche,a,1\n").encode("latin-1"))
    with pytest.raises(TableFault, match="is not UTF-8: save it"):
        read_sheet(tmp_path / "t.csv")


def test_what_comes_through_a_pipe_is_saved_first(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", Path("-")):
        with pytest.raises(TableFault, match="is no plain file: save what comes through a pipe"):
            read_sheet(path)
