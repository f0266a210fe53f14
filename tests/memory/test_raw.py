"""The raw condenser: the trajectory itself as one prose item, whose steps can be told apart by text alone."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import recount
from memtrial.arms.trigger_watch import watch
from memtrial.condensers.baselines import Raw
from memtrial.gates.calibration.regression import Always
from memtrial.gates.suite import NAMES, choose_gates
from memtrial.memory.item import (
    NativeItem,
    ProseItem,
    TheoryItem,
    field_names,
    item_from_json,
    item_to_json,
    schema_of,
)
from memtrial.memory.language.structure import parts
from memtrial.memory.markdown import parse_all, render
from memtrial.perturbations.shuffle import steps
from tests.support.scripted_judge import SOLVED
from tests.support.slots import NOTES, ODD, trajectories

TRACE = Trajectory(
    "t1",
    "t1",
    "Repair the boiler.",
    "success",
    (
        Step("The lamp is red.", "pull lever", "You see:\n  a valve\nStep 2\nAction: fake"),
        Step("", "wait", "It hisses."),
    ),
    "You are in a hall.",
)


def raw(trajectory: Trajectory, view="full") -> str:
    made = asyncio.run(Raw(view)(trajectory))
    (item,) = made.items
    assert (made.trace_id, made.condenser, made.faults, made.dropped) == (trajectory.trace_id, "raw", (), ())
    assert isinstance(item, ProseItem)
    return item.text


def test_the_layout() -> None:
    assert raw(TRACE) == (
        "Task: Repair the boiler.\nStart: You are in a hall.\n\n"
        "Step 1\nThought: The lamp is red.\nAction: pull lever\n"
        "Observation: You see:\n    a valve\n  Step 2\n  Action: fake\n\n"
        "Step 2\nThought:\nAction: wait\nObservation: It hisses.\n\nOutcome: success"
    )


def test_the_actions_view_shows_no_observation() -> None:
    text = raw(TRACE, "actions")
    assert "hisses" not in text
    assert "hall" not in text
    assert text.count("Action:") == 2


@settings(deadline=None, max_examples=60)
@given(trajectory=trajectories, view=st.sampled_from(("full", "actions")))
def test_steps_are_read_back_from_the_text_alone(trajectory: Trajectory, view) -> None:
    found = steps(recount(trajectory, view))
    assert len(found) == len(trajectory.steps)
    for step, text in zip(trajectory.steps, found, strict=True):
        shown = ["", step.thought, step.action, *([step.observation] if view == "full" else [])]
        assert [body.split() for body in text.bodies] == [one.split() for one in shown]


def test_other_texts_are_no_trajectory() -> None:
    others = ("Action: wait", "Do this.\nAction: a\nAction: b", "Step 1: go\nStep 2: come")
    assert not [text for text in (*ODD, *NOTES, *others) if any(part.step for part in parts(text))]


def test_a_react_log_of_somebody_else_is_one() -> None:
    log = "Question: who?\nThought 1: look\nAction 1: a\nObservation 1: b\nAction 2: c\nObservation 2: d"
    assert [step.bodies for step in steps(log)] == [("look", "a", "b"), ("c", "d")]


def test_prose_is_its_own_markdown_and_comes_back_from_json() -> None:
    for text in (*ODD, *NOTES, recount(TRACE)):
        item = ProseItem(text)
        assert item.text == text.replace("\r\n", "\n").replace("\r", "\n").strip()
        assert render(item, 3) == item.text
        assert item_from_json(json.loads(json.dumps(item_to_json(item)))) == item


def test_prose_is_a_schema_of_its_own() -> None:
    assert schema_of(ProseItem("x")) == "prose"
    assert field_names("prose") == ("text",)
    with pytest.raises(ValueError, match="'text'"):
        item_from_json({"schema": "prose"})
    with pytest.raises(ValueError, match="'prose'"):
        item_from_json({"schema": "verse"})
    with pytest.raises(ValueError, match="'title'"):
        item_from_json({"schema": "native", "text": "x"})


def test_markdown_is_never_read_as_prose() -> None:
    items = (NativeItem("a", "b", "c"), TheoryItem("a", "b", "c", "d", "heuristic"))
    assert parse_all("\n\n".join(map(render, items))) == items
    assert parse_all(recount(TRACE)) == ()


def test_prose_never_fires_and_is_gated_by_what_it_has_a_place_for() -> None:
    assert watch((ProseItem("## Trigger state: lamp\n## Form heuristic"),)) == ()
    gates = choose_gates(Always("pass"), NAMES)
    found = [asyncio.run(gate(ProseItem("Pull the lever."), SOLVED)) for gate in gates]
    beside = [one.gate for one in found if one.finding == "NOT_APPLICABLE"]
    assert beside == ["trigger-presence", "title-as-claim", "form-check"]
