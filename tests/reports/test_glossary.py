"""The words of a report: one table for the report and the page of words."""

import json
from pathlib import Path

from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.markdown_report import render_markdown
from memtrial.reports.text.verdict_glossary import ALL
from tests.support.report_example import full

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"


def test_every_word_stands_once_on_its_page_as_the_report_has_it() -> None:
    page = PAGE.read_text("utf-8")
    assert len({entry.word for entry in ALL}) == len(ALL)
    rows = [f"| {entry.symbol} {entry.label} | {entry.about} | {entry.means} |" for entry in ALL]
    assert "\n".join(["| verdict | of | means |", "| --- | --- | --- |", *rows, ""]) in page
    assert all("\n" not in entry.means and "|" not in entry.means for entry in ALL)


def test_none_is_printed_as_no_effect_and_kept_in_json() -> None:
    results = full()
    judged = [word for arms in results.utility.values() for word in arms.values()]
    assert "none" in judged
    kept = json.loads(results.json_text())["utility"]
    assert [word for arms in kept.values() for word in arms.values()] == judged
    few = {"estimates": results.estimates[:9], "differences": ()}  # the matrix, with few figures
    page = render_html(results.model_copy(update=few))
    assert "</span> no effect</span>" in page
    assert "</span> none</span>" not in page
    assert "| no effect " in render_markdown(results)
