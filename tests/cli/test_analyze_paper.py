"""`analyze` writes for a paper what `report` writes: tables, figures with their data, estimates."""

import csv
from pathlib import Path

import pytest

from memtrial.api.analyze import AnalysisOptions
from memtrial.cli.results.paper_options import PaperChoice
from memtrial.cli.tools.analyze import analyze_table
from memtrial.faults import SpecFault
from memtrial.outcomes.table_options import TableOptions

RULES = AnalysisOptions(flips=99)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    lines = ["task,arm,score"]
    for task in range(12):
        lines += [f"t{task},none,{int(task % 3 == 0)}", f"t{task},notes,{int(task % 2 == 0)}"]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_tables_figures_and_estimates_are_written_beside_the_report(table: Path, tmp_path: Path) -> None:
    paper = PaperChoice(tmp_path / "figures", "svg", tmp_path / "all.tex", tmp_path / "all.csv")
    analyze_table(table, TableOptions(reference="none"), RULES, tmp_path / "out", False, paper)
    assert "notes" in (tmp_path / "all.tex").read_text(encoding="utf-8")
    (row,) = csv.DictReader((tmp_path / "all.csv").open(encoding="utf-8"))
    assert (row["estimand"], row["arm"]) == ("utility", "notes")
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".svg", ".csv"}
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize("place", ["latex", "estimates"])
def test_nothing_is_written_over_the_table_that_is_read(table: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "linked.tex").hardlink_to(table)
    paper = PaperChoice(**{place: table if place == "estimates" else tmp_path / "linked.tex"})
    before = table.read_bytes()
    with pytest.raises(SpecFault, match=f"--{place}"):
        analyze_table(table, TableOptions(reference="none"), RULES, tmp_path / "out", False, paper)
    assert table.read_bytes() == before
    assert not (tmp_path / "out").exists()
