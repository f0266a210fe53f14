"""Where `analyze` writes: three files of its own, and nothing else is touched, the table least of all."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memtrial.api.analyze import FILES, AnalysisOptions
from memtrial.cli.tools.analyze import analyze_table
from memtrial.faults import SpecFault
from memtrial.outcomes.table_fault import TableFault
from memtrial.outcomes.table_options import TableOptions
from tests.cli.conftest import Call
from tests.support.odd_tables import PLAIN

FEW = AnalysisOptions(flips=99)


def table_in(folder: Path, name: str = "table.csv") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(PLAIN)
    return folder / name


def held(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_an_earlier_analysis_is_replaced_and_other_files_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    analyze_table(table_in(tmp_path), TableOptions({}), FEW, out, False)
    first = held(out)
    assert sorted(first) == sorted(FILES)
    (out / "notes.txt").write_text("mine")
    (out / "figures").mkdir()
    (out / "figures" / "one.png").write_text("mine")
    analyze_table(
        tmp_path / "table.csv", TableOptions({}), AnalysisOptions(flips=99, question="Why?"), out, False
    )
    second = held(out)
    assert second.keys() == {*FILES, "notes.txt", "figures/one.png"}
    assert json.loads(second["results.json"])["question"] == "Why?"
    assert all(first[name] != second[name] for name in FILES)


def test_a_table_that_lies_in_the_folder_stays(tmp_path: Path, call: Call) -> None:
    out = tmp_path / "real"
    analyze_table(table_in(tmp_path), TableOptions({}), FEW, out, False)
    path = table_in(out)
    done = call("analyze", str(path), "--out", str(out), "--flips", "99", cwd=tmp_path)
    assert done.code == 0, done.err
    assert path.read_text() == PLAIN
    assert held(out).keys() == {*FILES, "table.csv"}


def test_nothing_is_removed_on_demand(tmp_path: Path, call: Call) -> None:
    path = table_in(tmp_path)
    analyze_table(path, TableOptions({}), FEW, tmp_path / "out", False)
    before = held(tmp_path)
    done = call("analyze", "table.csv", "--out", "out", "--clean", cwd=tmp_path)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "--clean" in done.err
    assert held(tmp_path) == before


def test_the_table_is_never_written_over(tmp_path: Path) -> None:
    """A table that bears the name of a report, or is a link to one."""
    out = tmp_path / "out"
    analyze_table(table_in(tmp_path), TableOptions({}), FEW, out, False)
    path = table_in(out, "report.md")
    (tmp_path / "link.csv").symlink_to(path)
    before = held(out)
    for one in (path, tmp_path / "link.csv"):
        with pytest.raises((SpecFault, TableFault), match=r"report\.md is the table itself"):
            analyze_table(one, TableOptions({}), FEW, out, False)
    assert held(out) == before


def something_else(out: Path) -> None:
    out.mkdir()
    (out / "thesis.tex").write_text("dear")


def a_file(out: Path) -> None:
    out.write_text("mine")


def below_a_file(out: Path) -> None:
    out.parent.rmdir()
    out.parent.write_text("mine")


def a_broken_link(out: Path) -> None:
    out.symlink_to(out.parent / "nowhere")


def a_folder_called_report(out: Path) -> None:
    (out / "report.html").mkdir(parents=True)
    (out / "results.json").write_text('{"table": {}}')


def a_foreign_results_file(out: Path) -> None:
    out.mkdir()
    (out / "results.json").write_text('{"my": "results"}')


REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "something else": (something_else, "stays as it is"),
    "results of somebody else": (a_foreign_results_file, "stays as it is"),
    "a file": (a_file, "--out needs a folder"),
    "below a file": (below_a_file, "--out needs a folder"),
    "a broken link": (a_broken_link, "dangling link"),
    "a folder called report": (a_folder_called_report, "report.html"),
}


@pytest.mark.parametrize(("prepare", "says"), REFUSED.values(), ids=REFUSED)
def test_a_folder_that_is_none_of_ours_stays(
    prepare: Callable[[Path], None], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table_in(tmp_path)
    (tmp_path / "there").mkdir()
    prepare(tmp_path / "there" / "out")
    before = held(tmp_path)
    with pytest.raises((SpecFault, TableFault), match=says) as caught:
        analyze_table(path, TableOptions({}), FEW, tmp_path / "there" / "out", False)
    assert "\n" not in str(caught.value)
    assert held(tmp_path) == before
    assert capsys.readouterr().out == ""


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    path = table_in(tmp_path)
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o500)
    if os.access(shut, os.W_OK):
        pytest.skip("this user writes everywhere")
    for out in (shut, shut / "below" / "it"):
        with pytest.raises((SpecFault, TableFault), match="cannot be written"):
            analyze_table(path, TableOptions({}), FEW, out, False)


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path) -> None:
    path = table_in(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for _ in range(2):
        analyze_table(path, TableOptions({}), FEW, tmp_path / "link", False)
    assert (tmp_path / "link").is_symlink()
    assert held(tmp_path / "real").keys() == set(FILES)


def test_the_command_to_reproduce_says_nothing_of_where_things_lie(tmp_path: Path, call: Call) -> None:
    path = table_in(tmp_path / "in")
    for out, table in (
        ("--out=" + str(tmp_path / "a"), "in/table.csv"),
        (str(tmp_path / "b"), "./in//table.csv"),
    ):
        words = [out] if out.startswith("--out=") else ["--out", out]
        done = call("analyze", table, *words, "--flips", "99", cwd=tmp_path)
        assert done.code == 0, done.err
    made = [json.loads((tmp_path / name / "results.json").read_text())["reproduce"] for name in "ab"]
    assert made == [["memtrial analyze table.csv --flips 99"]] * 2
    assert path.read_text() == PLAIN
