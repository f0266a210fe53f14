"""`report` for a paper: figures, tables and the methods of a finished run, and what they need."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from memtrial.reports.text.reading import SIMULATED
from memtrial.views.rows.results import Results
from tests.support.refusing import Warm, refused


def test_a_paper_s_figures_and_tables_in_two_commands(warm: Warm, there: Path) -> None:
    done = warm.call("report", "tiny_s0", "--figures", "figures", "--format", "svg", cwd=there, within_s=60)
    assert done.code == 0, done
    drawn = {path.stem for path in (there / "figures").glob("*.svg")}
    assert {"compared", "utility", "drop", "plane"} <= drawn
    assert drawn == {path.stem for path in (there / "figures").glob("*.csv")}
    rows = list(csv.DictReader((there / "figures" / "drop.csv").open(encoding="utf-8")))
    results = json.loads((there / "logs" / "tiny_s0" / "results.json").read_text("utf-8"))
    drops = [row for row in results["estimates"] if row["estimand"] == "drop"]
    assert [float(row["estimate"]) for row in rows] == [row["estimate"] for row in drops]
    done = warm.call("report", "tiny_s0", "--latex", "tables.tex", cwd=there, within_s=60)
    assert (done.code, "they need \\usepackage{booktabs}" in done.err) == (0, True), done
    text = (there / "tables.tex").read_text("utf-8")
    assert text.count(r"\label{tab:verdicts}") == 1
    assert text.count(SIMULATED) == text.count(r"\toprule")


def test_tables_go_into_a_folder_and_the_methods_stand_in_place_of_the_results(
    warm: Warm, there: Path
) -> None:
    done = warm.call("report", "tiny_s0", "--latex", "tables", "--methods", cwd=there, within_s=60)
    assert done.code == 0, done
    assert {"verdicts.tex", "utility.tex", "drop.tex"} <= {path.name for path in (there / "tables").iterdir()}
    line = " ".join(done.out.split())
    assert line.startswith(f"{SIMULATED} Scripted participants (simulated/reader) played 2 tasks of workshop")
    assert "at most 199 random flips" in line
    assert "Played on 20" in line


def test_estimates_are_the_same_in_csv_parquet_and_results(warm: Warm, there: Path) -> None:
    for name in ("e.csv", "e.parquet"):
        done = warm.call("report", "tiny_s0", "--estimates", name, cwd=there, within_s=60)
        assert done.code == 0, done
    results = Results.model_validate_json((there / "logs" / "tiny_s0" / "results.json").read_bytes())
    frame = pl.read_parquet(there / "e.parquet")
    assert frame.equals(results.to_polars())
    assert frame.schema["share"] == pl.Float64, "though no row has a share"
    text = list(csv.DictReader((there / "e.csv").open(encoding="utf-8")))
    assert list(text[0]) == frame.columns
    assert {"estimand", "backbone", "arm", "condition", "estimate", "low", "high", "verdict"} <= set(text[0])
    assert [float(row["estimate"]) for row in text] == frame["estimate"].to_list()
    assert [row["reason"] for row in text] == frame["reason"].to_list()


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        (("--format", "svg"), "--format goes with --figures DIR"),
        (("--methods", "--json"), "ask for one of them"),
        (("--figures", "tiny.yaml"), "--figures needs a folder"),
        (("--figures", "nowhere/figures"), "--figures needs"),
        (("--latex", "nowhere/t.tex"), "--latex needs"),
        (("--latex", "nowhere/tables"), "--latex needs"),
        (("--figures", "f", "--format", "jpg"), "svg"),
        (("--estimates", "e.txt"), "--estimates needs a file .csv or .parquet; got e.txt"),
    ],
)
def test_what_a_paper_s_files_need(warm: Warm, there: Path, options: tuple[str, ...], needed: str) -> None:
    assert needed in refused(warm, there, "report", "tiny_s0", *options)
