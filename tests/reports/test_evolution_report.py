"""The report of an evolution: verdicts first, memory apart from more tries, figures, nothing that runs."""

import re

import pytest

from memtrial.reports.figures.lift_by_tries import lifts_by_tries, tries_svg
from memtrial.reports.figures.stream_course import course_arms, course_svg
from memtrial.reports.render.evolution_report import render_evolution_html, render_evolution_markdown
from memtrial.reports.render.notebook import evolution_notebook
from memtrial.reports.text.evolution_text import (
    answer_evolution,
    evolution_doubts,
    evolution_facts,
    memory_estimates,
)
from memtrial.views.rows.evolution_rows import EvolutionResults
from tests.support.made_evolution import made_evolution

READER = "simulated/reader"


@pytest.fixture(scope="module")
def made() -> EvolutionResults:
    return made_evolution()


def test_what_memory_adds_is_told_at_as_many_tries(made: EvolutionResults) -> None:
    assert [(row.arm, row.versus) for row in memory_estimates(made, READER)] == [
        ("bank", "vanilla"),
        ("parallel-2", "best-of-2"),
    ]
    (answer,) = answer_evolution(made)
    assert answer.says == "gains by bank (+0.250) and parallel-2 (+0.250)."
    assert answer.compares == "More tries against vanilla: best-of-2 (+0.125) and parallel-2 (+0.375) better."


def test_the_page_says_the_verdict_before_all_else_and_names_each_part(made: EvolutionResults) -> None:
    page = render_evolution_html(made)
    assert page == render_evolution_html(made)
    places = [
        page.index(text)
        for text in (
            "Simulated participants", 'id="answer"', 'id="verdicts"', "<strong>Cost:", 'id="success"',
            "What each arm does", "The lift along the stream", "memory at equal compute: as many",
            "What it takes", "What the banks learnt", 'id="limits"',
        )
    ]  # fmt: skip
    assert places == sorted(places)
    assert "How often the judge was wrong" not in page
    assert not re.search(r"(src|href)=.(?!#|data:)", page)
    assert "How often the judge was wrong" in render_evolution_html(made_evolution(2, "simulated/examiner"))


def test_the_figure_has_a_panel_for_each_arm_and_the_one_without_memory_in_all(
    made: EvolutionResults,
) -> None:
    assert course_arms(made, READER, "success") == ("bank", "best-of-2", "parallel-2")
    drawn, lifted = course_svg(made, READER), course_svg(made, READER, "lift")
    for name in ("bank", "best-of-2", "parallel-2"):
        assert f">{name}</text>" in drawn
        assert f">{name}</text>" in lifted
    assert "vanilla, beside it" in drawn
    assert "vanilla" not in lifted
    # a dashed line of it in every panel
    assert drawn.count("stroke-dasharray") == 3
    assert drawn == course_svg(made, READER)
    assert drawn != course_svg(made_evolution(2), READER)


def test_more_tries_are_drawn_with_memory_and_without_from_one_try_on(made: EvolutionResults) -> None:
    lifts = [(lift.line, lift.tries, round(lift.estimate, 3)) for lift in lifts_by_tries(made, READER)]
    assert lifts == [
        ("k tries, none", 1, 0.0),
        ("k tries, none", 2, 0.125),
        ("k tries, both", 1, 0.25),
        ("k tries, both", 2, 0.375),
    ]
    drawn = tries_svg(made)
    assert ">k tries, none</text>" in drawn
    assert lifts_by_tries(made_evolution(1), READER) == ()
    assert "What more tries are worth" in render_evolution_html(made)
    assert "What more tries are worth" not in render_evolution_html(made_evolution(1))


def test_two_streams_at_least_are_needed_for_a_verdict_and_the_page_is_there_before() -> None:
    for streams in (0, 1):
        early = made_evolution(streams, ending="interrupted")
        assert answer_evolution(early) == ()
        for text in (
            render_evolution_html(early), render_evolution_markdown(early), evolution_notebook(early),
        ):  # fmt: skip
            assert "No verdicts before two streams have ended." in text
    assert "not played to its end (interrupted)" in next(evolution_doubts(early))


def test_where_no_arms_are_a_pair_that_is_said(made: EvolutionResults) -> None:
    alone = made.model_copy(update={"comparisons": ()})
    for text in (render_evolution_html(alone), render_evolution_markdown(alone), evolution_notebook(alone)):
        assert "no two arms are a pair" in text
        assert "two streams have ended" not in text


def test_what_was_played_and_what_to_doubt(made: EvolutionResults) -> None:
    facts = dict(evolution_facts(made))
    assert facts["Streams"] == "6, each of 8 tasks"
    assert facts["Bank"] == "profile paper, consolidated every 4 new items"
    assert facts["Cost"] == "$48.0000"
    assert facts["Judge"] == "the world itself"
    assert not [line for line in evolution_doubts(made) if "streams have ended" in line]
    few = made_evolution(2, train=True)
    assert [line[:20] for line in evolution_doubts(few)][:2] == [
        "The writer was shown",
        "Only 2 streams have ",
    ]


def test_nothing_that_a_spec_says_is_obeyed() -> None:
    odd = made_evolution(2, question="<script>alert(1)</script> `a` | b")
    for text in (render_evolution_html(odd), render_evolution_markdown(odd), evolution_notebook(odd)):
        assert "<script" not in text
        assert "imulated" in text
    assert "&lt;script&gt;" in render_evolution_html(odd)
