"""The judge of success: four ways to read an answer, errors that are no failures, what it is not shown."""

import asyncio
from dataclasses import replace

import pytest

from memtrial.judges.success import PROMPTS, READERS, Form, SuccessJudge, oracle, transcript
from memtrial.models.simulated.examiner import Grader
from memtrial.worlds.world import Outcome
from tests.support.scripted_judge import SOLVED, Scripted, caller

FORMS: tuple[Form, ...] = ("json", "lines", "substring")


@pytest.mark.parametrize(
    ("form", "reply", "label"),
    [
        ("json", '{"verdict": "success", "confidence": 0.8, "reason": "It is done."}', "success"),
        ("json", 'Well:\n```json\n{"verdict": "failure", "confidence": 1}\n```', "failure"),
        ("json", '{"verdict": "success"}', ""),
        ("json", '{"verdict": "success", "confidence": 7}', ""),
        ("json", '{"verdict": "success", "confidence": true}', ""),
        ("json", '{"verdict": "Success.", "confidence": 0.5}', ""),
        ("json", "success", ""),
        ("json", "{" * 10_000 + "}", ""),
        ("lines", 'Thoughts: It is done.\nStatus: "success"', "success"),
        ("lines", "Thoughts: no\nmore of them\nStatus: Failure.", "failure"),
        ("lines", "Status: success", ""),
        ("lines", "Thoughts: It is a success\nStatus: unsure", ""),
        ("substring", "success", "success"),
        ("substring", "The attempt FAILED.", "failure"),
        ("substring", "It was unsuccessful.", "failure"),  # to upstream's judge for SWE this is a success
        ("substring", "success or fail", ""),
        ("substring", "I cannot tell.", ""),
        ("substring", "\x00\ud800 junk", ""),
    ],
)
def test_an_answer_is_read_or_is_an_error_and_never_a_failure(form: Form, reply: str, label: str) -> None:
    found = READERS[form](reply)
    assert found.label == label
    assert bool(found.fault) == (label == "")
    assert "\n" not in found.fault


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
