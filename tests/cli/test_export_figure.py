"""`export --figure`: a figure of the report as a file; and a file's name in the place of a folder."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from memtrial.reports.sections.figure_files import figures_of
from memtrial.reports.text.reading import SIMULATED
from tests.support.refusing import Warm, refused
from tests.support.report_example import bare, full

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    "name", ["f.svg", "t.csv", "r.HTML", "x.parquet", "a.b/f.webp", "tables.tar.gz", "logs/tiny_s0/f.pdf"]
)
def test_a_folder_for_tables_has_no_file_s_name(warm: Warm, there: Path, name: str) -> None:
    said = refused(warm, there, "export", "tiny_s0", "--out", name)
    assert "--figure NAME --out FILE.svg" in said
    assert "--outcomes FILE.csv" in said


def test_a_folder_may_have_a_dot_or_be_there(warm: Warm, there: Path) -> None:
    (there / "empty.d").mkdir()
    for name in ("tables_0.5", ".tables", "empty.d"):
        assert warm.call("export", "tiny_s0", "--out", name, cwd=there).code == 0
        assert (there / name / "outcomes.parquet").is_file()


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        (("--figure", "nosuch", "--out", "f.svg"), "this run has compared, plane, utility, drop"),
        (("--figure", "x\x1b[31m\ny" * 200, "--out", "f.svg"), "this run has"),
        (("--figure", "drop"), "--out FILE.svg"),
        (("--figure", "drop", "--out", "f.png"), "--out FILE.svg"),
        (("--figure", "drop", "--out", "tables"), "--out FILE.svg"),
        (("--figure", "drop", "--out", "f.svg", "--outcomes", "o.csv"), "without --outcomes"),
        (("--figure", "drop", "--out", "nowhere/f.svg"), "a folder that is there"),
    ],
)
def test_what_a_figure_needs(warm: Warm, there: Path, options: tuple[str, ...], needed: str) -> None:
    assert needed in refused(warm, there, "export", "tiny_s0", *options)


def test_a_figure_is_a_file_of_its_own(warm: Warm, there: Path) -> None:
    done = warm.call("export", "tiny_s0", "--figure", "drop", "--out", "f.svg", cwd=there)
    assert (done.code, done.out) == (0, "drop written to f.svg\n")
    root = ET.fromstring((there / "f.svg").read_bytes())
    texts = ["".join(node.itertext()).strip() for node in root.iter(f"{SVG}text")]
    assert root.tag == f"{SVG}svg"
    assert {"control", "filler", SIMULATED} <= {*texts}


@pytest.mark.parametrize("simulated", [True, False])
def test_every_figure_is_xml_and_says_whether_it_is_simulated(simulated: bool) -> None:
    whole = full()
    rows = tuple(row for row in whole.estimates if row.backbone == whole.backbones[0])
    results = whole.model_copy(update={"simulated": simulated, "estimates": rows})
    figures = figures_of(results)
    assert {"compared", "plane", "utility", "drop", "contrast"} <= figures.keys()
    for name, draw in figures.items():
        root = ET.fromstring(draw())
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        shown = [float(root.attrib[edge].removesuffix("pt")) for edge in ("width", "height")]
        assert shown == pytest.approx([width, height], abs=0.01), name
        lines = [node for node in root.iter(f"{SVG}text") if node.text and node.text in SIMULATED]
        lines = [node for node in lines if "7px" in node.attrib.get("style", "")]
        assert " ".join(node.text or "" for node in lines) == (SIMULATED if simulated else ""), name
        feet = [float(line.attrib["y"]) for line in lines]
        assert feet == sorted({*feet}), name
        for line, foot in zip(lines, feet, strict=True):
            assert height - 36 < foot < height
            assert float(line.attrib["x"]) + 3.5 * len(line.text or "") < width, name


def test_results_without_estimates_have_no_figure() -> None:
    assert not figures_of(bare())
