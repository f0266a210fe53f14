"""Injections: where memory enters, when, and that firing never depends on the text that is shown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Firing, Slot
from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import ENFORCE, INJECTIONS, PREPEND, STANDARD, STATE, TRIGGER, WITHHOLD, YOKED
from memtrial.arms.trigger_watch import watch, watch_states
from memtrial.memory.item import NativeItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.outcomes import reserved_names
from memtrial.perturbations.kinds import ALL
from memtrial.prompts.templates import cue_line
from memtrial.protocols import Perturbation
from tests.support.carriers import MEMBERS
from tests.support.damaging import damage, refusal
from tests.support.plans import run_plan

TASK = "Get the key out of the box"


def theory(trigger: str, form: str = "heuristic") -> TheoryItem:
    return TheoryItem(
        f'In the room of {trigger}, do "press the stud" before the lid is lifted.',
        trigger,
        "The stud holds the lid down while the box is warm.",
        "Boxes. Does NOT apply when the lamp is red.",
        form,
    )


ITEMS = (
    theory('state: "lid is shut"'),
    theory('state: "lid is shut" | action: pull'),
    theory('state: "lid is open"', 'check: state: "key" | not state: "red lamp"'),
    theory("when it helps"),  # does not compile
    theory('state: "lid is shut"', "check: the lamp looks right"),  # nor does this one's check
    NativeItem("The box", "How to open it.", "Press the stud."),
    theory("task: key | state: box"),
    theory('state: "never to be seen"'),
)
MOMENTS = (
    Moment(TASK, "A dark room."),
    Moment(TASK, "A box; its lid is shut."),
    Moment(TASK, "A box; its lid is shut. Nothing moved."),
    Moment(TASK, "The lid is open. A red lamp burns over the key."),
    Moment(TASK, "The lid is open. A key lies inside."),
    Moment(TASK, "The lid is open. The key is gone."),
)
ACTIONS = ("look", "pull the lid", "pull the lid", "wait", "take key", "stop")


def slot(items=ITEMS) -> Slot:
    return Slot(cue_line(), tuple(render(item, number) for number, item in enumerate(items, 1)))


def watched_by(kind, items=ITEMS):
    return watch(items) if kind.watch is None else kind.watch(slot(items).items)


def live(kind, shown: Slot, items=ITEMS):
    """One episode through `MOMENTS`: what entered, by step and place, and the firings."""
    injection = kind(shown, watched_by(kind, items))
    entered = {(-1, "opening"): injection.opening()}
    for step, (moment, action) in enumerate(zip(MOMENTS, ACTIONS, strict=True)):
        entered[step, "turn"] = injection.turn(step, moment)
        entered[step, "proposal"] = injection.proposal(step, Moment(moment.task, moment.state, action))
    return {place: text for place, text in entered.items() if text}, injection.firings()


def block(*positions: int, shown: Slot | None = None) -> str:
    shown = shown or slot()
    return Slot(shown.cue, tuple(shown.items[position] for position in positions)).text


TIMES = [(1, 0), (1, 6), (1, 1), (3, 2)]


def test_prepend_shows_the_slot_in_the_opening_only():
    entered, _ = live(PREPEND, slot())
    assert entered == {(-1, "opening"): slot().text}


def test_by_trigger_each_item_enters_once_at_its_moment():
    entered, firings = live(TRIGGER, slot())
    assert entered == {(1, "turn"): block(0, 6), (1, "proposal"): block(1), (3, "turn"): block(2)}
    assert [(firing.step, firing.item) for firing in firings] == TIMES
    assert all(firing.shown for firing in firings)
    assert all(text.startswith(cue_line()) for text in entered.values())


def test_each_firing_says_why():
    _, firings = live(TRIGGER, slot())
    assert {firing.item: firing.why for firing in firings} == {
        0: 'state: "lid is shut"',
        6: "task: key | state: box",
        1: 'state: "lid is shut" | action: pull',
        2: 'state: "lid is open"',
    }


def test_an_action_cue_withholds_the_action_and_a_state_cue_does_not_wait_for_it():
    injection = TRIGGER(slot(ITEMS[:2]), watch(ITEMS[:2]))
    shut = Moment(TASK, "its lid is shut", "pull the lid")
    assert injection.proposal(0, shut) == block(1, shown=slot(ITEMS[:2]))
    assert injection.proposal(1, shut) == ""  # once
    assert injection.turn(1, Moment(TASK, "its lid is shut")) == block(0, shown=slot(ITEMS[:2]))
    assert injection.turn(2, Moment(TASK, "its lid is shut")) == ""
    assert [firing.item for firing in injection.firings()] == [1, 0]


@pytest.mark.parametrize("form", ["heuristic", "check: action: pull", 'check: state: "never there"'])
@pytest.mark.parametrize("kind", [TRIGGER, ENFORCE], ids=lambda kind: kind.name)
def test_a_check_does_not_decide_when_its_item_comes_up(kind, form):
    items = (theory('state: "lid is shut"', form),)
    injection = kind(slot(items), watch(items))
    assert injection.turn(0, Moment(TASK, "a dark room")) == ""
    assert injection.turn(1, Moment(TASK, "its lid is shut")) == slot(items).text


def test_what_does_not_compile_never_comes_up():
    assert [watched.item for watched in watch(ITEMS)] == [0, 1, 2, 6, 7]
    injection = TRIGGER(slot(ITEMS[3:6]), watch(ITEMS[3:6]))
    for step, moment in enumerate(MOMENTS):
        assert injection.opening() == injection.turn(step, moment) == ""
    assert injection.firings() == ()


@pytest.mark.parametrize("kind", MEMBERS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("perturb", ALL, ids=lambda perturb: perturb.name)
def test_firing_does_not_depend_on_the_damage(perturb: Perturbation, kind):
    donor = Slot(
        cue_line(),
        tuple(f"# Memory Item {n}\n## Title Tea\n## Content Steep it {n} minutes." for n in range(9)),
    )
    if why := refusal(perturb, slot(), donor):
        pytest.skip(why)
    damaged = damage(perturb, slot(), 0, donor)
    assert damaged != slot()
    if kind is YOKED and damaged.empty:
        pytest.skip("there is no next item in no slot; `without` is played as `none`, which has no injection")
    _, intact_firings = live(kind, slot())
    entered, firings = live(kind, damaged)
    assert [(firing.step, firing.item, firing.why) for firing in firings] == [
        (firing.step, firing.item, firing.why) for firing in intact_firings
    ]
    if damaged.empty or kind is WITHHOLD:
        assert entered == {}
        assert not any(firing.shown for firing in firings)
        return
    assert not kind.by_trigger or (-1, "opening") not in entered
    assert all(firing.shown is kind.by_trigger for firing in firings)
    if kind in (TRIGGER, ENFORCE):
        assert [(firing.step, firing.item) for firing in firings] == TIMES
        assert entered[1, "turn"] == block(0, 6, shown=damaged)
        assert entered[1, "proposal"] == block(1, shown=damaged)
        assert entered[3, "turn"] == block(2, shown=damaged)
    if not kind.by_trigger:
        assert damaged.text in (entered.get((-1, "opening")), entered.get((0, "turn")))
        lines = {line for text in entered.values() for line in text.splitlines()}
        assert lines == set(damaged.text.splitlines())  # it may come again, and is nothing but the slot
    if kind is PREPEND:
        assert entered.keys() == {(-1, "opening")}


@settings(deadline=None)
@given(texts=st.lists(st.text(), min_size=len(ITEMS), max_size=len(ITEMS)))
def test_firing_does_not_depend_on_any_text_that_is_shown(texts):
    """Not even on one that holds another Trigger."""
    shown = Slot(cue_line(), tuple(texts))
    entered, firings = live(TRIGGER, shown)
    assert [(firing.step, firing.item) for firing in firings] == TIMES
    assert entered[1, "proposal"] == Slot(cue_line(), (texts[1],)).text


def test_a_shown_trigger_that_would_fire_earlier_fires_nothing():
    shown = Slot(cue_line(), tuple(render(theory("state: dark room")) for _ in ITEMS))
    assert [(firing.step, firing.item) for firing in live(TRIGGER, shown)[1]] == TIMES


@pytest.mark.parametrize("shown", [slot(), NOTHING], ids=["prepend", "without memory"])
def test_what_would_have_come_up_is_logged_as_a_shadow(shown):
    entered, firings = live(PREPEND, shown)
    assert list(entered) == ([(-1, "opening")] if shown.items else [])
    assert [(firing.step, firing.item) for firing in firings] == TIMES
    assert not any(firing.shown for firing in firings)
    assert [firing.why for firing in firings] == [firing.why for firing in live(TRIGGER, slot())[1]]


def test_an_empty_slot_shows_nothing_and_logs_shadows_by_trigger_too():
    entered, firings = live(TRIGGER, NOTHING)
    assert entered == {}
    assert firings[0] == Firing(1, 0, 'state: "lid is shut"', False)
    assert [(firing.step, firing.item) for firing in firings] == TIMES


@pytest.mark.parametrize("kind", MEMBERS, ids=lambda kind: kind.name)
def test_episodes_do_not_share_what_has_fired(kind):
    first, second = (kind(slot(), watched_by(kind)) for _ in range(2))
    entered = [first.turn(step, moment) for step, moment in enumerate(MOMENTS)]
    assert any(entered) or not kind.by_trigger
    assert len(first.firings()) >= 2
    assert second.firings() == ()
    assert [second.turn(step, moment) for step, moment in enumerate(MOMENTS)] == entered


def test_yoked_shows_the_next_item_at_each_moment():
    entered, firings = live(YOKED, slot())
    assert entered == {(1, "turn"): block(1, 7), (1, "proposal"): block(2), (3, "turn"): block(3)}
    by_trigger = live(TRIGGER, slot())[1]
    assert [(one.step, one.item - 1, one.why) for one in firings] == [
        (one.step, one.item, one.why) for one in by_trigger
    ]
    only = ITEMS[:1]
    assert live(YOKED, slot(only), only)[0] == {}  # there is no other


NATIVE = (
    NativeItem("The lid", "For a box.", "When the lid is shut, press the stud."),
    NativeItem("The key", "For a key.", "When a key lies there, take the key."),
)


def test_by_state_an_item_enters_when_it_is_the_nearest_and_stays():
    shown = slot(NATIVE)
    injection = STATE(shown, watch_states(shown.items))
    assert injection.turn(0, Moment(TASK, "zzz qqq")) == ""
    assert injection.turn(1, Moment(TASK, "The lid is shut.")) == block(0, shown=shown)
    assert injection.turn(2, Moment(TASK, "The lid is shut.")) == ""
    assert injection.proposal(2, Moment(TASK, "The lid is shut.", "take the key")) == ""
    assert injection.turn(3, Moment(TASK, "A key lies inside.")) == block(1, shown=shown)
    damaged = Slot(shown.cue, ("a key", "the lid is shut"))
    held = STATE(damaged, watch_states(shown.items))
    assert held.turn(1, Moment(TASK, "The lid is shut.")) == block(0, shown=damaged)  # the intact one decides


def test_the_standard_arms_are_what_the_design_says():
    assert {arm.name: (arm.memory, arm.injection.name) for arm in STANDARD} == {
        "raw": ("raw", "prepend"),
        "control": ("native", "prepend"),
        "artifact": ("theory", "prepend"),
        "activation": ("theory", "trigger"),
        "enforced": ("theory", "enforce"),
        "withheld": ("theory", "withhold"),
        "oracle": ("oracle", "prepend"),
        "planted-native": ("planted-native", "prepend"),
        "planted-theory": ("planted-theory", "prepend"),
        "planted-activation": ("planted-theory", "trigger"),
        **{f"dose-{k}": (f"dose-{k}", "prepend") for k in range(4)},
    }
    assert len({kind.name for kind in INJECTIONS}) == len(INJECTIONS)
    assert WITHHOLD.name == reserved_names.WITHHOLD  # plans and analyses know it by its name


def test_a_plan_says_which_arms_wait_and_an_old_one_goes_by_the_name():
    kinds = {kind.name: kind.name for kind in (PREPEND, TRIGGER)}
    assert [run_plan(injections=kinds).waits(name) for name in kinds] == [False, True]
    plan = run_plan(injections={"first": "first_turn", "late": "late_turn"}, waiting=("late",))
    assert [plan.waits(name) for name in plan.injections] == [False, True]
