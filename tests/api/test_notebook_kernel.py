"""A notebook in a real kernel: results, a figure, a table and a task are drawn, and progress in its place."""

import os
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from typing import Any

import pytest

from tests.support.small import FEW, write_spec
from tests.support.viewed_run import PageParts

pytestmark = pytest.mark.skipif(
    not (find_spec("nbclient") and find_spec("ipykernel")), reason="nbclient or ipykernel is not installed"
)
CELLS = (
    "import memtrial as mt\nresults = mt.analyze('table.csv')\nresults",
    "results.figure('forest')",
    "results.tabulate()",
    "end = mt.run('small.yaml', mt.RunOptions(out='out'))",
    "mt.show(end, 'workshop-test-0')",
)
TYPES = {"text/plain", "text/html"}


def _table() -> str:
    lines = ["task,arm,condition,success"]
    for task in range(24):
        solved = {("none", "without"): task % 4 == 0, ("a", "intact"): task % 4 > 0, ("a", "filler"): False}
        lines += [f"t{task},{arm},{condition},{int(value)}" for (arm, condition), value in solved.items()]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    """What each cell showed."""
    import nbformat
    from nbclient import NotebookClient

    place = tmp_path_factory.mktemp("notebook")
    (place / "table.csv").write_text(_table(), encoding="utf-8")
    write_spec(place, FEW, "small.yaml")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    own = {name: str(place / "own") for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")}
    client = NotebookClient(book, timeout=300, resources={"metadata": {"path": str(place)}})
    done = client.execute(env=os.environ | own)
    if kept := os.environ.get("KEEP_NOTEBOOK"):
        nbformat.write(done, kept)
    return [cell.outputs for cell in done.cells]


def test_results_a_figure_a_table_and_a_task_are_drawn(outputs: list[list[Any]]) -> None:
    for number in (0, 1, 2, 4):
        (output,) = outputs[number]
        assert {*output["data"]} == TYPES, CELLS[number]
    results, figure, table, task = (outputs[number][0]["data"]["text/html"] for number in (0, 1, 2, 4))
    page = ET.fromstring(results.replace("<br>", "<br/>").strip())
    cells = [["".join(cell.itertext()).split() for cell in row] for row in page.iter("tr")]
    assert cells[0] == [["arm"], ["utility"], ["filler"]]
    assert [row[0] for row in cells[1:]] == [["model"], ["a"]]
    assert "helps" in cells[2][1]
    assert page.find(".//{*}svg") is not None
    assert figure.count("<svg") == 1
    assert len(ET.fromstring(table.strip()).findall(".//tbody/tr")) == 1
    parts = PageParts()
    parts.feed(task)
    assert {"table", "del", "ins", "details"} <= {tag for tag, _ in parts.elements}
    assert "here the two paths part" in parts.text
    # what a plain prompt shows is text that people read
    plain = [outputs[number][0]["data"]["text/plain"] for number in (0, 1, 2, 4)]
    assert "helps" in plain[0]
    assert plain[1] == "NotebookFigure(name='forest')"
    assert "helps" in plain[2]
    assert plain[3].startswith("Task workshop-test-0 on simulated/reader")
    assert not any("version=" in text for text in plain)


def test_progress_is_drawn_once_a_stretch_and_nothing_is_printed(outputs: list[list[Any]]) -> None:
    shown = outputs[3]
    assert {output["output_type"] for output in shown} == {"display_data"}
    lines = [output["data"]["text/plain"] for output in shown]
    # an update takes the place of what was drawn: one output a stretch, which shows how it ended
    assert [line.partition(",")[0].partition(":")[0] for line in lines] == [
        "collect", "condense", "damage and check", "play",
    ]  # fmt: skip
    for output, line in zip(shown, lines, strict=True):
        assert ", done in " in line
        bar = ET.fromstring(output["data"]["text/html"]).find("progress")
        assert bar is not None
        assert bar.get("value") == bar.get("max")
