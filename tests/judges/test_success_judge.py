"""The judge of success: errors that are no failures, what it is not shown."""

import asyncio
from dataclasses import replace

import pytest

from memtrial.judges.success import PROMPTS, Form, Grade, SuccessJudge, oracle, read_grade, transcript
from memtrial.models.simulated.examiner import Grader
from memtrial.worlds.world import Outcome
from tests.support.scripted_judge import SOLVED, Scripted, caller

FORMS: tuple[Form, ...] = ("json", "lines", "substring")


def test_an_answer_that_cannot_be_read_is_an_error_in_one_line_and_never_a_failure() -> None:
    for reply in ("", "I cannot\ntell.", "success or fail", "\x00\ud800 junk", "{" * 10_000 + "}"):
        grade = read_grade(reply)
        assert grade.label == "", reply
        assert grade.fault.count("\n") == 0 < len(grade.fault), reply
    assert read_grade("Status: success") == Grade("success")


def test_the_oracle_is_the_worlds_word() -> None:
    assert oracle(Outcome(True, 1.0)).label == "success"
    lost = oracle(Outcome(False, 0.5, "step limit"))
    assert (lost.label, lost.reason, lost.fault) == ("failure", "step limit", "")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wording", range(len(PROMPTS)))
def test_each_wording_asks_for_each_form_and_shows_no_thought(form: Form, wording: int) -> None:
    solved = replace(
        SOLVED, steps=(*SOLVED.steps[:-1], replace(SOLVED.steps[-1], observation="It is accepted."))
    )
    grader = Grader(hit=1.0, false_alarm=0.0)
    backend = Scripted(lambda asked: grader.say(asked.messages, "seed", 0))
    assert asyncio.run(SuccessJudge(caller(backend), form, wording)(solved)).label == "success"
    assert asyncio.run(SuccessJudge(caller(backend), form, wording)(SOLVED)).label == "failure"
    told = " ".join(message.content for asked in backend.seen for message in asked.messages)
    assert SOLVED.steps[0].action in told
    assert not any(step.thought in told for step in SOLVED.steps)


def test_a_run_without_steps_and_one_with_10_000_have_a_transcript() -> None:
    assert "Nothing was done." in transcript(replace(SOLVED, steps=()))
    assert len(transcript(replace(SOLVED, steps=SOLVED.steps * 4_000))) < 45_000
