"""The answer comes first: a sentence a hypothesis, what may be wrong, one screen, one page of a terminal."""

import re
from dataclasses import replace

import pytest

from memtrial.analysis.inference.cost_ratio import CostRatio
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Hypothesis
from memtrial.console.escape import harmless
from memtrial.reports.text.hypothesis_answers import answer_lines, answers, doubts
from memtrial.views import numbers
from memtrial.views.rows.cost_rows import ConditionCost
from memtrial.views.rows.play_rows import Attrition, CondenserRow
from tests.support.browser import chromium
from tests.support.report_example import bare, estimate_row, full, hostile
from tests.support.report_shown import Page, demo_page, terminal, two_backbones

MOST_WORDS = 1_500


@pytest.mark.parametrize("make", [full, two_backbones, bare, hostile])
def test_a_run_ends_with_the_answer_in_the_terminal(make):
    *_, last = answer_lines(harmless(make()))
    assert " ".join(terminal(make(), 100).split()).endswith(" ".join(last.split()))


def test_the_answer_takes_three_lines_and_says_its_numbers():
    assert len(answer_lines(full())) <= 3
    first, *_ = full().hypotheses
    one = full().model_copy(update={"hypotheses": (first,)})
    (line,) = answer_lines(one)
    row = next(
        row
        for row in one.estimates
        if (row.estimand, row.arm, row.versus, row.condition, row.backbone)
        == ("contrast", first.treatment, first.control, first.condition, first.backbone)
    )
    assert line.startswith(f"{first.treatment} vs {first.control}, {first.condition}: ")
    assert numbers.interval(row) in line
    assert all(len(told.clauses) == len(full().backbones) for told in answers(full()))


def test_what_an_undecided_answer_needs_is_said_and_nothing_is_invented():
    entry = Hypothesis(treatment="a", control="c", condition="x", backbone="b", verdict="inconclusive")
    row = estimate_row(
        "contrast", "a", versus="c", condition="x", verdict="inconclusive", code=Reason.UNDECIDED,
        estimate=0.083, low=-0.081, high=0.234, tasks_to_settle=560,
    )  # fmt: skip
    (told,) = answers(bare(backbones=("b",), hypotheses=(entry,), estimates=(row,)))
    settle = "(about 560 tasks would settle it)"
    assert told.sentence == f"a vs c, x: not settled, +0.083 [−0.081, +0.234] {settle}."
    unknown = replace(row, tasks_to_settle=None)
    (told,) = answers(bare(backbones=("b",), hypotheses=(entry,), estimates=(unknown,)))
    assert "settle an effect" not in told.sentence


def test_what_may_be_wrong_is_said_line_by_line():
    assert doubts(bare()) == ()
    shown = bare(notes=("one", "two"), empty_slots={"a": 0.2, "c": 0.05}, errors={"a": 3, "c": 0})
    empty, lost = "Intact trials without an item to show: a 20.0 %.", "Errors of the infrastructure"
    assert doubts(shown) == ("one", "two", empty, f"{lost}, in no mean: a 3.")
    own = Attrition(trials=9, planned=9, errors=3, share=1 / 3, causes={"AgentFault": 3}, first="it broke")
    assert doubts(shown.model_copy(update={"attrition": {"a": own}}))[-1].endswith("The first says: it broke")
    row = CondenserRow(
        backbone="b",
        condenser="mine",
        draws=2,
        traces=5,
        items=9,
        drafts=9,
        flagged=0,
        passed_after_revision=0,
        dropped=0,
        faults=3,
        unread=3,
        unread_tasks=("x", "y"),
    )
    (unread,) = doubts(bare(condensation=(row,)))
    assert unread == "Replies of condenser mine that could not be read whole: 3 of 10, of 'x', 'y' (b)."
    assert doubts(full())[0].startswith("Exploratory: not as it was locked")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("load-bearing", "artifact depends on its text more"),
        ("inert", "no difference beyond ±0.10"),
        ("reversed", "artifact depends on its text less"),
        ("inconclusive", "not settled"),
        ("untestable", "untestable (floor)"),
    ],
)
def test_hypotheses_say_which_way(word, said):
    entry = Hypothesis(
        treatment="artifact", control="control", condition="corrupt_invert", backbone="b", verdict=word
    )
    row = estimate_row(
        "contrast", "artifact", versus="control", condition="corrupt_invert", same_text=0.25,
        code=Reason.FLOOR if word == "untestable" else Reason.UNDECIDED,
    )  # fmt: skip
    (told,) = answers(bare(estimates=(row,), hypotheses=(entry,)))
    assert told.sentence.startswith(f"artifact vs control, corrupt_invert: {said}, ")
    assert "on 25.0 % of the tasks both arms showed the same damaged text" in told.sentence


@pytest.mark.parametrize("backbones", [2, 3])
def test_few_words_are_open_to_the_eye(backbones):
    words = " ".join(Page(demo_page(backbones)).visible).split()
    assert len(words) <= MOST_WORDS, len(words)


def test_the_first_screen_holds_question_answer_matrix_figure_and_doubts(tmp_path):
    with chromium() as browser:
        for backbones in (2, 3):
            path = tmp_path / f"{backbones}.html"
            path.write_text(demo_page(backbones), encoding="utf-8")
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(path.as_uri())
            for selector in ("h1", ".answers", "table.matrix", "figure.small svg", ".doubts"):
                box = page.locator(selector).bounding_box()
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= 1280
                assert box["y"] + box["height"] <= 800, (backbones, selector)
            assert page.evaluate("document.documentElement.scrollWidth") <= 1280
            pages = len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4")))
            assert pages <= 8
            page.close()


def test_the_answer_on_an_arm_names_what_its_numbers_are_and_what_it_costs_for_nothing():
    row = estimate_row("utility", "a", versus="none", condition="without", estimate=0.0, low=-0.09, high=0.09)
    ratio = CostRatio(30, 2.42, 2.1, 2.8, 0.001, 1.0, "more")
    bill = ConditionCost("b", "a", "without", 30, 0.4, 450.0, None, ratio)

    def say(gain, word="more"):
        bills = (replace(bill, arm="other"), replace(bill, versus_tokens=replace(ratio, word=word)))
        results = bare(
            backbones=("b",), utility={"b": {"a": gain}}, verdicts={"b": {"a": {}}}, estimates=(row,),
            cost_ratios=bills,
        )  # fmt: skip
        (told,) = answers(results)
        return told.sentence

    assert ", utility 0.000 [−0.090, +0.090]; and it takes 2.42 times as many tokens [2.10, 2.80]." in say(
        "none"
    )
    for quiet in (say("helps"), say("none", "open"), say("none", "as much")):
        assert quiet.endswith("utility 0.000 [−0.090, +0.090].")
