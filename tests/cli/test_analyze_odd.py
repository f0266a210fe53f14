"""Tables that cannot be analysed: one clear line, nothing written; and how that looks from outside."""

from pathlib import Path

import pytest

from memtrial.api.analyze import AnalysisOptions
from memtrial.cli.tools.analyze import analyze_table
from memtrial.faults import SpecFault
from memtrial.outcomes.table_fault import TableFault
from memtrial.outcomes.table_options import TableOptions
from tests.cli.conftest import Call
from tests.support.odd_tables import PLAIN, REFUSED, Refused


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_one_clear_line_and_nothing_written(
    case: Refused, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, case.file, case.content)
    asked = TableOptions(**{"columns": {}, **case.asked})
    with pytest.raises((SpecFault, TableFault)) as caught:
        analyze_table(path, asked, AnalysisOptions(**case.rules), tmp_path / "out", False)
    line = str(caught.value)
    assert "\n" not in line
    assert len(line.replace(str(path), path.name)) < 600
    for words in case.says:
        assert words in line, line
    assert [one.name for one in tmp_path.iterdir()] == [case.file]
    assert capsys.readouterr().out == ""


def test_there_is_no_such_table(tmp_path: Path) -> None:
    for path, says in ((tmp_path / "none.csv", "not there"), (tmp_path, "a folder")):
        with pytest.raises((SpecFault, TableFault), match=says):
            analyze_table(path, TableOptions({}), AnalysisOptions(), None, True)


def test_from_outside(tmp_path: Path, call: Call) -> None:
    write(tmp_path, "table.csv", PLAIN.replace(",1\n", ",85\n"))
    done = call("analyze", "table.csv", cwd=tmp_path)
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert "--scale 100" in done.err
    assert [one.name for one in tmp_path.iterdir()] == ["table.csv"]
    scaled = call("analyze", "table.csv", "--scale", "100", "--flips", "99", cwd=tmp_path)
    assert scaled.code == 0, scaled.err
    assert "divided by 100" in scaled.out
    there = tmp_path / "table_analysis"
    assert sorted(one.name for one in there.iterdir()) == ["report.html", "report.md", "results.json"]
