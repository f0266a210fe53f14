import re
import xml.etree.ElementTree as ET

import pytest

from memtrial.console.escape import harmless
from memtrial.reports.figures.forest import forest_svg
from memtrial.reports.text.verdict_glossary import printed_word
from memtrial.views import numbers
from tests.support.report_example import estimate_row, full, hostile

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("estimand", ["drop", "utility", "contrast"])
@pytest.mark.parametrize("make", [full, hostile], ids=["full", "hostile"])
def test_figures_are_well_formed_and_hold_every_estimate(make, estimand):
    rows = [row for row in harmless(make()).estimates if row.estimand == estimand]
    svg = forest_svg(rows, 0.1)
    root = ET.fromstring(svg)
    assert root.attrib["role"] == "img"
    assert f"{len(rows)} estimates" in root.attrib["aria-label"]
    texts = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert [text for text in texts if "[" in text and "]" in text and "http" not in text] == [
        numbers.interval(row) for row in rows
    ]
    for word in {row.verdict for row in rows}:
        assert texts.count(printed_word(word)) == sum(row.verdict == word for row in rows)
    assert sum("0.10" in text and "margin" in text for text in texts) == 1
    if make is hostile:
        assert any("$x^2$" in text for text in texts), "mathematics was typeset"
    assert make is full or forest_svg(rows[:4], 0.1) == forest_svg([*rows[:4]], 0.1)


def test_names_that_look_like_the_inside_of_a_figure_are_left_alone():
    name = """#010201 id="a" url(#b) 'DejaVu Sans' <style>"""
    svg = forest_svg([estimate_row("drop", "a", backbone=name, verdict="inert")], 0.1)
    assert name in ["".join(node.itertext()) for node in ET.fromstring(svg).iter()]


def test_points_and_intervals_stand_where_their_numbers_say():
    values = (-0.3, 0.0, 0.1, 0.5)
    rows = [
        estimate_row(
            "drop", "a", condition=str(i), verdict="inert", estimate=value, low=value - 0.1, high=value + 0.2
        )
        for i, value in enumerate(values)
    ]
    root = ET.fromstring(forest_svg(rows, 0.1))
    lines = [
        [float(x) for x in re.findall(r"[ML] ([\d.]+)", path.attrib["d"])]
        for group in root.iter(f"{SVG}g")
        if "LineCollection" in group.attrib.get("id", "")
        for path in group.iter(f"{SVG}path")
    ]
    drawn = [(float(use.attrib["x"]), use.attrib["y"]) for use in root.iter(f"{SVG}use")]
    heights = [y for _, y in drawn]
    points = [x for x, y in drawn if heights.count(y) == 1]  # the ticks share theirs
    scale = (points[3] - points[1]) / 0.5
    assert scale > 0
    assert [(x - points[1]) / scale for x in points] == pytest.approx(values, abs=1e-6)
    ends = [((low - points[1]) / scale, (high - points[1]) / scale) for low, high in lines]
    assert ends == [pytest.approx((value - 0.1, value + 0.2), abs=1e-6) for value in values]


def test_a_figure_grows_with_its_rows():
    rows = [row for row in full().estimates if row.estimand == "drop"][:28]
    heights = [
        float(ET.fromstring(forest_svg(some, 0.1)).attrib["viewBox"].split()[3]) for some in (rows[:4], rows)
    ]
    assert heights[1] > 2 * heights[0]
    assert heights[1] / len(rows) < 30
