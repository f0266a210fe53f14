"""A plain CSV file is read by polars: it says what the csv module says, or leaves the file to it."""

import random
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from memtrial.outcomes.files.csv_file import _read_plain, _read_rows

NAMES = ("task", "arm", "score")
HEADER = "task,arm,score"


def both(path: Path, text: str):
    path.write_bytes(text.encode())
    return _read_plain(path, ",", NAMES, "utf-8-sig"), _read_rows(path, ",", NAMES, "utf-8-sig")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_plain_is_what_the_csv_module_reads(tmp_path: Path, end: str):
    draw = random.Random(end)
    cells = [
        "a",
        "",
        " ",
        "1",
        " b ",
        "task",
        "é",
        "\x1c",
        "\u2028",
        "\u00a0",
        "'=1",
        "\ufeff",
        "0.5 ",
        "\x0b",
        "\x85",
    ]
    for _ in range(200):
        rows = [",".join(draw.choices(cells, k=3)) for _ in range(draw.randint(1, 6))]
        lines = [
            *draw.choice([[], [""], [",,"]]),
            HEADER,
            *rows,
            *draw.choice([[], [HEADER], ["", ",,", " , ,"], ["", "", "", "z,z,1"]]),
        ]
        lines[0] = draw.choice(["", "\ufeff"]) + lines[0]
        plain, read = both(tmp_path / "t.csv", end.join(lines) + draw.choice(["", end]))
        assert plain is not None
        assert_frame_equal(plain[0], read[0])
        assert plain[1:] == read[1:]


@pytest.mark.parametrize(
    "row", ['"a",b,1', "a,b", "a,b,1,2", "a\rb,c,1", ",,,", '5" nail,b,1', "a,b,1,2\na,b", "a,b\na,b,1,2"]
)
def test_a_file_that_is_not_plain_is_left_to_the_csv_module(tmp_path: Path, row: str):
    path = tmp_path / "t.csv"
    path.write_bytes(f"{HEADER}\nx,y,1\n{row}\n".encode())
    assert _read_plain(path, ",", NAMES, "utf-8-sig") is None


def test_bytes_that_are_no_utf8_are_left_to_the_csv_module(tmp_path: Path):
    path = tmp_path / "t.csv"
    path.write_bytes(HEADER.encode() + b"\na,\xff,1\n")
    assert _read_plain(path, ",", NAMES, "utf-8-sig") is None


def test_blanks_and_guards_are_taken_off_by_both_readers(tmp_path: Path):
    plain, read = both(tmp_path / "t.csv", f"{HEADER}\na ,'=1,\x1c1\n'tis, b,''c \n")
    assert plain is not None
    for table in (plain[0], read[0]):
        assert table.rows() == [("a", "=1", "1"), ("'tis", "b", "c ")]
