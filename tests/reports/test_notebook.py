"""Results in a notebook: the matrix as a table, figures and tables by name, and nothing that runs."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from memtrial.reports.text.arm_readings import verdict_matrix
from memtrial.reports.text.reading import SIMULATED
from tests.support.paper_example import ARMS, BACKBONES, paper_example
from tests.support.report_example import HOSTILE

ROOT = Path(__file__).resolve().parents[2]


def test_the_matrix_stands_in_a_table_above_the_figure() -> None:
    results = paper_example()
    page = ET.fromstring(results._repr_html_().replace("<br>", "<br/>").strip())
    rows = [["".join(cell.itertext()).strip() for cell in row] for row in page.iter("tr")]
    assert rows[0] == ["arm", "utility", "filler", "corrupt_invert", "irrelevant_swap"]
    assert [row[0] for row in rows if len(row) == 1] == list(BACKBONES)
    entries = verdict_matrix(results).groups[BACKBONES[0]][ARMS[1]]
    row = next(row for row in rows if row[0] == ARMS[1])
    assert [cell.split()[-2:] for cell in row[1:]] == [[entry.word, entry.estimate] for entry in entries]
    text = "".join(page.itertext())
    assert SIMULATED in " ".join(text.split())
    parts = [element.tag.rpartition("}")[2] for element in page]
    figure = next(n for n, part in enumerate(page) if part.find("{*}svg") is not None)
    assert figure < parts.index("details")


def test_figures_and_tables_come_by_name() -> None:
    results = paper_example()
    forest, drop = results.figure("forest"), results.figure("drop")
    assert forest.svg.count("<svg") == drop._repr_html_().count("<svg") == 1
    assert forest._repr_html_() == results.figure()._repr_html_()
    for word in ("helps", "load-bearing"):
        assert word in forest.svg
    assert drop.svg.startswith("<?xml")
    table = results.tabulate()
    assert str(table).splitlines()[1].split()[:2] == [BACKBONES[0], ARMS[0]]
    assert table.latex.startswith("\\begin{table")
    rows = ET.fromstring(table._repr_html_().strip()).findall(".//tbody/tr")
    assert len(rows) == len(BACKBONES) * len(ARMS)
    assert str(results.tabulate("published")).count("published") == 12


@pytest.mark.parametrize("ask", ["figure", "tabulate"])
def test_a_name_that_is_not_there_is_refused_with_those_that_are(ask: str) -> None:
    with pytest.raises(ValueError, match=r"these results have the (figures|tables) .*drop.*; got 'nosuch'"):
        getattr(paper_example(), ask)("nosuch")


def test_names_are_text_and_never_markup() -> None:
    results = paper_example((HOSTILE, "b", "c"))
    for html in (results._repr_html_(), results.tabulate()._repr_html_(), results.figure()._repr_html_()):
        assert "<script" not in html
        assert "\x1b" not in html
    assert "&lt;script&gt;" in results.tabulate()._repr_html_()


IN_A_NOTEBOOK = """
import builtins, sys, types
shown = []
class ZMQInteractiveShell:
    "What a notebook's kernel calls itself; rich asks for it by this name."
builtins.get_ipython = ZMQInteractiveShell
ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
display.display = lambda *parts: shown.append(parts)
sys.modules.update({"IPython": ipython, "IPython.display": display})
from memtrial.reports.render.terminal import coloured_html
from tests.support.paper_example import paper_example
assert "helps" in coloured_html(paper_example())
print(len(shown))
"""


def test_a_notebook_shows_results_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_NOTEBOOK], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.stdout, done.returncode) == ("0\n", 0), done.stderr
