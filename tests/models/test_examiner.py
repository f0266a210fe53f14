"""The examiner: rates of its own, evidence that is there, on items in words that the scribe does not use."""

import asyncio
from dataclasses import astuple, replace
from functools import cache

import numpy as np
import pytest

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import render
from memtrial.judges.closed_question import ClosedQuestion, ModelJudge
from memtrial.memory.item import AdditiveItem, Item, NativeItem, ProseItem, TheoryItem
from memtrial.memory.markdown import render as render_item
from memtrial.models.client.client import Caller
from memtrial.models.client.types import ModelFault, Request
from memtrial.models.providers.open import open_backend
from memtrial.models.simulated import prompt as layout
from memtrial.prompts.templates import Prompt
from tests.support.scripted import caller_of, request_of, saying, simulated_client

QUESTIONS = {
    name: ClosedQuestion(Prompt(f"gate_{name}").render())
    for name in ("claim_strength", "trigger_presence", "explanatory_reach", "grounding_alignment")
}
TRACE = Trajectory(
    "t", "t", "Open the safe in the study.", "success",
    (
        Step("Try.", "kick the safe", "Nothing happens."),
        Step("Think.", "turn the dial twice", "The green lamp is lit."),
        Step("Now.", "pull the handle", "The safe is open."),
    ),
    "A safe hums here.",
)  # fmt: skip
SOUND = TheoryItem(
    'In "The green lamp is lit", do `pull the handle`, because the bolt is back then.',
    'state: "The green lamp is lit"',
    'The lamp hangs on the bolt: `turn the dial twice` draws it back, and "The green lamp is lit" shows it.',
    "Safes with a lamp. Does NOT apply when the lamp is red.",
    "heuristic",
)
FLAWED = {
    "claim_strength": replace(SOUND, claim="Caution pays in every enterprise."),
    "trigger_presence": replace(SOUND, claim="Draw the bolt.", trigger="whenever judgement suggests it"),
    "explanatory_reach": replace(SOUND, mechanism="It succeeded."),
    "grounding_alignment": replace(SOUND, claim='In "The moon is full", do `pull the handle`.'),
}
gates = pytest.mark.parametrize("gate", QUESTIONS)
N = 400


@cache
def asked(gate: str, item: Item) -> Request:
    """The request a judge really sends."""
    backend = saying(layout.answer({"answer": "pass", "quote": "It", "where": "item", "reason": "r"}))
    asyncio.run(ModelJudge(caller_of(backend))(QUESTIONS[gate], render_item(item), TRACE))
    return backend.asked[0][0]


def verdicts(model: str, gate: str, item: Item, n: int = N) -> list[dict[str, str]]:
    backend, request = open_backend(model), replace(asked(gate, item), model=model)

    async def ask() -> list[str]:
        return [(await backend.answer(request, repeat)).text for repeat in range(n)]

    marks = [layout.FIELD.split(text) for text in asyncio.run(ask())]
    return [dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True)) for parts in marks]


def flagged(model: str, gate: str, item: Item) -> float:
    return float(np.mean([said["answer"] != "pass" for said in verdicts(model, gate, item)]))


@gates
def test_it_flags_exactly_the_defect_the_question_is_about(gate):
    sure = "simulated/examiner?hit=1&false_alarm=0"
    assert flagged(sure, gate, FLAWED[gate]) == 1
    assert flagged(sure, gate, SOUND) == 0


@gates
def test_hits_and_false_alarms_come_at_the_rates_that_are_set(gate):
    for hit, false_alarm in ((0.9, 0.05), (0.6, 0.3)):
        model = f"simulated/examiner?hit={hit}&false_alarm={false_alarm}"
        for rate, item in ((hit, FLAWED[gate]), (false_alarm, SOUND)):
            assert abs(flagged(model, gate, item) - rate) < 4 * (rate * (1 - rate) / N) ** 0.5


@gates
@pytest.mark.parametrize("flaw", [None, *FLAWED])
def test_its_evidence_stands_where_it_says(gate, flaw):
    item = FLAWED.get(flaw, SOUND)
    for said in verdicts("simulated/examiner?hit=0.5&false_alarm=0.5", gate, item, 20):
        text = {"item": render_item(item), "trace": render(TRACE)}[said["where"]]
        assert said["quote"]
        assert said["quote"] in text


@gates
def test_a_judge_can_use_its_answers(gate):
    judge = ModelJudge(Caller(simulated_client(), "simulated/examiner"))
    for item in (
        SOUND,
        FLAWED[gate],
        NativeItem("A safe", "For safes.", "When it hums, `turn the dial twice`."),
    ):
        answer = asyncio.run(judge(QUESTIONS[gate], render_item(item), TRACE))
        assert answer.verdict in ("PASS", "WARN", "FAIL")


def test_the_same_question_has_the_same_answer_and_repeats_differ():
    model = "simulated/examiner?hit=0.5"
    some = verdicts(model, "claim_strength", FLAWED["claim_strength"])
    assert verdicts(model, "claim_strength", FLAWED["claim_strength"]) == some
    assert {said["answer"] for said in some} == {"pass", "fail"}


def test_something_else_than_a_question_is_a_fault():
    with pytest.raises(ModelFault, match="closed questions"):
        asyncio.run(open_backend("simulated/examiner").answer(request_of("You are an agent.", "Go."), 0))


@gates
def test_an_item_of_both_schemas_is_judged_from_its_claim_on(gate):
    native = ("The safe", "Opening safes.", "Caution pays.")
    said = [
        verdicts("simulated/examiner?hit=1&false_alarm=0", gate, AdditiveItem(*native, *astuple(item)), 1)
        for item in (SOUND, FLAWED[gate])
    ]
    assert [answers[0]["answer"] for answers in said] == ["pass", "fail"]


@pytest.mark.parametrize(("action", "said"), [("kick the safe", "pass"), ("", "fail")])
def test_a_recorded_step_marks_its_action(action, said):
    step = ProseItem(f"Task: open it\n\nStep 1\nThought: Try.\nAction: {action}\nObservation: Nothing.")
    answers = verdicts("simulated/examiner?hit=1&false_alarm=0", "grounding_alignment", step, 1)
    assert answers[0]["answer"] == said
    assert answers[0]["quote"] in f"{step.text}\n{render(TRACE)}"
