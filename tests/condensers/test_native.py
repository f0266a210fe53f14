"""The control: one call a trajectory, by its outcome, on the treatment's own text; nothing lost unsaid."""

import asyncio
from dataclasses import replace

import pytest

from memtrial.agents.trajectory import Step
from memtrial.agents.trajectory_views import render
from memtrial.condensers.baselines import PROSE, Native, Nothing
from memtrial.condensers.condenser import Condensation
from memtrial.condensers.same_parts import SameParts
from memtrial.memory.item import NativeItem, ProseItem
from memtrial.memory.markdown import render as render_item
from memtrial.models.client.types import Message, ModelFault, ProviderFault, Reply
from memtrial.prompts.control_prompts import ControlPrompts, load_control
from tests.support.scripted_judge import FAILED, SOLVED, Scripted, caller, drafts
from tests.support.theory_loop import theory_loop

PROMPTS = ControlPrompts("for a success", "for a failure", "control: made up")
ITEMS = tuple(
    NativeItem(f"Title {n}", f"What {n} is for.", f"Lesson {n}.\nIts second line.") for n in range(1, 6)
)


def reply(count: int) -> str:
    return "\n\n".join(render_item(one, number) for number, one in enumerate(ITEMS[:count], 1))


def condense(text: str, trajectory=SOLVED, view="full", prompts=PROMPTS) -> tuple[Condensation, Scripted]:
    backend = Scripted(lambda asked: text)
    return asyncio.run(Native(caller(backend), prompts, view)(trajectory)), backend


@pytest.mark.parametrize(
    ("trajectory", "instruction"), [(SOLVED, "for a success"), (FAILED, "for a failure")]
)
@pytest.mark.parametrize("view", ["full", "actions"])
def test_one_call_with_the_prompt_of_the_outcome_and_the_rendered_run(trajectory, instruction, view):
    _, backend = condense(reply(1), trajectory, view)
    (asked,) = backend.seen
    assert asked.messages == (Message("system", instruction), Message("user", render(trajectory, view)))


def test_the_papers_harness_asks_in_one_message_of_the_user_without_marks():
    _, backend = condense(reply(1), FAILED, "actions", replace(PROMPTS, layout="harness"))
    (asked,) = backend.seen[0].messages
    plain = (
        render(FAILED, "actions")
        .replace("**Query:**", "Query:", 1)
        .replace("**Trajectory:**", "Trajectory:", 1)
    )
    assert asked == Message("user", f"for a failure\n\n{plain}")


@pytest.mark.parametrize(("trajectory", "ended"), [(SOLVED, "succeeded"), (FAILED, "failed")])
def test_a_judges_reason_stands_below_the_trajectory(trajectory, ended):
    _, backend = condense(reply(1), replace(trajectory, reason="it is so"), "actions")
    text = backend.seen[0].messages[1].text
    assert text == f"{render(trajectory, 'actions')}\n\nThe task {ended} because: it is so"


@pytest.mark.parametrize("reason", [True, False])
@pytest.mark.parametrize("blank_actions", [True, False])
def test_what_a_versions_own_code_leaves_out_is_left_out(reason, blank_actions):
    run = replace(SOLVED, steps=(*SOLVED.steps, Step("I wait.", "", "Nothing.")), reason="it is so")
    prompts = replace(PROMPTS, reason=reason, blank_actions=blank_actions)
    _, backend = condense(reply(1), run, "full", prompts)
    text = backend.seen[0].messages[1].text
    assert ("because: it is so" in text) is reason
    assert ("I wait." in text) is blank_actions
    assert SOLVED.steps[0].action in text


@pytest.mark.parametrize("reason", [True, False])
@pytest.mark.parametrize("blank_actions", [True, False])
def test_the_treatment_is_told_no_more_than_the_control(reason, blank_actions):
    run = replace(FAILED, steps=(*FAILED.steps, Step("I wait.", "", "Nothing.")), reason="it is so")
    control = replace(PROMPTS, reason=reason, blank_actions=blank_actions)
    _, asked = condense(reply(1), run, "full", control)
    treatment = Scripted(lambda asked: drafts())
    asyncio.run(SameParts(theory_loop(caller(treatment), (), 2, "full"), control)(run))
    assert treatment.seen[0].fields["trajectory"] == asked.seen[0].messages[1].text


def test_the_embedded_prompts_go_to_the_model_unchanged():
    control = load_control(None)
    _, backend = condense(reply(1), FAILED, prompts=control)
    assert backend.seen[0].messages[0].text == control.failure


@pytest.mark.parametrize("trajectory", [SOLVED, FAILED])
@pytest.mark.parametrize("view", ["full", "actions"])
def test_the_control_sees_what_the_treatment_sees(trajectory, view):
    _, control = condense(reply(1), trajectory, view)
    treatment = Scripted(lambda asked: drafts())
    asyncio.run(theory_loop(caller(treatment), (), 2, view)(trajectory))
    (drafting,) = treatment.seen
    assert drafting.fields["trajectory"] == control.seen[0].messages[1].text
    assert drafting.fields["outcome"] == trajectory.outcome


@pytest.mark.parametrize("count", range(1, len(ITEMS) + 1))
def test_the_reply_is_kept_as_it_is_and_read_for_the_tables(count):
    text = f"Let me think first.\n\n{reply(count)}\n"
    made, _ = condense(text)
    assert made == Condensation(SOLVED.trace_id, "native", ITEMS[:count], reply=text)


@pytest.mark.parametrize(
    "text", ["I could not find anything to learn.", "```\nprint('hi')\n```", "# Notes\n\nNone.", '[{"a": 1}]']
)
def test_a_reply_without_an_item_is_one_item_of_prose(text):
    made, backend = condense(text)
    assert made == Condensation(
        SOLVED.trace_id, "native", (ProseItem(text),), faults=(PROSE,), reply=text, unread=(PROSE,)
    )
    assert len(backend.seen) == 1


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_blank_reply_is_no_memory_and_said(text):
    made, _ = condense(text)
    assert made == Condensation(SOLVED.trace_id, "native", (), faults=("the reply is blank",), reply=text)


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_provider_that_answers_blank_each_time_has_replied_so(text):
    def refuse(asked):
        raise ProviderFault("without a text", "empty reply", True, reply=Reply(text, 1, 1, "m"))

    made = asyncio.run(Native(caller(Scripted(refuse)), PROMPTS)(SOLVED))
    assert made == Condensation(SOLVED.trace_id, "native", (), faults=("the reply is blank",), reply=text)


def test_no_answer_is_a_fault_of_the_model_and_rises():
    def refuse(asked):
        raise ModelFault("the line is dead")

    with pytest.raises(ModelFault, match="the line is dead"):
        asyncio.run(Native(caller(Scripted(refuse)), PROMPTS)(SOLVED))


def test_nothing_stores_nothing():
    assert asyncio.run(Nothing("none")(SOLVED)) == Condensation(SOLVED.trace_id, "none", ())
