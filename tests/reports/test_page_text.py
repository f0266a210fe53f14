"""Texts and figures on a page: nothing of a text is obeyed, and every colour is known in the dark."""

import re
from importlib.resources import files

import pytest

from memtrial.reports.render.page_text import COLOURS, colour_figure, mark_code
from memtrial.reports.render.probe_report import render_probe_html
from memtrial.reports.render.section_report import render_section_html
from tests.support.made_probe import made_probe
from tests.support.report_shown import page_of
from tests.support.tried_sections import made_results

STYLE = (files("memtrial.reports.render") / "report.css").read_text(encoding="utf-8")
PAPER, RULE = "paper", ("paper", "rule", "band")
_MARK = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2.1, of two colours."""

    def light(colour: str) -> float:
        parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_colour_of_a_figure_stands_out_in_light_and_in_dark() -> None:
    light, dark, *_ = STYLE.split("@media")
    in_dark = dict(_MARK.findall(dark))
    papers = [(dict(_MARK.findall(light))[PAPER], {name: colour for colour, name in COLOURS.items()})]
    papers.append((in_dark[PAPER], in_dark))
    assert set(COLOURS.values()) <= in_dark.keys()
    for paper, shown in papers:
        for name in set(COLOURS.values()) - set(RULE):
            assert contrast(shown[name], paper) >= 4.5, (name, paper)


@pytest.mark.parametrize(
    "page",
    [
        lambda: page_of("full")[0],
        lambda: render_section_html(made_results(("helps", "can go", "harms", "not settled"))),
        lambda: render_probe_html(made_probe()),
    ],
)
def test_a_figure_on_a_page_has_no_colour_that_the_dark_does_not_know(page) -> None:
    figures = re.findall(r"<svg.*?</svg>", page(), flags=re.DOTALL)
    styles = [style for figure in figures for style in re.findall(r'style="[^"]*"', figure)]
    assert any("var(--ink, #1c2127)" in style for style in styles)
    for style in styles:
        assert "#" not in re.sub(r"var\(--[\w-]+, #\w+\)|url\(#[^)]*\)", "", style), style


def test_a_figure_alone_keeps_its_colours_and_what_it_says() -> None:
    text = '<text style="fill: #57606a">style of #57606a</text><path style="fill: #123456"/>'
    assert colour_figure(text) == (
        '<text style="fill: var(--soft, #57606a)">style of #57606a</text><path style="fill: #123456"/>'
    )


def test_names_between_backticks_are_code_and_nothing_else_is_markup() -> None:
    assert mark_code("no `<b>` & `a`") == "no <code>&lt;b&gt;</code> &amp; <code>a</code>"
    assert mark_code("a ` alone, `` and `two\nlines`") == "a ` alone, `` and `two\nlines`"
    page, _ = page_of("hostile")
    assert "<script" not in page
    assert "<code>tick</code>" in page
