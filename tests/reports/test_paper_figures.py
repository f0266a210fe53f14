"""Figures for a paper: one column wide, nothing beyond its edge, the same bytes again, their data beside."""

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

import pytest

from memtrial.reports.figures.column.column_figure import (
    NOTE,
    STYLE,
    WIDTH,
    ColumnFigure,
    draw_figure,
    fit,
)
from memtrial.reports.figures.column.column_forest import MOST_LINES
from memtrial.reports.figures.column.column_shares import mode_looks
from memtrial.reports.sections.figure_files import figures_of
from memtrial.reports.sections.paper_figures import paper_figures
from memtrial.reports.text.verdict_glossary import ALL, TONES
from memtrial.views.lookup import of_estimand
from tests.support.paper_example import CJK, HARD, MODES, paper_example

PAGE = 9.2
"""Inches of a column, caption aside."""


@cache
def drawn() -> Mapping[str, ColumnFigure]:
    return {figure.name: figure for figure in paper_figures(paper_example(HARD))}


def test_every_figure_of_a_report_has_its_column() -> None:
    of_report = {name.rstrip("-0123456789") for name in figures_of(paper_example())}
    assert of_report <= {name.rstrip("-0123456789") for name in drawn()}
    nothing = {"estimates": (), "factors": (), "funnel": (), "ablation": None, "failure_modes": None}
    assert not paper_figures(paper_example().model_copy(update=nothing))


@pytest.mark.parametrize("name", ["compared", "utility", "plane", "funnel", "modes", "factors", "ablation"])
def test_nothing_stands_beyond_the_column_or_is_too_small_to_read(name: str) -> None:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    column = drawn()[name]
    assert column.height < PAGE
    with matplotlib.rc_context({**STYLE, "font.family": ["DejaVu Sans"]}):
        figure = Figure(figsize=(WIDTH, column.height))
        column.fill(figure, 0.0)
        figure.draw_without_rendering()
        drawn_box = figure.get_tightbbox()
    assert drawn_box.x0 >= -0.01
    assert drawn_box.x1 <= WIDTH + 0.01
    assert drawn_box.y0 >= -0.01
    assert drawn_box.y1 <= column.height + 0.01
    assert all(text.get_fontsize() >= NOTE for text in figure.findobj(Text))


def test_a_figure_that_a_page_has_no_room_for_comes_in_parts() -> None:
    results = paper_example()
    many = of_estimand(results, "retention")
    several = [figure for figure in paper_figures(results) if figure.name.startswith("retention")]
    assert len(many) >= MOST_LINES, "and there are headings"
    assert [figure.name for figure in several] == [f"retention-{n}" for n in range(1, len(several) + 1)]
    assert sum(len(figure.rows) for figure in several) == len(many)
    assert all(figure.height < PAGE for figure in several)


def test_the_data_are_those_that_are_drawn() -> None:
    results = paper_example(HARD)
    rows = of_estimand(results, "utility")
    column = drawn()["utility"]
    numbers = [tuple(row[2:]) for row in column.rows]
    assert numbers == [(row.estimate, row.low, row.high, row.verdict) for row in rows]
    assert {row[1] for row in column.rows} == {row.arm for row in rows}, "names in full"
    assert all(len(row) == len(figure.heads) for figure in drawn().values() for row in figure.rows)


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_the_same_bytes_again_with_the_letters_inside(form: str) -> None:
    column = drawn()["factors"]
    content = draw_figure(column, form, True).content
    assert draw_figure(column, form, True).content == content
    if form == "svg":
        assert draw_figure(column, form, False).content != content, "it says whether it is simulated"
        text = content.decode()
        assert "<text" not in text
        assert "font-family" not in text
        assert float(re.findall(r'width="([\d.]+)pt"', text)[0]) == pytest.approx(72 * WIDTH)
    if form == "pdf":
        assert b"/FontFile2" in content
        assert b"CreationDate" not in content


def test_letters_that_no_font_has_are_named() -> None:
    results = paper_example(("\U00012399", "b", "c"))
    (column,) = (figure for figure in paper_figures(results) if figure.name == "funnel")
    assert draw_figure(column, "svg", False).lacking == "\U00012399"
    assert draw_figure(drawn()["funnel"], "svg", False).lacking == ""


def test_wide_letters_are_cut_by_their_width() -> None:
    assert fit(CJK[0], 12) == CJK[0]
    assert fit(CJK[0], 7) == "記憶の…"
    assert fit("abc\ndef", 5) == "abc …"


def _grey(color: str) -> float:
    """How bright a colour is without its hue, 0 to 1 (WCAG)."""
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_all_is_told_apart_without_colour() -> None:
    for tone in TONES.values():
        assert 1.05 / (_grey(tone) + 0.05) >= 4.5, tone
    effects = [word for word in ALL if word.tone != "open"]
    assert len({(word.marker, word.label) for word in effects}) == len(effects)
    looks = [(look["facecolor"], look["hatch"]) for look in mode_looks(MODES)]
    assert len({*looks}) == len(MODES)
    greys = sorted(_grey(color) for color, _ in looks)
    assert all(above - below > 0.03 for below, above in pairwise(greys))
