"""The report of a trial of sections: one sentence, a row for each section, and nothing that runs."""

import pytest

from memtrial.reports.render.section_report import render_section_html, render_section_markdown
from memtrial.reports.text.section_text import (
    section_limits,
    section_next_step,
    section_sentence,
    section_stages,
    section_table,
)
from tests.support.tried_sections import made_results

MIXED = made_results(("helps", "can go", "not settled", "harms", "can go"))


def test_the_sentence_counts_and_names_and_the_next_step_follows_from_it() -> None:
    assert section_sentence(MIXED) == (
        "CLAUDE.md: 1 of 5 sections shown to help: “Part 1”; 1 shown to harm: “Part 4”; 2 can go, each by"
        " itself (40 tokens a turn): “Part 2”, “Part 5”; 1 not settled."
    )
    assert section_next_step(MIXED).startswith("Take out or mend what harms")
    assert section_next_step(made_results(("can go", "helps"))).startswith("Take out one that can go")
    assert section_next_step(made_results(("not settled",) * 3)).startswith("Run `memtrial try` without")
    assert section_next_step(made_results(("helps",), alarms=("It did not arrive.",))).startswith("See why")
    assert section_next_step(made_results(("helps",), room=False)).startswith("Hardly a trial is solved")
    easy = made_results(("can go",), solved_whole=1.0, solved_without=1.0)
    assert section_next_step(easy).startswith("All trials are solved")


def test_what_the_screening_alone_tells_is_marked_and_explained() -> None:
    rows = list(section_table(MIXED))
    assert rows[0][4:] == ("+0.300", "[−0.050, +0.400]", "helps")
    assert rows[1][4:] == ("+0.010 *", "[−0.050, +0.400]", "can go")
    assert any(line.startswith("* from the screening") for line in section_limits(MIXED))
    assert any("take out one at a time" in line for line in section_limits(MIXED))
    few = made_results(("helps", "harms"), n_screening=0)
    assert not any("screening" in line for line in section_limits(few))
    assert section_stages(few) == "Every trial: confirmation/report.html, below this folder."


def test_page_and_markdown_escape_what_a_file_says_and_are_the_same_each_time() -> None:
    odd = made_results(("helps", "not settled"))
    named = odd.sections[0].model_copy(update={"name": "<script>alert(1)</script> | a"})
    odd = odd.model_copy(update={"sections": (named, *odd.sections[1:]), "simulated": True})
    page = render_section_html(odd)
    assert page == render_section_html(odd)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "<svg" in page
    short = render_section_markdown(odd)
    assert "&lt;script&gt;" in short
    assert "\\| a" in short
    for text in (page, short):
        assert "imulated" in text


@pytest.mark.parametrize("n", [2, 32])
def test_every_section_has_its_line_in_the_figure(n: int) -> None:
    page = render_section_html(made_results(("not settled",) * n))
    figure = page[page.index("<svg") : page.index("</svg>")]
    assert all(f"{number} Part {number}" in figure for number in range(1, n + 1))


def test_an_alarm_stands_above_all_else() -> None:
    loud = made_results(("helps",), alarms=("MEMORY TEXT DID NOT REACH THE PROMPT",))
    assert render_section_markdown(loud).startswith("**🟥 MEMORY TEXT")
    page = render_section_html(loud)
    assert page.index("MEMORY TEXT") < page.index("<h1>")
