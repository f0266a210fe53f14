"""True memory that the world states: one proposition in two schemas, and the ladder of true items."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import DOSES, OF_THE_WORLD, PLANTED_NATIVE, PLANTED_THEORY
from memtrial.faults import SpecFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import Item, field_names, schema_of
from memtrial.memory.markdown import parse, render
from memtrial.memory.trigger import compile_trigger
from memtrial.memory.words import content_words, words
from memtrial.runs.forecast.spec_forecast import forecast_of
from memtrial.runs.preparation.world_memories import (
    PLACES,
    as_native,
    as_theory,
    donate_rules,
    rungs,
    state_memories,
)
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Proposition
from tests.support.carried_out import run_spec
from tests.support.small import write_spec

STAIRS = Path(__file__).parents[1] / "own" / "stairs.py"
WORLDS = tuple(Workshop(seed, 12, 48, n) for seed, n in ((0, 12), (1, 8), (2, 10)))
OF_WORKSHOPS = tuple(
    rule
    for world in WORLDS
    for task in world.tasks("test")
    for rule in (world.ground_truth(task).proposition, *world.ground_truth(task).further)
    if rule is not None
)
clause = st.lists(st.sampled_from(("lamp", "valve", "turn", "glow", "amber", "seven")), min_size=1)
drawn = st.builds(
    Proposition,
    situation=clause.map(" ".join),
    action=clause.map(" ".join),
    why=clause.map(" ".join),
    unless=st.one_of(st.just(""), clause.map(" ".join)),
    where=st.sampled_from(("state", "task")),
)


def said(item: Item) -> str:
    return "\n".join(getattr(item, name) for name in field_names(schema_of(item)))


def same_content(rule: Proposition) -> None:
    native, theory = as_native(rule), as_theory(rule)
    assert parse(render(native)) == native
    assert parse(render(theory)) == theory
    assert Counter(content_words(said(native))) == Counter(content_words(said(theory)))
    assert abs(len(words(render(native))) - len(words(render(theory)))) <= 4
    compile_trigger(theory.trigger)


@given(rule=drawn)
def test_both_schemas_say_the_same_words_as_often(rule: Proposition) -> None:
    same_content(rule)
    whole = content_words(f"{rule.situation} {rule.action} {rule.why} {rule.unless}")
    assert set(whole) <= set(content_words(said(as_native(rule))))


def test_every_rule_of_every_world_can_be_planted() -> None:
    for rule in dict.fromkeys(OF_WORKSHOPS):
        same_content(rule)


def test_a_trigger_holds_where_the_state_shows_and_not_before() -> None:
    waited = 0
    for world in WORLDS:
        for task in world.tasks("test"):
            truth = world.ground_truth(task)
            assert truth.proposition is not None
            trigger = compile_trigger(as_theory(truth.proposition).trigger)
            state = world.reset(task)
            while state.actions == ("wait",):
                assert not trigger.holds(Moment(task.query, state.observation))
                state = world.step("wait")
                waited += 1
            assert trigger.holds(Moment(task.query, state.observation))
    assert waited > 20


def test_the_rule_solves_its_task_wherever_it_holds() -> None:
    signed = 0
    for world in WORLDS:
        for task in world.tasks("test"):
            truth = world.ground_truth(task)
            rule = truth.proposition
            assert rule is not None
            steps = tuple(step for step in truth.path if step != "wait")
            shown = world.reset(task).observation
            if rule.unless and rule.unless.lower() in shown.lower():
                signed += 1
                assert rule.action not in truth.path
            else:
                assert rule.action == ", then ".join(steps)
    assert signed > 2


@given(n_rules=st.integers(1, 4), n_families=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_from_rung_to_rung_one_item_becomes_true(n_rules: int, n_families: int, seed: int) -> None:
    own = [Proposition(f"own {i} shows", f"turn own {i}", f"own {i} runs") for i in range(n_rules)]
    foreign = [[Proposition(f"far {f} {i} shows", "pull it", "it runs") for i in range(2)]
               for f in range(n_families)]  # fmt: skip
    slots = rungs(own, foreign, default_rng(seed))
    assert slots == rungs(own, foreign, default_rng(seed))
    assert len(slots) == PLACES + 1
    for dose, slot in enumerate(slots):
        assert len(set(slot)) == PLACES
        assert sum("own" in item for item in slot) == dose
        assert [item.split("\n")[0] for item in slot] == [f"# Memory Item {n}" for n in (1, 2, 3)]
    for less, more in pairwise(slots):
        assert sum(one != other for one, other in zip(less, more, strict=True)) == 1
    true = {next(i for i in range(n_rules) if f"own {i} shows" in item) for item in slots[-1]}
    assert len(true) == min(n_rules, PLACES)
    assert all("own" in item for item in donate_rules(own))


def test_the_ladder_takes_distractors_of_other_families_in_an_order_of_the_seed() -> None:
    world = WORLDS[0]
    tasks = world.tasks("test")
    made = state_memories(world, tasks, frozenset(OF_THE_WORLD), "Notes.", seed=5)
    assert set(made) == set(OF_THE_WORLD)
    for task in tasks:
        lowest = "\n".join(made[DOSES[0]].shown[task.id].slot.items)
        assert task.family not in lowest
        highest = made[DOSES[3]].shown[task.id].slot.items
        assert all(task.family in item for item in highest)
        # a donor hands over its own rules alone, whatever its slot showed
        assert all(task.family in item for item in made[DOSES[0]].texts[task.id])
    again = state_memories(world, tasks, frozenset(DOSES), "Notes.", seed=5)
    other = state_memories(world, tasks, frozenset(DOSES), "Notes.", seed=6)
    assert again[DOSES[1]].shown == made[DOSES[1]].shown != other[DOSES[1]].shown
    first_true = {
        next(n for n, item in enumerate(made[DOSES[1]].shown[task.id].slot.items) if task.family in item)
        for task in tasks
    }
    assert first_true == {0, 1, 2}


def test_what_would_come_up_by_trigger_is_watched_in_both_schemas() -> None:
    world = WORLDS[0]
    wanted = frozenset({PLANTED_NATIVE, PLANTED_THEORY})
    made = state_memories(world, world.tasks("test"), wanted, "Notes.", seed=5)
    for task in world.tasks("test"):
        native, theory = (made[name].shown[task.id] for name in (PLANTED_NATIVE, PLANTED_THEORY))
        assert native.watched == theory.watched
        assert len(theory.watched) == 1


PLANT = "arms=[none, planted-native]"
LADDER = "arms=[none, dose-1]"


@pytest.mark.parametrize(
    ("arms", "world", "wanted"),
    [
        (PLANT, f"environment={{world: '{STAIRS}:Stairs'}}", r"world Stairs states none.*'test-0'"),
        (LADDER, f"environment={{world: '{STAIRS}:Stairs'}}", r"world Stairs states none.*'test-0'"),
    ],
)
def test_a_world_that_states_no_proposition_is_named_before_anything_is_done(
    tmp_path: Path, arms: str, world: str, wanted: str
) -> None:
    settings = (arms, world, "conditions=[filler]")
    spec = load_spec(write_spec(tmp_path), settings)
    with pytest.raises(SpecFault, match=wanted):
        forecast_of(check_spec(spec))
    with pytest.raises(SpecFault, match=wanted):
        run_spec(spec, tmp_path / "out", False, None, "none", True, False)
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    assert not ledger.traces("simulated/reader")
    ledger.close()


ONE_FAMILY = """
from memtrial.worlds.world import Outcome, Proposition, State, Task, Truth

class Flat:
    rules = "You open doors."
    def tasks(self, split):
        return [Task(f"{split}-{i}", "Open it.", "doors", "", split) for i in range(3)]
    def step_limit(self, task):
        return 2
    def reset(self, task):
        return State("A door.", ("open",))
    def step(self, action):
        return State("Open.", ("open",), True)
    def outcome(self):
        return Outcome(True, 1.0)
    def ground_truth(self, task):
        return Truth("Open.", ("open",), RULE)
"""
RULE = "Proposition('a door stands there', 'open it', 'it opens')"


@pytest.mark.parametrize(
    ("rule", "arms", "said"),
    [
        (RULE, LADDER, "world Flat poses tasks of 'doors' alone"),
        ("Proposition('', 'open it', 'it opens')", PLANT, "needs a situation, an action and a why"),
        ("'open it'", PLANT, "whose proposition is str"),
        ("Proposition('of the', 'open it', 'it opens')", PLANT, "'test-0' makes no Trigger"),
    ],
)
def test_what_cannot_be_planted_is_said_in_one_line(tmp_path: Path, rule: str, arms: str, said: str) -> None:
    (tmp_path / "flat.py").write_text(ONE_FAMILY.replace("RULE", rule), encoding="utf-8")
    settings = (arms, f"environment={{world: '{tmp_path}/flat.py:Flat'}}", "conditions=[filler]")
    spec = load_spec(write_spec(tmp_path), settings)
    with pytest.raises(Exception, match=said) as raised:
        run_spec(spec, tmp_path / "out", False, None, "none", True, False)
    assert "\n" not in str(raised.value)
