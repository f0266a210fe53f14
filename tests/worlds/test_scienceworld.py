"""ScienceWorld's adapter: what is typed and read, and the real simulator behind it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.protocols import World
from memtrial.worlds.scienceworld import action_commands
from memtrial.worlds.scienceworld.jvm import describe_missing, java_path, task_names
from memtrial.worlds.scienceworld.world import ScienceWorld, TaskChoice, draw_variations
from memtrial.worlds.world import State, Task, WorldFault

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = find_spec("scienceworld") is not None
needs_package = pytest.mark.skipif(not PACKAGE, reason=describe_missing(PACKAGE, True))
CHOICE = TaskChoice(n_train=2, n_test=1)
PLANT = Task("find-plant/225", "find a plant", "find-plant", "find-plant", "test")


@pytest.fixture(scope="module")
def world() -> Iterator[ScienceWorld]:
    if problem := describe_missing(PACKAGE, java_path() is not None):
        pytest.skip(problem)
    world = ScienceWorld(CHOICE)
    yield world
    world.close()


def play(world: World, task: Task, *actions: str) -> list[State]:
    return [world.reset(task), *(world.step(action) for action in actions)]


# what is installed


def test_the_message_names_what_is_missing_and_how_to_get_it() -> None:
    assert describe_missing(True, True) == ""
    assert "pip install 'memtrial[scienceworld]'" in describe_missing(False, True)
    assert "Java" not in describe_missing(False, True)
    assert "Java" in describe_missing(True, False)
    assert "pip" not in describe_missing(True, False)
    assert describe_missing(False, False).count("\n") == 0


def test_without_the_package_the_module_imports_and_the_world_says_what_to_install() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from memtrial.worlds.scienceworld.world import ScienceWorld, TaskChoice\n"
        "print('imported')\n"
        "ScienceWorld(TaskChoice())"
    )
    # -S leaves out site-packages, so the package is really absent
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "imported\n"
    last = done.stderr.strip().split("\n")[-1]
    assert last.startswith("ValueError: the world 'scienceworld' needs the package")


# what is chosen


@given(
    official=st.lists(st.integers(0, 500), unique=True, min_size=2, max_size=40),
    seed=st.integers(0, 9),
    data=st.data(),
)
def test_a_larger_draw_only_adds_and_the_order_given_does_not_matter(
    official: list[int], seed: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, len(official) - 1))
    drawn = draw_variations(official, n, "boil", seed)
    assert len(set(drawn)) == n
    assert set(drawn) <= set(official)
    assert draw_variations(sorted(official), n + 1, "boil", seed)[:n] == drawn


def test_another_seed_or_another_task_draws_others() -> None:
    draws = {draw_variations(range(150), 10, name, seed) for name in ("boil", "melt") for seed in (0, 1)}
    assert len(draws) == 4


def test_a_choice_that_cannot_be_played_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="has 3 in this split"):
        draw_variations(range(3), 4, "boil", 0)
    for wrong in (
        {"tasks": ()},
        {"tasks": ("boil", "boil")},
    ):
        with pytest.raises(ValueError, match="ScienceWorld task"):
            replace(CHOICE, **wrong)  # type: ignore[arg-type]


# what is typed and read


@pytest.mark.parametrize(
    ("action", "command"),
    [
        ("look around", "look around"),
        (" Look around. ", "Look around"),
        ("`go to kitchen`", "go to kitchen"),
        ('"focus on ant!"', "focus on ant"),
        ("'open door'.", "open door"),
        ("**open  door**\nto kitchen;", "open door** to kitchen"),
        ("", ""),
        ("focus on \udc80", "focus on"),
    ],
)
def test_an_action_becomes_one_bare_command(action: str, command: str) -> None:
    assert action_commands.clean_action(action) == command


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
def test_any_text_becomes_one_line_that_can_be_sent(action: str) -> None:
    line = action_commands.clean_action(action)
    assert "\n" not in line.encode("utf-8").decode()
    assert line == line.strip()


def test_a_question_names_all_its_readings_and_the_one_taken() -> None:
    question = "Ambiguous request: Please enter the number\n0:\topen door a\n1:\topen door b\n"
    assert action_commands.readings("open door a\n0:\topen door a") is None
    offered = action_commands.readings(question)
    assert offered == ("open door a", "open door b")
    assert action_commands.resolve_question(offered, "Done.").endswith("\nDone.")
    assert "Taken as: open door a." in action_commands.resolve_question(offered, "Done.")
    assert "open door b" in action_commands.resolve_question(offered, "Done.")


@pytest.mark.parametrize("easy", [True, False])
def test_the_rules_hold_one_pattern_a_line_and_only_what_can_be_done(easy: bool) -> None:
    patterns = re.findall(r"^- (.+)$", action_commands.rules(easy), re.MULTILINE)
    assert {"open OBJ", "go to LOC", "look around", "move OBJ to OBJ", "focus on OBJ"} <= set(patterns)
    assert ("teleport to LOC" in patterns) == easy


def test_shortenings_drop_what_did_nothing_first_and_end_with_the_walk_itself() -> None:
    walk = [
        ("open door to hall", "The door is already open."),
        ("open cupboard", "The cupboard is now open."),
        ("look around", "This room is …"),
        ("0", "No known action matches that input."),
        ("focus on ant", "You focus on the ant."),
        ("wait1", "You decide to wait for 1 iterations."),
    ]
    assert action_commands.shortenings(walk) == (
        ("open cupboard", "focus on ant"),
        ("open cupboard", "look around", "focus on ant", "wait1"),
        tuple(action for action, _ in walk),
    )


@needs_package
def test_every_task_of_the_benchmark_has_a_lesson() -> None:
    assert set(action_commands.general()) == set(task_names())
    for name in task_names():
        text = action_commands.lesson(name, ("go to kitchen", "focus on ant"))
        assert "these steps in order: `go to kitchen`, then `focus on ant`." in text
        assert "## " not in text


# the simulator


def test_an_unknown_task_is_refused_before_anything_starts(world: ScienceWorld) -> None:
    with pytest.raises(ValueError, match=r"no task fly; it has .*find-plant"):
        ScienceWorld(TaskChoice(tasks=("fly",)))
    for alien in ("boil/0", "find-plant/", "find-plant/99999", "find-plant/-1", "nothing"):
        with pytest.raises(ValueError, match=re.escape(alien)):
            world.reset(replace(PLANT, id=alien))


def test_the_digest_tells_choices_apart_and_starts_nothing(world: ScienceWorld) -> None:
    others = [replace(CHOICE, seed=1), replace(CHOICE, simplifications=""), replace(CHOICE, step_limit=9)]
    worlds = [ScienceWorld(choice) for choice in (CHOICE, *others)]
    assert world.digest == worlds[0].digest
    assert len({each.digest for each in worlds}) == 4
    assert all(each.jvm is None for each in worlds)


def test_the_splits_are_the_official_ones_and_share_nothing(world: ScienceWorld) -> None:
    train, test = world.tasks("train"), world.tasks("test")
    assert (len(train), len(test)) == (6, 3)
    assert not {task.id for task in train} & {task.id for task in test}
    for task in (*train, *test):
        assert task.id.split("/")[0] == task.family == task.template
        assert task.query.startswith("Your task is to")
    # of 300 variations of find-*, the first half trains and the last quarter tests
    found = [task for task in (*train, *test) if task.family.startswith("find")]
    assert all((int(t.id.split("/")[1]) < 150) == (t.split == "train") for t in found)
    assert all(int(t.id.split("/")[1]) >= 225 for t in found if t.split == "test")
    assert world.tasks("test") == test


@pytest.mark.parametrize("number", [0, 1, 2])  # one of each kind
def test_the_gold_path_reaches_the_full_score(world: ScienceWorld, number: int) -> None:
    task = world.tasks("test")[number]
    truth = world.ground_truth(task)
    states = play(world, task, *truth.path)
    assert [state.done for state in states] == [False] * len(truth.path) + [True]
    assert not any(state.refused for state in states)
    assert world.outcome().success
    assert world.outcome().score == 1
    assert world.outcome().cause == ""
    assert len(truth.path) <= world.step_limit(task)
    at = [truth.lesson.index(f"`{action}`") for action in truth.path]
    assert at[0] == min(at)
    with pytest.raises(ValueError, match="is over"):
        world.step("look around")


def test_the_first_view_shows_room_and_inventory_and_no_list_of_actions(world: ScienceWorld) -> None:
    state = world.reset(PLANT)
    assert "This room is called" in state.observation
    assert "In your inventory" in state.observation
    assert state.actions is None
    assert not state.refused
    assert not world.outcome().success


@pytest.mark.parametrize("free", ["task", "help", "objects"])
def test_a_won_episode_lends_nothing_to_the_next(world: ScienceWorld, free: str) -> None:
    won = world.tasks("test")[-1]
    play(world, won, *world.ground_truth(won).path)
    assert world.outcome().success
    _, state = play(world, PLANT, free)
    assert not state.done
    assert world.outcome().score < 0.5


def test_what_the_simulator_does_not_know_is_refused_and_costs_nothing(world: ScienceWorld) -> None:
    _, *states = play(world, PLANT, "dance", "", "go to the moon", "LOOK AROUND.")
    assert [state.refused for state in states] == [True, True, True, False]
    assert all(state.observation for state in states)
    assert "This room is called" in states[-1].observation


def test_a_question_does_not_swallow_the_next_command(world: ScienceWorld) -> None:
    states = play(world, PLANT, "teleport to greenhouse", "pick up flower pot", "inventory")
    question, after = states[2], states[3]
    taken = re.search(r"Taken as: pick up (flower pot \d)", question.observation)
    assert taken
    assert "It could also mean: pick up flower pot" in question.observation
    assert not question.refused
    assert after.observation.startswith("In your inventory")
    assert taken[1] in after.observation


def test_a_wrong_focus_ends_the_episode_as_a_failure(world: ScienceWorld) -> None:
    *before, last = play(world, PLANT, "look around", "focus on table")
    assert not any(state.done for state in before)
    assert last.done
    assert world.outcome().score == 0
    assert not world.outcome().success
    assert world.outcome().cause == "wrong focus"


SCRIPT = (
    "teleport to kitchen",
    "look around",
    "open door",
    "pick up orange",
    "inventory",
    "wait1",
    "look around",
)


def test_a_killed_jvm_is_a_fault_and_the_next_tells_the_same_whatever_was_played_before(
    world: ScienceWorld, caplog: pytest.LogCaptureFixture
) -> None:
    first = play(world, PLANT, *SCRIPT)
    assert any("ambiguous" in state.observation for state in first)
    other = world.tasks("train")[-1]
    play(world, other, "look around")
    world.ground_truth(other)
    assert play(world, PLANT, *SCRIPT) == first
    assert world.jvm
    old = world.jvm.pid
    os.kill(old, signal.SIGKILL)
    with pytest.raises(WorldFault, match="JVM"):
        world.step("look around")
    with pytest.raises(WorldFault, match="reset"):
        world.outcome()
    # another history in the fresh JVM: the same task comes third, not first
    play(world, other, "look around")
    assert world.jvm.pid != old
    play(world, world.tasks("test")[0], *SCRIPT)
    assert play(world, PLANT, *SCRIPT) == first
    assert not world.step("look around").refused
    assert not caplog.records


def test_steps_may_come_from_another_thread(world: ScienceWorld) -> None:
    here = play(world, PLANT, "look around")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(play, world, PLANT, "look around").result() == here


def test_closing_twice_ends_the_child_once(world: ScienceWorld) -> None:
    world.reset(PLANT)
    assert world.jvm
    pid = world.jvm.pid
    world.close()
    world.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(ValueError, match="no episode"):
        world.step("look around")
    with pytest.raises(ValueError, match="no episode"):
        world.outcome()
