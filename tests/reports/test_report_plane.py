"""The utility × drop plane: every point where its numbers say."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from memtrial.console.escape import harmless
from memtrial.reports.figures.paired_differences import paired_svg
from memtrial.reports.figures.svg import INK
from memtrial.reports.figures.utility_drop_plane import plane_points, plane_svg
from memtrial.reports.sections.report_parts import evidence_parts
from memtrial.reports.text.verdict_glossary import ALL, TONES
from tests.support.report_example import bare, estimate_row, full, hostile

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("make", [full, hostile])
def test_the_figure_is_well_formed_and_counts_its_points(make):
    results = harmless(make())
    svg = plane_svg(results)
    assert f"of {len(plane_points(results))} cells" in ET.fromstring(svg).attrib["aria-label"]
    assert make is hostile or len(plane_points(results)) == 48
    assert plane_points(bare()) == []


def test_the_same_cells_make_the_same_bytes():
    first = hostile().backbones[0]

    def drawn():
        rows = tuple(row for row in hostile().estimates if row.backbone == first)
        return plane_svg(harmless(hostile().model_copy(update={"estimates": rows})))

    assert drawn() == drawn()


def test_points_stand_where_their_numbers_say():
    places = [(-0.2, 0.4), (0.0, 0.0), (0.3, -0.1), (0.5, 0.6)]
    rows = []
    for i, (x, y) in enumerate(places):
        rows.append(estimate_row("utility", f"a{i}", verdict="inert", estimate=x, low=x - 0.05, high=x + 0.1))
        rows.append(estimate_row("drop", f"a{i}", verdict="inert", estimate=y, low=y - 0.1))
    root = ET.fromstring(plane_svg(bare(estimates=tuple(rows))))
    used = [
        (float(use.attrib["x"]), float(use.attrib["y"]), use.attrib["style"])
        for use in root.iter(f"{SVG}use")
        if use.attrib.get("style", "").count(TONES["absence"])
    ]
    drawn = used[-len(places) :]
    assert len(used) == len(places)
    for axis, sign in ((0, 1), (1, -1)):
        zero, one = drawn[1][axis], drawn[3][axis]
        scale = (one - zero) / places[3][axis]
        assert scale * sign > 0
        assert [(mark[axis] - zero) / scale for mark in drawn] == pytest.approx(
            [place[axis] for place in places], abs=1e-6
        )


def test_bars_and_means_of_the_small_panels_stand_where_their_numbers_say():
    some = full().differences[:2]
    values = (((-0.5, 1), (0.0, 2), (0.25, 4), (1.0, 3)), ((-0.2, 5), (0.4, 5)))
    rows = [row.model_copy(update={"values": one}) for row, one in zip(some, values, strict=True)]
    paths = [path.attrib for path in ET.fromstring(paired_svg(rows, 0.1)).iter(f"{SVG}path")]

    def drawn(color):
        """The points of every shape of this colour."""
        found = [re.findall(r"[\d.]+", path["d"]) for path in paths if color in path.get("style", "")]
        return [[(float(x), float(y)) for x, y in zip(one[::2], one[1::2], strict=True)] for one in found]

    rises, falls, means = drawn(TONES["effect"]), drawn(TONES["harm"]), drawn(INK)
    for row, rise, fall, mean in zip(rows, rises, falls, means, strict=True):
        places, heights = {x for x, _ in rise}, [y for _, y in rise]
        zero, left, right = max(heights), min(places), max(places)
        one = (zero - min(heights)) / row.values[-1][0]
        assert max(zero - y for _, y in fall) == pytest.approx(0, abs=1e-3)
        assert min(zero - y for _, y in fall) / one == pytest.approx(row.values[0][0], abs=1e-3)
        edges = [sum(n for _, n in row.values[:at]) / row.total for at in range(len(row.values) + 1)]
        assert [(x - left) / (right - left) for x in sorted(places)] == pytest.approx(edges, abs=2e-3)
        assert [x for x, _ in mean] == pytest.approx([left, right])
        assert [(zero - y) / one for _, y in mean] == pytest.approx([row.mean] * 2, abs=1e-3)


def test_an_open_verdict_is_hollow():
    gain = estimate_row("utility", "a", estimate=0.2)
    drop = estimate_row("drop", "a", estimate=0.2)

    def marks(word):
        svg = plane_svg(bare(estimates=(gain, replace(drop, verdict=word))))
        return re.findall(r"fill: (#\w+)", svg)

    assert marks("load-bearing").count(TONES["effect"]) == 1
    assert marks("untestable").count(TONES["open"]) == 0


def test_the_words_beside_the_plane_are_the_verdicts_words():
    plane = next(part for part in evidence_parts(harmless(full())) if part.id == "plane")
    told = " ".join(plane.says)
    assert "is no verdict" in told
    assert "carries weight" not in told
    for entry in ALL:
        if "drops" in entry.about:
            assert (entry.word in told.partition("hollow")[2]) == (entry.tone == "open")
            assert entry.word in told
