"""The legend of a figure: every arm stands inside it, however many there are and however long their names."""

import xml.etree.ElementTree as ET

import pytest

from memtrial.reports.figures.compared_arms import compared_svg
from memtrial.reports.figures.svg import legend_height
from tests.support.report_example import estimate_row, full

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("n_arms", [3, 5, 8])
def test_every_arm_of_the_legend_stands_inside_the_figure(n_arms):
    arms = tuple(f"condenser number {number}" for number in range(n_arms))
    rows = tuple(estimate_row("drop", arm, verdict="inert", estimate=0.1, low=0.0, high=0.2) for arm in arms)
    results = full().model_copy(update={"arms": arms, "estimates": rows, "hypotheses": ()})
    root = ET.fromstring(compared_svg(results))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    shown = {"".join(node.itertext()).strip(): node for node in root.iter(f"{SVG}text")}
    places = {}
    for arm in arms:
        assert arm in shown, f"{arm} is not in the legend"
        x, y = (float(shown[arm].attrib[axis]) for axis in "xy")
        assert 0 <= y <= height
        assert x + 5 * len(arm) <= width, f"{arm} begins at {x:.0f} of {width:.0f} points"
        places[arm] = (round(x), round(y))
    assert len(set(places.values())) == n_arms


def test_a_legend_of_one_line_takes_no_room_of_its_own():
    assert legend_height(("none", "raw"), 5.2) == 0
    assert legend_height((), 5.2) == 0
    assert legend_height(tuple("a long name of an arm" for _ in range(9)), 5.2) > 0.4
