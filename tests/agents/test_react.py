"""The agent loop: it thinks before it acts, keeps what went wrong as evidence, and shows what it is given."""

import asyncio
import threading
from dataclasses import replace

import pytest

from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.agents.react import NO_ACTION, ReAct
from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import PREPEND, STANDARD, Arm
from memtrial.models.client.client import Caller
from memtrial.models.client.types import ModelFault
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Outcome, State, WorldFault
from tests.support.scripted import CORRIDOR, Corridor, Injected, Scripted, caller_of, saying, simulated_client

GO = "Thought: the door is open.\nAction: go on"
MEMORY = Slot(
    "Notes: <b>&amp;</b>", ("# Memory Item 1\n## Title {{ x }}\n  two  spaces", "ünï \u2028 {% raw %}\n")
)


def run(backend: Scripted, world=None, injection=None, task=CORRIDOR) -> Episode:
    return asyncio.run(play(ReAct(), world or Corridor(), task, caller_of(backend), injection or Injected()))


def sent(backend: Scripted) -> list[list[str]]:
    return [[message.text for message in request.messages] for request, _ in backend.asked]


# -- an episode --------------------------------------------------------------------------------------------


def test_a_solved_task():
    episode = run(backend := saying(GO, GO, GO))
    assert episode.outcome == Outcome(True, 1.0)
    assert [step.observation for step in episode.steps] == ["Door 1.", "Door 2.", "Door 3."]
    assert {step.fault for step in episode.steps} == {""}
    assert len(backend.asked) == 3
    # the conversation is whole: each request is the one before, its reply, and the new turn
    for before, after in zip(sent(backend), sent(backend)[1:], strict=False):
        assert after[: len(before)] == before
        assert after[len(before)] == GO
        assert len(after) == len(before) + 2


def test_the_first_turn_poses_the_task_and_every_turn_shows_the_state():
    run(backend := saying(GO, GO, GO))
    last = sent(backend)[-1]
    assert CORRIDOR.query in last[1]
    assert not any(CORRIDOR.query in text for text in last[2:])
    assert ["Door 0." in last[1], "Door 1." in last[3], "Door 2." in last[5]] == [True] * 3
    assert Corridor().rules in last[0]
    assert "Actions:" not in "".join(last)


def test_admissible_actions_are_shown_where_the_world_has_them():
    world = Workshop(0, 0, 12)
    task = world.tasks("test")[0]
    run(backend := Scripted(lambda request, repeat: "Thought: a\nAction: b"), world, task=task)
    listed = sent(backend)[0][1].rsplit("\nActions: ", 1)[1]
    assert tuple(listed.split(" | ")) == world.reset(task).actions


def test_a_reply_without_action_costs_a_turn_and_stays_as_evidence():
    episode = run(backend := saying("I go on.", GO, "Action: go on", GO, GO))
    assert [step.fault for step in episode.steps] == ["format", "", "format", "", ""]
    assert [step.action for step in episode.steps] == ["I go on.", "go on", "Action: go on", "go on", "go on"]
    assert episode.outcome.success
    assert NO_ACTION in sent(backend)[1][-1]
    assert "Door 0." in sent(backend)[1][-1]
    assert NO_ACTION not in sent(backend)[2][-1]


def test_what_cannot_be_read_never_reaches_the_world():
    world = Corridor(limit=3)
    run(saying("?", GO, "?"), world)
    assert world.done_actions == ["go on"]


def test_the_agents_broken_format_is_a_failure_with_its_cause_and_the_notice_does_not_pile_up():
    episode = run(backend := saying(*["?"] * 5))
    assert episode.outcome == Outcome(False, 0.0, "broken format")
    assert all(step.fault == "format" for step in episode.steps)
    assert all(turn[-1].count(NO_ACTION) == 1 for turn in sent(backend)[1:])


def test_a_refused_action_stays_as_evidence_and_counts():
    episode = run(saying(GO, "Thought: t\nAction: fly", GO, GO))
    assert [step.fault for step in episode.steps] == ["", "refused", "", ""]
    assert episode.steps[1].action == "fly"


def test_the_step_limit_is_a_failure_with_its_cause():
    episode = run(backend := saying(*[GO] * 2), Corridor(limit=2))
    assert episode.outcome == Outcome(False, 2 / 3, "step limit")
    assert len(episode.steps) == len(backend.asked) == episode.limit == 2


def test_the_worlds_own_cause_stands():
    world = Workshop(3, 0, 12)
    task = next(task for task in world.tasks("test") if "inspect" in world.ground_truth(task).lesson)
    start, _, sign_off = world.ground_truth(task).path
    says = [f"Thought: t\nAction: {action}" for action in (start, sign_off)]
    episode = run(saying(*says), world, task=task)
    assert episode.outcome == Outcome(False, 0.5, "signed off before the check")


def test_an_episode_becomes_a_trajectory():
    episode = run(saying(GO, "?", *[GO] * 2))
    trace = episode.trajectory()
    assert (trace.task_id, trace.query, trace.family) == (CORRIDOR.id, CORRIDOR.query, CORRIDOR.family)
    assert (trace.outcome, trace.score, trace.start) == ("success", 1.0, "Door 0.")
    assert trace.steps == episode.steps
    moments = list(trace.moments())
    assert moments[0] == Moment(CORRIDOR.query, "Door 0.", "go on")
    assert moments[-1] == Moment(CORRIDOR.query, "Door 3.")
    assert run(saying(*["?"] * 5)).trajectory().outcome == "failure"


# -- what memory does to the requests ----------------------------------------------------------------------


def test_a_prepended_slot_stands_word_for_word_in_the_system_prompt_of_every_request():
    backend = saying(GO, "?", "Thought: t\nAction: fly", GO, GO)
    run(backend, injection=PREPEND(MEMORY, ()))
    assert len(backend.asked) == 5
    for texts in sent(backend):
        assert MEMORY.text in texts[0]
        assert not any(item in text for text in texts[1:] for item in MEMORY.items)


def test_without_memory_the_prompt_holds_no_trace_of_it():
    run(bare := saying(GO, GO, GO))
    run(full := saying(GO, GO, GO), injection=PREPEND(MEMORY, ()))
    assert sent(full)[0][0] == f"{sent(bare)[0][0]}\n\n{MEMORY.text}"
    assert [texts[1:] for texts in sent(full)] == [texts[1:] for texts in sent(bare)]


def test_text_that_enters_at_a_turn_stays_to_the_end():
    entered = "Notes: {{ braces }} and <tags>"
    run(backend := saying(GO, GO, GO), injection=Injected(turns={1: entered}))
    first, *later = sent(backend)
    assert not any(entered in text for text in first)
    for texts in later:
        assert texts[3].endswith(f"\n\n{entered}")
        assert sum(entered in text for text in texts) == 1


def test_a_withheld_action_costs_one_call_and_is_not_done_unless_said_again():
    world = Corridor()
    back = "Thought: rather not\nAction: go back"
    backend = saying(GO, back, GO, GO, GO)
    held = "Notes: `go on` {{ is }} a trap"
    episode = run(backend, world, Injected(proposals={0: held}))
    assert world.done_actions == ["go back", "go on", "go on", "go on"]
    assert [step.action for step in episode.steps] == world.done_actions
    assert episode.steps[0].thought == "rather not"
    assert len(backend.asked) == len(episode.steps) + 1
    again = sent(backend)[1]
    assert again[2] == GO
    assert held in again[3]
    assert '"go on"' in again[3]
    assert "not carried out" in again[3]
    assert all(held in texts[3] for texts in sent(backend)[1:])


def test_a_withheld_action_that_is_said_again_is_done_once():
    world = Corridor()
    backend = saying(GO, GO, GO, GO)
    episode = run(backend, world, Injected(proposals={0: "Notes: beware"}))
    assert world.done_actions == ["go on"] * 3
    assert episode.outcome.success
    assert len(backend.asked) == 4


def test_an_unreadable_second_answer_is_a_format_fault_and_nothing_is_done():
    world = Corridor(limit=2)
    episode = run(saying(GO, "Hm.", GO), world, Injected(proposals={0: "Notes: beware"}))
    assert [(step.action, step.fault) for step in episode.steps] == [("Hm.", "format"), ("go on", "")]
    assert world.done_actions == ["go on"]


def test_the_injection_sees_each_moment_as_the_agent_does():
    injection = Injected()
    run(saying(GO, "?", GO, GO), injection=injection)
    query = CORRIDOR.query
    assert injection.seen == [
        ("turn", 0, Moment(query, "Door 0.")),
        ("proposal", 0, Moment(query, "Door 0.", "go on")),
        ("turn", 1, Moment(query, "Door 1.")),
        ("turn", 2, Moment(query, f"{NO_ACTION} Door 1.")),
        ("proposal", 2, Moment(query, f"{NO_ACTION} Door 1.", "go on")),
        ("turn", 3, Moment(query, "Door 2.")),
        ("proposal", 3, Moment(query, "Door 2.", "go on")),
    ]


def test_firings_are_the_injections():
    injection = Injected(system="Notes")
    assert run(saying(GO, GO, GO), injection=injection).firings == injection.firings()


@pytest.mark.parametrize("arm", STANDARD, ids=lambda arm: arm.name)
def test_the_requests_depend_on_the_text_shown_and_not_on_the_arm(arm: Arm):
    def requests(injection):
        run(backend := saying(GO, "?", GO, GO), injection=injection)
        return sent(backend)

    renamed = replace(arm, name="a-name-of-its-own", memory="another-memory")
    assert requests(arm.injection(MEMORY, ())) == requests(renamed.injection(MEMORY, ()))
    assert requests(arm.injection(NOTHING, ())) == requests(Injected())
    told = " ".join(text for texts in requests(arm.injection(MEMORY, ())) for text in texts).lower()
    # "raw" stands in MEMORY itself
    told = told.replace("{% raw %}", "")
    assert not any(word in told for word in (arm.name, arm.memory, arm.injection.name))


# -- faults ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("breaks_at", [-1, 1, 2])
@pytest.mark.parametrize("blocking", [False, True])
def test_a_broken_world_is_no_failure_of_the_agent(breaks_at, blocking):
    with pytest.raises(WorldFault, match="corridor"):
        run(saying(GO, GO, GO), Corridor(breaks_at=breaks_at, blocking=blocking))


@pytest.mark.parametrize("answered", [0, 1])
def test_a_model_that_does_not_answer_is_no_failure_of_the_agent(answered):
    with pytest.raises(ModelFault, match="overloaded"):
        run(saying(*[GO] * answered, ModelFault("overloaded")))


def test_a_world_that_waits_outside_python_is_called_in_a_thread():
    threads = set()

    class Watched(Corridor):
        def step(self, action: str) -> State:
            threads.add(threading.current_thread())
            return super().step(action)

    for blocking in (False, True):
        threads.clear()
        assert run(saying(GO, GO, GO), Watched(blocking=blocking)).outcome.success
        assert (threading.main_thread() in threads) is not blocking


def test_episodes_of_one_repeat_are_the_same_and_of_two_are_not():
    world = Workshop(0, 0, 36)

    def actions(repeat):
        caller = Caller(simulated_client(), "simulated/ignorer", None, repeat)
        played = (asyncio.run(play(ReAct(), world, task, caller, Injected())) for task in world.tasks("test"))
        return [[step.action for step in episode.steps] for episode in played]

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)


def test_a_broken_format_is_told_from_the_step_limit_by_half_of_the_replies() -> None:
    for says, cause in ((["?", GO, "?", GO], "broken format"), (["?", GO, GO], "step limit")):
        assert run(saying(*says), Corridor(limit=len(says))).outcome.cause == cause
