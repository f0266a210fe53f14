"""Tables of strangers: the right difference at once, or after the one command that the one message names."""

import json
import shlex
from pathlib import Path

import pytest

from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.table_fault import TableFault
from tests.cli.conftest import Call
from tests.support.stranger_tables import STRANGERS, Stranger

QUICK = ("--flips", "99", "--json")


def write(folder: Path, stranger: Stranger) -> str:
    """Write the files; what is given to `analyze`: the file, or the folder of several."""
    for name, text in stranger.files.items():
        path = folder / "some tables" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return "some tables" if len(stranger.files) > 1 else f"some tables/{next(iter(stranger.files))}"


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda stranger: stranger.name)
def test_the_right_difference_or_one_message_with_the_command(
    stranger: Stranger, tmp_path: Path, call: Call
) -> None:
    words = ("analyze", write(tmp_path, stranger), *stranger.asked, *QUICK)
    done = call(*words, cwd=tmp_path)
    if stranger.answers:
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
        command = shlex.split(done.err.partition("likeliest answer")[2].partition(": ")[2])
        assert tuple(command) == ("memtrial", *words, *stranger.answers)
        done = call(*command[1:], cwd=tmp_path)
    assert done.code == 0, done.err
    results = json.loads(done.out)
    assert [row["estimate"] for row in results["estimates"]] == [pytest.approx(stranger.estimate)]
    for word, sentence in stranger.said.items():
        assert sentence in results["table"]["said"][word]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.txt", "Task\tAgent\tSuccess\r\nä\tnone\t0\r\nä\tm\t1\r\n"),
        (
            "t.json",
            '[{"Task": "ä", "Agent": "none", "Success": 0}, {"Task": "ä", "Agent": "m", "Success": 1}]',
        ),
    ],
)
def test_a_table_in_utf_16_is_read_where_a_mark_says_so(
    name: str, text: str, codec: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(f"\ufeff{text}".encode(codec))
    assert read_sheet(path).frame.rows() == [("ä", "none", "0"), ("ä", "m", "1")]
    path.write_bytes(text.encode(codec))
    with pytest.raises(TableFault, match="is binary"):
        read_sheet(path)
