"""Executed checks: what breaks one is withheld, with its reason, once a turn; and what that is worth."""

import asyncio
from dataclasses import replace
from statistics import fmean

import pytest

from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.agents.react import ReAct
from memtrial.agents.slot import BrokenCheck, Slot
from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import ENFORCE, INJECTIONS, PREPEND, TRIGGER, InjectionKind, check_of
from memtrial.arms.trigger_watch import watch
from memtrial.memory.item import TheoryItem
from memtrial.memory.markdown import render
from memtrial.memory.trigger import breaks_check, compile_form
from memtrial.models.client.client import Caller
from memtrial.prompts.templates import cue_line
from memtrial.runs.preparation.world_memories import as_theory
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import State
from tests.support.scripted import client_to, saying, simulated_client

SIGNING = 'check: action: "sign off" | state: "is sound"'
ITEM = TheoryItem("Inspect before you sign off.", "state: lamp", "Else it comes back.", "Presses.", SIGNING)


def slot(*items: TheoryItem) -> Slot:
    return Slot(cue_line(), tuple(render(item, number) for number, item in enumerate(items, 1)))


@pytest.mark.parametrize(
    ("check", "state", "action", "breaks"),
    [
        (SIGNING, "The lamp glows.", "sign off the press", True),
        (SIGNING, "The lamp glows; the sample is sound.", "sign off the press", False),
        (SIGNING, "The lamp glows.", "inspect the sample", False),
        (SIGNING, "The lamp glows.", "", False),
        ('check: state: "is sound"', "The lamp glows.", "anything", True),
        ('check: state: "is sound"', "It is sound.", "anything", False),
        ("check: not action: sign", "The lamp glows.", "sign off", True),
        ("check: not action: sign", "The lamp glows.", "inspect", False),
        ("check: action: inspect", "The lamp glows.", "sign off", True),
        ("check: action: inspect", "The lamp glows.", "inspect it", False),
        ("check: action: pull | not state: smoke", "smoke", "pull", True),
        ("check: action: pull | not state: smoke", "clear air", "pull", False),
        ("check: action: pull | not state: smoke", "smoke", "wait", False),
    ],
)
def test_a_check_is_the_precondition_of_the_actions_it_names(check, state, action, breaks):
    compiled = compile_form(check)
    assert compiled is not None
    assert breaks_check(compiled, Moment("", state, action)) is breaks


def test_a_broken_check_is_withheld_at_every_proposal_and_only_while_the_trigger_holds():
    injection = ENFORCE(slot(ITEM), watch((ITEM,)))
    text = slot(ITEM).text
    assert injection.turn(0, Moment("", "The lamp glows.")) == text  # as by trigger
    for step in (0, 1):
        assert injection.proposal(step, Moment("", "The lamp glows.", "sign off")) == text
    assert injection.proposal(2, Moment("", "The lamp glows, it is sound.", "sign off")) == ""
    assert injection.proposal(3, Moment("", "Darkness.", "sign off")) == ""
    assert [(one.step, one.item, one.withheld) for one in injection.broken()] == [(0, 0, True), (1, 0, True)]
    assert [one.step for one in injection.firings()] == [0]


@pytest.mark.parametrize("kind", [PREPEND, TRIGGER], ids=lambda kind: kind.name)
def test_where_checks_are_not_executed_what_would_break_one_is_only_logged(kind):
    injection = kind(slot(ITEM), watch((ITEM,)))
    injection.turn(0, Moment("", "The lamp glows."))
    assert injection.proposal(0, Moment("", "The lamp glows.", "sign off")) == ""
    assert injection.broken() == (BrokenCheck(0, 0, False),)


def test_the_check_that_is_executed_is_the_one_that_is_shown():
    """Damage reaches what the program does; when the item comes up stays as the intact one says."""
    other = replace(ITEM, trigger="state: elsewhere", form='check: action: "inspect" | state: "is sound"')
    injection = ENFORCE(slot(other), watch((ITEM,)))
    lamp = "The lamp glows."
    assert injection.turn(0, Moment("", lamp)) == slot(other).text
    assert injection.proposal(0, Moment("", lamp, "sign off")) == ""
    assert injection.proposal(1, Moment("", lamp, "inspect")) == slot(other).text


@pytest.mark.parametrize("form", ["heuristic", "check: the lamp looks right", "", "check:"])
def test_a_shown_text_without_a_check_executes_none_and_still_comes_up(form):
    shown = slot(replace(ITEM, form=form))
    assert check_of(shown.items[0]) is None
    injection = ENFORCE(shown, watch((ITEM,)))
    assert injection.turn(0, Moment("", "The lamp glows.")) == shown.text
    assert injection.proposal(0, Moment("", "The lamp glows.", "sign off")) == ""


FAMILIES = 8


def tasks_with_a_test(world: Workshop):
    """Tasks whose work must be inspected before it is handed over."""
    return [task for task in world.tasks("test") if "inspect" in world.ground_truth(task).lesson]


def lesson(world: Workshop, task, form: str | None = None) -> TheoryItem:
    """The true rule with the check that its last step asks for, or with another form."""
    *_, test, hand_over = world.ground_truth(task).path
    true = f'check: action: `{hand_over}` | state: "The sample is sound"'
    wrong = f'check: action: `{test}` | state: "The sample is sound"'
    return replace(
        as_theory(world.ground_truth(task).proposition), form=form or true if form != "wrong" else wrong
    )


def episodes(kind: InjectionKind, form: str | None = None, player: str = "forgetter") -> list[Episode]:
    world = Workshop(5, 1, 96, FAMILIES)

    async def all_of() -> list[Episode]:
        caller = Caller(simulated_client(), f"simulated/{player}")
        found = []
        for task in tasks_with_a_test(world):
            item = lesson(world, task, form)
            found.append(await play(ReAct(), world, task, caller, kind(slot(item), watch((item,)))))
        return found

    return asyncio.run(all_of())


def rate(found: list[Episode]) -> float:
    return fmean(one.outcome.success for one in found)


def test_who_forgets_is_stopped_by_the_check():
    enforced = episodes(ENFORCE)
    assert len(enforced) == 24
    for kind in (PREPEND, TRIGGER):
        told = episodes(kind)
        assert rate(enforced) > rate(told) + 0.25
        # as many as here break the check, and nobody stops them
        assert sum(bool(one.broken) for one in told) > 6
        assert not any(one.withheld for one in told)
    assert rate(enforced) == 1.0
    assert sum(one.changed for episode in enforced for one in episode.withheld) > 6


def test_who_remembers_never_breaks_it():
    found = episodes(ENFORCE, player="reader")
    assert rate(found) == 1.0
    assert not any(one.broken or one.withheld for one in found)


def test_a_wrong_check_costs_what_it_costs():
    wrong = episodes(ENFORCE, "wrong", player="ignorer")
    assert rate(wrong) < rate(episodes(ENFORCE, "heuristic", player="ignorer"))


class Recording(Workshop):
    """A workshop that keeps what was done in it."""

    def reset(self, task) -> State:
        self.did: list[str] = []
        return super().reset(task)

    def step(self, action: str) -> State:
        self.did.append(action)
        return super().step(action)


@pytest.mark.parametrize("kind", INJECTIONS, ids=lambda kind: kind.name)
def test_a_withheld_action_never_reaches_the_world_and_its_reason_is_in_the_next_request(kind):
    """And the second proposal is carried out, whatever it is."""
    world = Recording(5, 1, 96, FAMILIES)
    task = tasks_with_a_test(world)[0]
    item = lesson(world, task)
    start, _, hand_over = world.ground_truth(task).path
    said = [start, hand_over, "sing", hand_over, hand_over] if kind == ENFORCE else [start, hand_over]
    backend = saying(*(f"Thought: so.\nAction: {one}" for one in said))
    caller = Caller(client_to(backend), "scripted/one")
    found = asyncio.run(play(ReAct(), world, task, caller, kind(slot(item), watch((item,)))))
    if kind == ENFORCE:
        assert world.did == [start, "sing", hand_over]
        assert [(one.step, one.proposed, one.then, one.changed) for one in found.withheld] == [
            (1, hand_over, "sing", True),
            (2, hand_over, hand_over, False),
        ]
        for number in (2, 4):
            assert item.form in backend.asked[number][0].messages[-1].text
            assert f'"{hand_over}" was not carried out' in backend.asked[number][0].messages[-1].text
    else:
        assert world.did == said
        assert found.withheld == ()
    assert {one.withheld for one in found.broken} <= {kind == ENFORCE}
