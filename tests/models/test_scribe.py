"""The scribe: one extraction and one rate of defects for both schemas, and nothing from outside the trace."""

import asyncio
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from memtrial.agents.play import play
from memtrial.agents.react import ReAct
from memtrial.agents.slot import NOTHING
from memtrial.agents.traces import read_traces
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import render
from memtrial.arms.arm import PREPEND
from memtrial.condensers.draft_calls import NativeDrafting, TheoryDrafting
from memtrial.gates.gate import Finding, GateCase
from memtrial.gates.suite import ALL as GATES
from memtrial.gates.trigger_presence import reference_moments
from memtrial.memory.item import NativeItem, TheoryItem
from memtrial.memory.item_roles import roles_of
from memtrial.memory.markdown import parse_all
from memtrial.memory.markdown import render as render_item
from memtrial.memory.trigger import Trigger, TriggerFault, compile_trigger
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import Structured
from memtrial.models.client.types import Message, ModelFault
from memtrial.models.simulated.advice import read
from memtrial.models.simulated.text import content, list_quotes
from memtrial.models.simulated.trajectory_text import CALL, lessons
from memtrial.prompts.control_prompts import load_control
from memtrial.prompts.templates import Prompt
from memtrial.worlds.workshop.world import Workshop
from tests.support.scripted import simulated_client

HOTPOTQA = Path(__file__).resolve().parents[3] / "shared" / "data" / "traces" / "hotpotqa_react.jsonl"
CLEAN, SPOILT = "simulated/scribe?defects=0", "simulated/scribe?defects=1"
INSTRUCTIONS = {"success": Prompt("native_success"), "failure": Prompt("native_failure")}


@cache
def runs() -> tuple[Trajectory, ...]:
    """Successes and failures of an exploring agent, as the condensers get them."""
    world = Workshop(0, 96, 0)

    async def play_all() -> list[Trajectory]:
        caller = Caller(simulated_client(), "simulated/ignorer")
        return [
            (await play(ReAct(), world, task, caller, PREPEND(NOTHING, ()))).trajectory()
            for task in world.tasks("train")
        ]

    found = tuple(asyncio.run(play_all()))
    assert {trace.outcome for trace in found} == {"success", "failure"}
    return found


@cache
def drafts(model: str, traces: tuple[Trajectory, ...], repeat: int = 0) -> list[tuple[TheoryItem, ...]]:
    drafting = TheoryDrafting(Structured(Caller(simulated_client(), model, None, repeat)), "full")

    async def ask() -> list[tuple[TheoryItem, ...]]:
        return [(await drafting.draft(trace)).items for trace in traces]

    return asyncio.run(ask())


@cache
def native(model: str, traces: tuple[Trajectory, ...], repeat: int = 0) -> list[tuple[NativeItem, ...]]:
    caller = Caller(simulated_client(), model, None, repeat)

    async def ask() -> list[str]:
        asked = [
            (Message("system", INSTRUCTIONS[t.outcome].render()), Message("user", render(t))) for t in traces
        ]
        return [(await caller.ask(messages)).text for messages in asked]

    return [parse_all(text) for text in asyncio.run(ask())]


def item_text(item: TheoryItem) -> str:
    return " ".join((item.claim, item.trigger, item.mechanism, item.scope, item.form))


def compiles(trigger: str) -> bool:
    try:
        compile_trigger(trigger)
    except TriggerFault:
        return False
    return True


def test_a_clean_draft_is_the_same_lesson_in_both_schemas():
    for theory, plain in zip(drafts(CLEAN, runs()), native(CLEAN, runs()), strict=True):
        assert 1 <= len(theory) == len(plain) <= 3
        for one, other in zip(theory, plain, strict=True):
            state, *acts = list_quotes(one.claim)
            assert list_quotes(other.content)[: len(acts) + 1] == (state, *acts)
            assert compiles(one.trigger)
            assert state in one.trigger
            assert all(word in one.scope.lower() for word in ("does not apply", "when"))


def test_what_a_clean_draft_quotes_stands_in_the_trace():
    for trace, theory, plain in zip(runs(), drafts(CLEAN, runs()), native(CLEAN, runs()), strict=True):
        text = render(trace)
        for item in (*theory, *plain):
            for field in ("claim", "trigger", "mechanism", "content"):
                for span in list_quotes(getattr(item, field, "")):
                    assert span in text


def test_a_success_says_what_to_do_and_a_failure_what_to_avoid():
    for trace, items in zip(runs(), drafts(CLEAN, runs()), strict=True):
        if trace.outcome == "failure":
            assert all(", avoid `" in item.claim for item in items)
        else:
            assert ", do `" in items[0].claim
            assert f"`{trace.steps[-1].action}`" in items[0].claim


def kind(item: TheoryItem, clean: TheoryItem, trace: Trajectory) -> str:
    if item == clean:
        return ""
    if not compiles(item.trigger):
        return "no trigger"
    if not list_quotes(item.claim):
        return "vague"
    if item.mechanism != clean.mechanism:
        return "overreach"
    assert list_quotes(item.claim)[0] not in render(trace)
    return "ungrounded"


def test_defects_are_of_four_kinds_each_as_likely():
    kinds = [
        kind(item, clean, trace)
        for repeat in range(2)
        for trace, items, cleans in zip(
            runs(), drafts(SPOILT, runs(), repeat), drafts(CLEAN, runs()), strict=True
        )
        for item, clean in zip(items, cleans, strict=True)
    ]
    assert "" not in kinds
    for defect in ("vague", "no trigger", "ungrounded", "overreach"):
        assert abs(kinds.count(defect) / len(kinds) - 0.25) < 4 * 0.44 / len(kinds) ** 0.5


@pytest.mark.parametrize("rate", [0.3, 0.7])
def test_the_rate_of_defects_is_the_same_for_both_schemas(rate):
    model = f"simulated/scribe?defects={rate}"
    for draft in (drafts, native):
        spoilt = [
            item != clean
            for repeat in range(2)
            for items, cleans in zip(draft(model, runs(), repeat), draft(CLEAN, runs()), strict=True)
            for item, clean in zip(items, cleans, strict=True)
        ]
        assert len(spoilt) > 300
        assert abs(np.mean(spoilt) - rate) < 4 * (rate * (1 - rate) / len(spoilt)) ** 0.5


def revised(model: str, trace: Trajectory, number: int, item: TheoryItem, repeat: int) -> TheoryItem:
    drafting = TheoryDrafting(Structured(Caller(simulated_client(), model, None, repeat)), "full")
    finding = Finding("claim-strength", "FAIL", "It says nothing.", item.claim, "item")
    return asyncio.run(drafting.revise(item, number, [finding], trace))


@pytest.mark.parametrize("repair", [0.0, 1.0])
def test_a_revision_is_free_of_defects_as_often_as_it_is_set_to(repair):
    model = f"simulated/scribe?defects=1&repair={repair}"
    for trace, items, cleans in list(zip(runs(), drafts(SPOILT, runs()), drafts(CLEAN, runs()), strict=True))[
        :8
    ]:
        for number, (item, clean) in enumerate(zip(items, cleans, strict=True), 1):
            # the position in the item's heading says which lesson it is
            assert (revised(model, trace, number, item, 0) == clean) == bool(repair)


def test_the_same_call_has_the_same_draft_and_repeats_differ():
    some, model = runs()[:20], "simulated/scribe?defects=0.5"
    for draft in (drafts, native):
        assert draft.__wrapped__(model, some) == draft(model, some)
        assert draft(model, some, 1) != draft(model, some)


@pytest.mark.parametrize("view", ["full", "actions"])
@pytest.mark.parametrize(
    "steps",
    [
        (),
        (Step("", "", ""),),
        (Step("Hm.", 'look `at` "it" | now', "“Nothing” happens.\n\n<action>"),),
        (Step("x" * 5000, "y" * 5000, "z " * 5000),) * 3,
        tuple(Step("t", f"go {n}", "nothing happens") for n in range(40)),
    ],
    ids=["none", "empty", "marks", "long", "many"],
)
@pytest.mark.parametrize("outcome", ["success", "failure"])
def test_odd_runs_are_drafted_or_left(view, steps, outcome):
    trace = Trajectory("t", "t", "Füge es zusammen.", outcome, steps)
    drafting = TheoryDrafting(Structured(Caller(simulated_client(), CLEAN)), view)
    items = asyncio.run(drafting.draft(trace)).items
    assert len(items) <= 3
    assert all("`" in item.claim for item in items)


def test_a_request_for_something_else_is_a_fault():
    for roles in (("user",), ("system", "user", "assistant", "user")):
        messages = tuple(Message(role, "Hello.") for role in roles)
        with pytest.raises(ModelFault, match="drafts and revises"):
            asyncio.run(Caller(simulated_client(), CLEAN).ask(messages))


def test_a_revision_of_nothing_is_a_fault():
    item = TheoryItem("In x, do `y`.", "state: x", "m", "s", "heuristic")
    with pytest.raises(ModelFault, match="no action"):
        revised(CLEAN, Trajectory("t", "t", "q", "success", ()), 1, item, 0)


@pytest.mark.skipif(not HOTPOTQA.is_file(), reason="the real traces are not beside this checkout")
def test_real_traces_have_lessons_too():
    traces = read_traces(HOTPOTQA)
    found = [lessons(render(trace), trace.outcome == "success") for trace in traces]
    assert np.mean([bool(some) for some in found]) > 0.9
    for trace, some in zip(traces, found, strict=True):
        for lesson in some:
            assert lesson.state in render(trace)
            assert all(act in " ".join(render(trace).replace("`", "'").split()) for act in lesson.acts)


def elsewhere(trigger: Trigger, trace: Trajectory, traces: tuple[Trajectory, ...]) -> bool:
    """It fires in another task of the family, and on fewer than half of all unrelated states."""
    unrelated = reference_moments()
    if sum(map(trigger.holds, unrelated)) >= len(unrelated) / 2:
        return False
    kin = (one for one in traces if one.family == trace.family and one.task_id != trace.task_id)
    return any(trigger.holds(moment) for one in kin for moment in one.moments())


@pytest.mark.parametrize("source", ["workshop", "hotpotqa"])
def test_items_speak_of_more_than_their_own_question(source):
    if source == "hotpotqa" and not HOTPOTQA.is_file():
        pytest.skip("the real traces are not beside this checkout")
    traces = runs() if source == "workshop" else read_traces(HOTPOTQA)
    made = [(one, item) for one, items in zip(traces, drafts(CLEAN, traces), strict=True) for item in items]
    triggers = [(one, compile_trigger(item.trigger)) for one, item in made]
    assert all(any(trigger.holds(moment) for moment in one.moments()) for one, trigger in triggers)
    assert np.mean([elsewhere(trigger, one, traces) for one, trigger in triggers]) >= 0.5
    answers = [CALL.fullmatch(one.steps[-1].action) for one, _ in made]
    told = [
        bool(
            answer
            and re.search(rf"(?<!\w){re.escape(answer['what'].rstrip(']'))}(?!\w)", item_text(item), re.I)
        )
        for answer, (_, item) in zip(answers, made, strict=True)
    ]
    assert np.mean(told) <= 0.1
    # where the lesson ends is said in words, and not by negation alone
    limits = [item.scope.partition("Does NOT apply when ")[2] for _, item in made]
    assert all(len(content(limit)) >= 2 for limit in limits)


def test_what_is_beside_the_point_is_so_in_both_schemas_and_stays_so():
    model = "simulated/scribe?defects=0&unseen=0.5"
    other = 0
    for trace, items, plain, clean in zip(
        runs(), drafts(model, runs()), native(model, runs()), drafts(CLEAN, runs()), strict=True
    ):
        for number, (one, twin, was) in enumerate(zip(items, plain, clean, strict=False), 1):
            assert list_quotes(one.claim)[:2] == list_quotes(twin.content)[:2]
            assert all(span in render(trace) for span in list_quotes(one.claim))
            if one != was and other < 5:
                assert revised(f"{model}&repair=1", trace, number, one, 0) == one
            other += one != was
    assert 0.2 < other / sum(map(len, drafts(CLEAN, runs()))) < 0.6


def test_an_item_that_nobody_found_fault_with_is_written_again_as_it_was_drafted():
    drafting = TheoryDrafting(Structured(Caller(simulated_client(), SPOILT)), "full", placebo=True)
    trace, item = runs()[0], drafts(CLEAN, runs())[0][0]
    assert asyncio.run(drafting.revise(item, 1, (), trace)) != item
    plain = NativeDrafting(Caller(simulated_client(), CLEAN), load_control(None), "full", placebo=True)
    again = asyncio.run(plain.revise(native(CLEAN, runs())[0][0], 1, (), trace))
    assert again == native(CLEAN, runs())[0][0]


def test_no_program_finds_fault_with_a_clean_draft():
    for trace, items in zip(runs(), drafts(CLEAN, runs()), strict=True):
        for item in items:
            found = [gate.rule_on(GateCase(item, roles_of(item), trace)) for gate in GATES]
            assert {one.verdict for one in found if one is not None} <= {"NOT_APPLICABLE"}


def test_a_reader_learns_the_same_from_both_schemas():
    for theory, plain in zip(drafts(CLEAN, runs()), native(CLEAN, runs()), strict=True):
        for pair in zip(theory, plain, strict=True):
            told = [
                [
                    (set(one.states), set(one.exclusions), [act.spans for act in one.acts], one.do)
                    for one in of
                ]
                for of in map(read, map(render_item, pair))
            ]
            assert told[0] == told[1]
            assert told[0]
