"""The judge: its evidence stands where it says, and what cannot be read is an ERROR, never a PASS."""

import asyncio

import pytest

from memtrial.agents.trajectory_views import passages, render
from memtrial.judges.closed_question import ClosedQuestion, JudgeAnswer, ModelJudge
from memtrial.memory.markdown import render as render_item
from memtrial.models.client.types import ModelFault
from tests.support.scripted_judge import GOOD, SOLVED, Scripted, caller, verdict

ITEM = render_item(GOOD)
QUESTION = ClosedQuestion("Is it so?", "An example.")


def ask(reply: str, trajectory=SOLVED, view="full") -> JudgeAnswer:
    judge = ModelJudge(caller(Scripted(lambda asked: reply)), view)
    return asyncio.run(judge(QUESTION, ITEM, trajectory))


@pytest.mark.parametrize("said", ["pass", "warn", "fail"])
@pytest.mark.parametrize("where", ["item", "trace"])
def test_an_answer_with_standing_evidence_counts(said, where):
    quote = {"item": "The stud frees a latch", "trace": "The lid springs open."}[where]
    assert ask(verdict(said, quote, where, " So it is. ")) == JudgeAnswer(
        said.upper(), quote, where, "So it is."
    )


@pytest.mark.parametrize("passage", passages(SOLVED))
def test_every_passage_of_the_trace_can_be_quoted_whole(passage):
    assert ask(verdict("pass", passage, "trace")).quote == passage


def test_every_line_of_the_item_can_be_quoted():
    for line in ITEM.splitlines():
        assert ask(verdict("warn", line, "item")) == JudgeAnswer(
            "WARN", line, "item", "As the script has it."
        )


@pytest.mark.parametrize(
    ("quote", "where"),
    [
        ("The lid springs open", "elsewhere"),
        ("the lid springs OPEN", "trace"),  # another case
        ("The lid  springs open", "trace"),
        ("'The lid springs open.'", "trace"),  # marks that do not stand there
        ("The lid … open", "trace"),
        ("A green flag waves", "trace"),
        ("A green flag waves", "item"),
        ("The stud frees a latch", "trace"),  # it stands in the other text
        ("A silver key lies inside.", "item"),
        ("press the red stud\nA click.", "trace"),  # over the border of two passages
        ("press the red stud\n</action>\n<observation>\nA click.", "trace"),  # the layout's own words
        ("**Query:** Get the silver key", "trace"),
        ("", "item"),
        ("   ", "trace"),
    ],
)
def test_evidence_that_does_not_stand_there_is_an_error(quote, where):
    for word in ("pass", "warn", "fail"):
        answer = ask(verdict(word, quote, where))
        assert (answer.verdict, answer.quote) == ("ERROR", None), word
        assert answer.reason, word


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n ",
        "PASS",
        "## Result: PASS",
        '{"answer": "pass", "quote": "The lid springs open.", "where": "trace", "reason": "so"}',
        verdict("pass", "The lid springs open.", "trace").replace("[[ ## where ## ]]\ntrace\n", ""),
        verdict("pass", "The lid springs open.", "trace").replace("[[ ## answer ## ]]\npass\n", ""),
        verdict("info", "The lid springs open.", "trace"),
        verdict("pass, mostly", "The lid springs open.", "trace"),
        verdict("not pass", "The lid springs open.", "trace"),
        verdict("", "The lid springs open.", "trace"),
        verdict("pass", "The lid springs open.", "run"),
    ],
)
def test_a_reply_that_cannot_be_read_is_an_error_and_never_a_pass(reply):
    answer = ask(reply)
    assert (answer.verdict, answer.quote) == ("ERROR", None)
    assert "could not be read" in answer.reason


def test_the_judge_gets_the_question_with_its_examples_the_item_and_the_run_and_nothing_else():
    backend = Scripted(lambda asked: verdict("pass", "The lid springs open.", "trace"))
    asyncio.run(ModelJudge(caller(backend))(QUESTION, ITEM, SOLVED))
    (asked,) = backend.seen
    assert asked.fields == {
        "question": "Is it so?", "examples": "An example.", "other_tasks": "", "item": ITEM,
        "outcome": "success", "trajectory": render(SOLVED),
    }  # fmt: skip


def test_the_judge_sees_and_quotes_what_the_condenser_saw():
    backend = Scripted(lambda asked: verdict("pass", "The lid springs open.", "trace"))
    answer = asyncio.run(ModelJudge(caller(backend), "actions")(QUESTION, ITEM, SOLVED))
    assert "springs open" not in backend.seen[0].fields["trajectory"]
    assert answer.verdict == "ERROR"  # what it could not see it cannot quote
    assert ask(verdict("pass", "press the red stud", "trace"), view="actions").verdict == "PASS"


def test_one_question_is_one_call_and_a_bad_reply_is_not_asked_again():
    for reply in (verdict("pass", "The lid springs open.", "trace"), "gibberish"):
        backend = Scripted(lambda asked, reply=reply: reply)
        judge = ModelJudge(caller(backend))
        asyncio.run(judge(QUESTION, ITEM, SOLVED))
        assert len(backend.seen) == 1
        assert judge.caller.meter.calls == 1


def test_no_answer_is_a_fault_of_the_model_and_rises():
    def refuse(asked):
        raise ModelFault("the line is dead")

    with pytest.raises(ModelFault, match="the line is dead"):
        asyncio.run(ModelJudge(caller(Scripted(refuse)))(QUESTION, ITEM, SOLVED))
