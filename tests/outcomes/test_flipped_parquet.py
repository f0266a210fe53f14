"""Parquet files with a changed byte: a line, the right texts, or a word that nothing vouches for them."""

import io
import json
import os
import random
import struct
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.outcomes.files.parquet_claims import DamageFault, claims_of, hold_against
from memtrial.outcomes.files.parquet_process import fault_of
from memtrial.outcomes.files.table_files import UNCHECKED, read_sheet
from memtrial.outcomes.files.thrift_compact import Reader
from memtrial.outcomes.table_fault import TableFault

ROOT = Path(__file__).resolve().parents[2]
N = 120
TABLE = pl.DataFrame(
    {
        "task": [f"task_{row // 2}" for row in range(N)],
        "arm": ["none", "memory"] * (N // 2),
        "score": [None if row % 11 == 7 else (row * 7 % 13 > 6) for row in range(N)],
        "seconds": [row * 0.25 for row in range(N)],
    }
)
MANY = """
import json, os, sys
from memtrial.outcomes.files.parquet_texts import answer, bound_process
bound_process()
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
for line in sys.stdin:
    print(json.dumps(answer(bytes.fromhex(line))), flush=True)
"""
Held = dict[str, Any]


def written(frame: pl.DataFrame = TABLE, **how: Any) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, **how)
    return file.getvalue()


class Answers:
    """The reader of one file, asked about many; begun anew where a file ended it."""

    def __init__(self) -> None:
        self.process = self._begin()

    def _begin(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", MANY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=ROOT, env=os.environ | {"POLARS_MAX_THREADS": "1"},
        )  # fmt: skip

    def ask(self, held: bytes) -> Held:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(held.hex() + "\n")
        self.process.stdin.flush()
        if line := self.process.stdout.readline():
            return dict(json.loads(line))
        fault = fault_of(self.process.wait(), b"")
        self.process = self._begin()
        return {"fault": fault}

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def varint(number: int) -> bytes:
    number = number << 1 if number >= 0 else (-number << 1) - 1
    held = b""
    while number > 127:
        held += bytes([number & 127 | 128])
        number >>= 7
    return held + bytes([number])


def with_checksum(held: bytes) -> bytes:
    """A file of one plain column in one page, with the checksum of it that other writers leave."""
    end = len(held) - 8 - int.from_bytes(held[-8:-4], "little")
    footer = held[end:-8]
    about: Any = Reader(footer).struct()
    column = about[4][0][1][0][3]
    reader = Reader(held, column[9])
    size = reader.struct()[3]
    header, page = held[column[9] : reader.place], held[reader.place : reader.place + size]
    assert len(header) + len(page) == column[7]
    crc = zlib.crc32(page)
    # field 4 after field 3, so field 5 is the next one and no longer the second next
    old, new = varint(size) + b"\x2c", varint(size) + b"\x15" + varint(crc - (crc >> 31 << 32)) + b"\x1c"
    grown = header.replace(old, new)
    assert len(grown) == len(header) + len(new) - len(old)
    more = len(new) - len(old)
    footer = footer.replace(b"\x16" + varint(column[7]), b"\x16" + varint(column[7] + more))
    return held[: column[9]] + grown + page + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize(
    "how", [{}, {"compression": "uncompressed", "statistics": "full"}, {"compression": "snappy"}], ids=str
)
def test_a_flipped_byte_is_a_line_or_the_right_texts_or_said_to_be_unchecked(how: dict[str, str]) -> None:
    whole, rng, counts = written(**how), random.Random(25), Counter[str]()
    answers = Answers()
    right = answers.ask(whole)
    assert right["columns"]["task"][-1] == "task_59"
    assert not right["checked"]
    for _ in range(300):
        held = bytearray(whole)
        held[rng.randrange(len(held))] ^= rng.randrange(1, 256)
        answer = answers.ask(bytes(held))
        if "fault" in answer:
            assert answer["fault"].startswith(("is damaged: ", "cannot be read: "))
            assert "\n" not in answer["fault"]
            counts["line"] += 1
        elif answer["columns"] == right["columns"]:
            counts["right"] += 1
        else:
            assert answer["checked"] is False  # and the sheet says so
            counts["unchecked"] += 1
    answers.end()
    assert counts["line"] > 130, counts


def test_what_a_file_says_of_its_columns_is_held_against_them() -> None:
    whole = written(compression="uncompressed", statistics="full")
    for old, new, says in (
        (b"task_30", b"tark_30", "column 'task' holds a value outside the range"),
        (b"task_30", b"zask_30", "column 'task' holds a value outside the range"),
    ):
        held = whole.replace(old, new)
        assert held != whole
        with pytest.raises(DamageFault, match=says):
            hold_against(pl.read_parquet(held), claims_of(held))
    frame = pl.read_parquet(whole)
    for other, says in (
        (frame[:-1], "not as many rows"),
        (frame.rename({"arm": "agent"}), "column 'arm' has two names"),
        (frame.with_columns(pl.lit(None).alias("arm")), "column 'arm' has not as many values"),
        (frame.with_columns(pl.col("seconds") - 1), "'seconds' holds a value outside"),
    ):
        with pytest.raises(DamageFault, match=says):
            hold_against(other, claims_of(whole))


@pytest.mark.parametrize("how", [{}, {"row_group_size": 50}, {"data_page_size": 64}, {"statistics": False}])
def test_whole_files_of_every_type_hold_what_they_say(how: dict[str, Any]) -> None:
    odd = {
        "^a.*$": [float("nan"), None, -0.0] * 40,
        "a.b": ["ü", "", None] * 40,
        "list": [[1, 2], [], None] * 40,
        "of": [{"a": 1, "b": {"c": "x"}}] * 120,
        "none": [None] * 120,
        "bytes": [b"\xff", b"", None] * 40,
        "big": pl.Series(range(2**63, 2**63 + 120), dtype=pl.UInt64),
        "day": pl.Series(range(-60, 60)).cast(pl.Date),
        "kind": pl.Series(["b", "a"] * 60, dtype=pl.Categorical),
        "decimal": pl.Series(range(120)).cast(pl.Decimal(10, 2)),
        "infinite": [float("inf"), float("-inf")] * 60,
    }
    for frame in (pl.DataFrame(odd), pl.DataFrame(odd)[:0], TABLE):
        held = written(frame, **how)
        hold_against(pl.read_parquet(held), claims_of(held))


def test_a_checksum_vouches_for_its_page_and_shows_damage() -> None:
    frame = TABLE.select("seconds")
    plain = written(frame, compression="uncompressed", statistics=False)
    whole = with_checksum(plain)
    assert claims_of(whole).is_checked
    assert not claims_of(plain).is_checked
    assert pl.read_parquet(whole).equals(frame)
    held = whole.replace(struct.pack("<d", 7.25), struct.pack("<d", 7.5))
    assert not pl.read_parquet(held).equals(frame)  # polars does not look
    with pytest.raises(DamageFault, match="the checksum of a page is wrong"):
        claims_of(held)


def test_the_library_and_the_command_line_read_where_nothing_is_taken_along(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(written())
    assert read_sheet(path).notes == (UNCHECKED,)
    assert UNCHECKED in analyze(path, rules=AnalysisOptions(flips=99)).notes
    path.write_bytes(written()[:-40] + written()[-30:])
    with pytest.raises(TableFault, match=r"is needed; .*t\.parquet .*: "):
        analyze(path)
    # polars ends its process at some files, so it reads them in programs of their own
    reading = [
        str(source.relative_to(ROOT))
        for room in (ROOT / "memtrial").iterdir() if room.is_dir()
        for source in room.resolve().rglob("*.py")
        if any(f"pl.{verb}_" in source.read_text("utf-8") for verb in ("read", "scan"))
    ]  # fmt: skip
    assert sorted(reading) == [
        "memtrial/memory/bank/exports/parquet_lines.py",
        "memtrial/outcomes/files/csv_file.py",  # text that was checked before
        "memtrial/outcomes/files/parquet_texts.py",
        "memtrial/worlds/given/frame_rows.py",
    ]
    texts = [
        source
        for source in (ROOT / "memtrial" / "outcomes").glob("*.py")
        if "parquet_texts import" in source.read_text()
    ]
    assert not texts


def test_a_reader_that_ended_is_a_line() -> None:
    done = subprocess.run([sys.executable, "-c", "import os; os.abort()"], capture_output=True, check=False)
    assert fault_of(done.returncode, done.stderr) == "is damaged: its reader was ended by signal 6 (SIGABRT)"
    assert (
        fault_of(1, b"Traceback\nMemoryError") == "cannot be read: its reader ended with code 1: MemoryError"
    )
    assert fault_of(0, b"a warning") == ""
