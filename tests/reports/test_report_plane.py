"""The utility × drop plane: every point where its numbers say, and words that are compared."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadbearing.reports.base.escape import harmless
from loadbearing.reports.base.numbers import interval
from loadbearing.reports.base.word_diff import compare
from loadbearing.reports.figures.plane_points import plane_points, region
from loadbearing.reports.figures.utility_drop_plane import plane_svg
from loadbearing.reports.sections import tables
from tests.support.report_example import bare, estimate_row, full, hostile

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("make", [full, bare, hostile])
def test_the_figure_is_well_formed_counts_its_points_and_names_its_regions(make):
    results = harmless(make())
    root = ET.fromstring(plane_svg(results))
    assert f"of {len(plane_points(results))} cells" in root.attrib["aria-label"]
    assert (len(plane_points(results)) > 0) == (make in (full, hostile))
    texts = " ".join("".join(node.itertext()) for node in root.iter(f"{SVG}text"))
    for name in ("load-bearing", "placebo", "no net benefit", "or ignored"):
        assert name in texts


def test_one_panel_holds_few_points_however_many_there_are():
    results = full()
    points = plane_points(results)
    assert len(points) == 48
    svg = plane_svg(results)
    assert plane_svg(full()) == svg
    height = float(ET.fromstring(svg).attrib["viewBox"].split()[3])
    fewer = results.model_copy(
        update={"estimates": tuple(row for row in results.estimates if row.backbone == "simulated/lost")}
    )
    assert height > 2.5 * float(ET.fromstring(plane_svg(fewer)).attrib["viewBox"].split()[3])


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
        if "series" in use.attrib.get("style", "")
    ]
    # the same marks stand in the legend, which is drawn first
    drawn = used[-len(places) :]
    assert len({style for _, _, style in drawn}) == len(places)
    for axis, sign in ((0, 1), (1, -1)):
        zero, one = drawn[1][axis], drawn[3][axis]
        scale = (one - zero) / places[3][axis]
        assert scale * sign > 0
        assert [(mark[axis] - zero) / scale for mark in drawn] == pytest.approx(
            [place[axis] for place in places], abs=1e-6
        )


def test_an_open_verdict_is_hollow():
    gain = estimate_row("utility", "a", estimate=0.2)
    drop = estimate_row("drop", "a", estimate=0.2)

    def marks(word):
        svg = plane_svg(bare(estimates=(gain, replace(drop, verdict=word))))
        return re.findall(r"fill: (var\(--\S+)", svg)

    assert marks("load-bearing").count("var(--series-0,") > marks("untestable").count("var(--series-0,")


@pytest.mark.parametrize(
    ("utility", "drop", "name"),
    [
        (0.3, 0.3, "useful and load-bearing"),
        (0.3, 0.05, "useful and inert: placebo"),
        (0.05, 0.3, "used, no net benefit"),
        (0.05, 0.05, "no signal or ignored"),
        (-0.3, 0.3, "harmful and used"),
        (-0.3, 0.0, "harmful and inert"),
        (0.3, -0.3, "damage raises the score"),
    ],
)
def test_the_regions_are_parted_by_the_margin(utility, drop, name):
    assert region(utility, drop, 0.1) == name


def test_the_table_behind_the_figure_holds_every_point():
    results = full()
    table = tables.plane(results)
    for point, row in zip(plane_points(results), table.rows, strict=True):
        assert row[:3] == (point.backbone, point.arm, point.condition)
        assert row[3:5] == (interval(point.utility), interval(point.drop))
        assert row[6] == region(point.utility.estimate, point.drop.estimate, results.margin)


@given(st.text(max_size=200), st.text(max_size=200))
def test_marking_changes_no_character(before, after):
    worded = compare(before, after)
    assert "".join(text for _, text in worded.before) == before
    assert "".join(text for _, text in worded.after) == after
    # what is not marked is the same in both
    kept = ["".join(text for changed, text in side if not changed) for side in (worded.before, worded.after)]
    assert kept[0] == kept[1]
    assert (before == after) == (not any(changed for changed, _ in (*worded.before, *worded.after)))
