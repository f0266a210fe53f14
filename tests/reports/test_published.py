"""The paper's own numbers beside those of a run, and the spec that draws its comparison."""

import csv
from pathlib import Path

import pytest

from memtrial.reports.figures.stacked_shares import stacked_svg
from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.latex import latex_table
from memtrial.reports.sections.paper_figures import paper_figures
from memtrial.reports.sections.paper_tables import paper_tables
from memtrial.reports.text.failure_text import with_percent
from memtrial.reports.text.published_text import PUBLISHED, rows_beside
from memtrial.runs.spec.read_spec import load_spec
from memtrial.views.evidence.published_modes import MODES, published_modes
from memtrial.views.rows.failure_rows import FailureModes
from tests.support.paper_example import paper_example

ROOT = Path(__file__).resolve().parents[2]
COUNTS = ROOT.parent / "shared" / "data" / "paper" / "table1_counts.csv"
PRINTED = {
    ("Gemini-2.5-Flash", "Shopping"): ("45.2", "32.3", "22.6"),
    ("Qwen3-32B", "Map"): ("74.1", "11.1", "14.8"),
    ("Qwen3-14B", "Reddit"): ("60.9", "0.0", "39.1"),
}
"""Three rows of the table as it is printed."""


def test_the_published_counts_give_the_printed_percentages() -> None:
    rows = {(row.backbone, row.domain): row for row in published_modes()}
    assert len(rows) == 12
    for place, printed in PRINTED.items():
        row = rows[place]
        assert tuple(with_percent(row.counts[mode], row.n) for mode in MODES) == printed


def test_the_published_counts_are_those_of_the_project_s_data() -> None:
    if not COUNTS.is_file():
        pytest.skip("the counts stand beside the project, in ../shared/data")
    with COUNTS.open(encoding="utf-8") as file:
        kept = {(row["backbone"], row["domain"]): [int(row[mode]) for mode in MODES]
                for row in csv.DictReader(file)}  # fmt: skip
    assert kept == {
        (row.backbone, row.domain): [row.counts[mode] for mode in MODES] for row in published_modes()
    }


def test_published_stands_beside_ours_in_report_table_and_figure() -> None:
    results = paper_example()
    assert results.failure_modes is not None
    rows = rows_beside(results.failure_modes)
    assert len(rows) == 12 + len(results.failure_modes.rows)
    assert PUBLISHED in render_html(results, ())
    assert "Gemini-2.5-Flash" in stacked_svg(rows)
    table = dict(paper_tables(results))["published"]
    assert "says nothing of memory alone" in latex_table(table, "tab:published")
    heads = [column.head for column in table.columns]
    ours = dict(zip(heads, table.rows[-1], strict=True))
    theirs = dict(zip(heads, table.rows[0], strict=True))
    assert (ours["n"], ours["other"][:3]) == ("33", "6.1")
    assert (theirs["arm"], theirs["distraction"][:4], theirs["other"]) == ("published", "45.2", "n/a")
    (figure,) = (figure for figure in paper_figures(results) if figure.name == "published")
    assert len(figure.rows) == 4 * len(rows)


def test_nothing_is_put_beside_damaged_memories_or_too_few_failures() -> None:
    modes = paper_example().failure_modes
    assert modes is not None
    damaged = [row.model_copy(update={"condition": "filler"}) for row in modes.rows]
    few = [row.model_copy(update={"n": 4}) for row in modes.rows]
    for rows in (damaged, few):
        assert not rows_beside(FailureModes(rows=tuple(rows)))
    assert not rows_beside(None)


def test_the_spec_holds_the_paper_s_interventions_and_retrieval() -> None:
    spec = load_spec(ROOT / "runs" / "specs" / "paper.yaml", ())
    of_paper = {"without", "empty", "shuffle", "filler", "corrupt_mask", "corrupt_invert"}
    assert of_paper | {"irrelevant_generic", "irrelevant_swap"} <= set(spec.conditions)
    assert {"counter", "oddity+corrupt_invert"} <= set(spec.conditions), "else no drop can be load-bearing"
    assert (spec.retrieval.unit, spec.retrieval.k) == ("item", 3)
    assert spec.arms == ("none", "raw", "control")
