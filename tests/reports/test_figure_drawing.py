"""How figures are written: marks for every word, round numbers, ids of their own, names as text."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.reports.figures.compared_arms import draw_compared
from memtrial.reports.figures.drawing.figure_drawing import Drawing, MarkLook, TextLook
from memtrial.reports.figures.drawing.marker_shapes import outline_of
from memtrial.reports.figures.drawing.plot_area import PlotArea
from memtrial.reports.figures.drawing.round_ticks import name_ticks, place_ticks
from memtrial.reports.figures.svg import INK, SHAPES, inline_svg
from memtrial.reports.text.verdict_glossary import ALL
from tests.support.report_example import estimate_row

SVG = "{http://www.w3.org/2000/svg}"


def test_every_arm_and_every_word_has_an_outline_of_its_size() -> None:
    outlines = {shape: outline_of(shape, 6.0) for shape in (*SHAPES, *(word.marker for word in ALL))}
    assert len(set(outlines.values())) == len(outlines)
    for shape, outline in outlines.items():
        assert outline.startswith("M ")
        assert outline.endswith(" z")
        if shape != "o":
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", outline)]
            assert max(map(abs, numbers)) == pytest.approx(4.243 if shape == "D" else 3.0, abs=1e-3)


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.integers(1, 9))
def test_ticks_are_round_equally_far_from_each_other_and_not_too_many(low, width, most) -> None:
    high = low + width
    ticks = place_ticks(low, high, most)
    assert len(ticks) <= most + 1
    assert all(low - 1e-6 * width <= tick <= high + 1e-6 * width for tick in ticks)
    for before, after in pairwise(ticks):
        assert f"{after - before:.6e}"[:4].rstrip("0") in ("1.", "2.", "2.5", "5.")
    assert [float(name.replace("−", "-")) for name in name_ticks(ticks)] == pytest.approx(ticks, abs=1e-4)


def test_ticks_have_as_many_decimals_as_they_need() -> None:
    assert name_ticks(place_ticks(-0.26, 0.41, 7)) == ["−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3", "0.4"]
    assert name_ticks(place_ticks(0, 9, 9)) == [str(number) for number in range(10)]
    assert name_ticks(place_ticks(0, 1, 4)) == ["0.00", "0.25", "0.50", "0.75", "1.00"]


def test_numbers_stand_where_they_are_whichever_way_an_axis_goes() -> None:
    drawing = Drawing(4.0, 2.0, "salt")
    area = PlotArea(drawing, (1.0, 0.5, 2.0, 1.0), (10.0, 1000.0), (3.5, -0.5), by_power=True)
    assert area.place(100.0, 1.5) == pytest.approx((2.0, 1.0))
    assert area.place(10.0, -0.5) == pytest.approx((1.0, 1.5))
    area.marks([(100.0, 1.5)], MarkLook("s", 4.0, INK, INK))
    (use,) = ET.fromstring(drawing.whole("a mark")).iter(f"{SVG}use")
    assert (use.attrib["x"], use.attrib["y"]) == ("144", "72")


def test_a_mark_is_defined_once_and_ids_are_of_the_figure_alone() -> None:
    def fill(drawing: Drawing) -> None:
        for x in (1.0, 2.0):
            drawing.marks([(x, 1.0)], MarkLook("o", 4.0, INK, INK))
        area = PlotArea(drawing, (0.0, 0.0, 1.0, 1.0), (0.0, 1.0), (0.0, 1.0))
        area.lines([[(0.0, 0.0), (2.0, 2.0)]], INK, 1.0)
        area.cross_over(0.5, INK, 1.0)

    first, second = (ET.fromstring(inline_svg((3.0, 2.0), fill, data, "points")) for data in "ab")
    ids = [{node.attrib["id"] for node in root.iter() if "id" in node.attrib} for root in (first, second)]
    assert len(ids[0]) == len(ids[1]) == 2
    assert not ids[0] & ids[1]
    for root, known in zip((first, second), ids, strict=True):
        text = ET.tostring(root, encoding="unicode")
        assert set(re.findall(r"#(f[0-9a-f]{8}-\d+)", text)) == known


def test_a_text_is_text_whatever_it_says() -> None:
    said = "a < b & c > \"d\" 'e' # url(#f) </svg>"
    drawn = inline_svg((3.0, 1.0), lambda drawing: drawing.text((0.1, 0.5), said, TextLook(INK)), "x", said)
    root = ET.fromstring(drawn)
    (text,) = root.iter(f"{SVG}text")
    assert text.text == said == root.attrib["aria-label"]
    assert not re.findall(r"https?://(?!www\.w3\.org)", drawn)


def test_lines_of_a_text_stand_below_each_other_around_its_place() -> None:
    def fill(drawing: Drawing) -> None:
        drawing.text((0.1, 0.5), "one\ntwo", TextLook(INK, 10.0))
        drawing.text((0.1, 0.5), "turned", TextLook(INK, 10.0, "middle", "bottom", turned=True))

    one, two, turned = ET.fromstring(inline_svg((3.0, 1.0), fill, "x", "y")).iter(f"{SVG}text")
    assert float(two.attrib["y"]) - float(one.attrib["y"]) == pytest.approx(12.0)
    assert float(one.attrib["y"]) < 36 < float(two.attrib["y"])
    assert turned.attrib["transform"].startswith("rotate(-90 ")


def test_a_figure_of_nothing_but_zeros_without_a_margin_is_drawn() -> None:
    rows = [estimate_row("drop", "a", verdict="inert", estimate=0.0, low=0.0, high=0.0)]
    assert "nan" not in draw_compared(rows, ("a",), 0.0)
