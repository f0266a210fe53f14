"""CSV that a spreadsheet may open: no text begins a formula there, and all of them read back equal."""

import csv
import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.cli.results.export import export_run
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.spreadsheet import guard_cell, unguard_cell, write_csv
from tests.support.verb_ledger import CELLS, begun, play, trial

ROOT = Path(__file__).resolve().parents[2]
SIGNS = "=+-@\t\r\n＝＋－＠﹣₊"
BEGINNINGS = ("", " ", "'", "''", "\ufeff", "\u200b", "\xa0", "\t'", "' ")
# what no CSV file holds: halves of characters, and the zero byte by which binary files are known
ANY = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.text(ANY, max_size=12) | st.builds(
    "{}{}{}".format,
    st.sampled_from(BEGINNINGS),
    st.sampled_from(SIGNS),
    st.sampled_from(("", "1+1", " ", "cmd|'/c calc'!A1", '","=1', "\r\n=1")),
)
# several `;` in a header are taken for its delimiter
HEADS = TEXTS.filter(lambda text: not set(text) & set(";|\t"))
FOREIGN = (
    "'tis",
    "'",
    "''",
    "'90s rock",
    "rock 'n' roll",
    "O'Neill",
    "x=1",
    "a-b",
    "me@home",
    "1e-3",
    "'tis late",
)


def begins_formula(cell: str) -> bool:
    """As the most eager spreadsheet would see it: blanks and marks that are not shown are skipped."""
    return re.match(r"[\s\x00-\x20\ufeff\u200b]*[=+\-@＝＋－＠﹣₊]|[\t\r\n]", cell) is not None


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=20), st.tuples(HEADS, HEADS))
def test_any_text_reads_back_equal_and_none_begins_a_formula(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], heads: tuple[str, str]
) -> None:
    heads = (f"{heads[0]}1", f"{heads[1]}2")
    path = tmp_path_factory.getbasetemp() / "any.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        assert write_csv(file, heads, rows) == len(rows)
    with path.open(encoding="utf-8", newline="") as file:
        written = list(csv.reader(file))
    assert len(written) == len(rows) + 1
    assert not [cell for row in written for cell in row if begins_formula(cell)]
    # a row without any text is none
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    frame = read_sheet(path).frame
    assert tuple(frame.columns) == heads
    for at, head in enumerate(heads):
        assert frame[head].to_list() == [row[at] for row in rows]


def test_numbers_stay_numbers_and_texts_that_look_like_one_are_texts() -> None:
    text = StringIO()
    write_csv(text, ("n", "share", "none", "name"), [(-3, -0.25, None, "-0.25"), (1, 1e-9, None, "0.25")])
    assert text.getvalue().splitlines() == ["n,share,none,name", "-3,-0.25,,'-0.25", "1,1e-09,,0.25"]


@pytest.mark.parametrize("cell", FOREIGN)
def test_apostrophes_of_others_stay(cell: str, tmp_path: Path) -> None:
    assert unguard_cell(cell) == guard_cell(cell) == cell
    # blanks around cells are cut as ever; behind apostrophes alone they are a text of ours
    for name, between in (("plain", ","), *((("padded", " , "),) if cell.strip("'") else ())):
        path = tmp_path / f"{name}.csv"
        path.write_text(between.join(("task", "arm")) + f"\n{cell}{between}a\nother{between}b\n")
        assert read_sheet(path).frame.to_series(0).to_list() == [cell, "other"]


def test_an_exported_run_reads_back_as_it_was_played(tmp_path: Path) -> None:
    odd = [
        '=HYPERLINK("http://x","y")',
        "  +1",
        "@SUM(A1)",
        "-2",
        "'=quoted",
        "'tis",
        "\tx",
        "a\rb",
        "x ",
        "x",
    ]
    ledger: SqliteLedger = begun(tmp_path / "run")
    play(ledger)
    for task in odd:
        ledger.add_trials([trial("simulated/reader", cell, task, 0, "success") for cell in CELLS], [])
    played = [row.task for row in ledger.trials()]
    ledger.close()
    export_run(tmp_path / "run", None, tmp_path / "outcomes.csv")
    assert read_sheet(tmp_path / "outcomes.csv").frame["task"].to_list() == played
    assert set(odd) <= set(played)
    with (tmp_path / "outcomes.csv").open(newline="", encoding="utf-8") as file:
        assert not [cell for row in csv.reader(file) for cell in row if begins_formula(cell)]


def test_one_place_writes_csv() -> None:
    rooms = [path.resolve() for path in (ROOT / "memtrial").iterdir() if path.is_dir()]
    assert len(rooms) > 10
    writes = re.compile(r"csv\.(Dict)?[wW]riter|to_csv\(|(csv|pc)\.(write_csv|CSVWriter)|\.join\(.*\bcsv\b")
    for path in (path for room in rooms for path in room.rglob("*.py")):
        assert not writes.search(path.read_text(encoding="utf-8")), path
