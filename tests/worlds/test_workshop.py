"""The workshop's laws: rules that nobody can see, that hold inside a family and nowhere else."""

import re
from functools import cache

import numpy as np
import pytest

from memtrial.models.simulated.advice import read
from memtrial.models.simulated.text import content
from memtrial.worlds.workshop.task_families import MachineFamily, draw_families
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Outcome, State, Task

N_TEST = 200
SIZES = (8, 10, 12)


@cache
def world(seed: int, families: int = 12) -> Workshop:
    return Workshop(seed, n_train=36, n_test=N_TEST, families=families)


@cache
def families(seed: int, n: int = 12) -> dict[str, MachineFamily]:
    return {family.machine: family for family in draw_families(seed, n)}


def family_of(seed: int, task: Task) -> MachineFamily:
    return families(seed)[task.family]


def walk(one: Workshop, task: Task, path: tuple[str, ...]) -> State:
    state = one.reset(task)
    for action in path:
        state = one.step(action)
    return state


def lit(one: Workshop, task: Task) -> State:
    """The state in which the panel is lit, after the waiting."""
    return walk(one, task, tuple(action for action in one.ground_truth(task).path if action == "wait"))


def signed(seed: int, task: Task) -> bool:
    return family_of(seed, task).sign in world(seed).reset(task).observation


# -- generation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_there_are_at_least_eight_families_and_every_trait_among_them(n):
    for split in ("train", "test"):
        found = {task.family for task in world(0, n).tasks(split)}
        assert found == families(0, n).keys()
        assert len(found) == n >= 8
    assert {family.trait for family in draw_families(0, n)} == {"plain", "exception", "check", "delayed"}


@pytest.mark.parametrize("n", [0, 7, 13])
def test_other_numbers_of_families_are_refused(n):
    with pytest.raises(ValueError, match="8 to 12"):
        Workshop(0, families=n)


def transcript(one: Workshop) -> list[tuple[Task, State, str, tuple[str, ...]]]:
    return [
        (task, one.reset(task), one.ground_truth(task).lesson, one.ground_truth(task).path)
        for split in ("train", "test")
        for task in one.tasks(split)
    ]


def test_the_same_seed_is_the_same_world_and_another_seed_another():
    fresh = Workshop(3, 36, N_TEST)
    assert fresh.digest == world(3).digest
    assert transcript(fresh) == transcript(world(3))
    others = [
        Workshop(4, 36, N_TEST),
        Workshop(3, 35, N_TEST),
        Workshop(3, 36, 1),
        Workshop(3, 36, N_TEST, 8),
    ]
    assert len({fresh.digest, *(other.digest for other in others)}) == 5
    assert transcript(fresh)[0][2:] != transcript(others[0])[0][2:]
    assert len({Workshop(seed, 1, 0).tasks("train")[0].query for seed in range(8)}) > 4


def test_more_tasks_leave_the_first_ones_as_they_are():
    assert world(5).tasks("test")[:40] == Workshop(5, 36, 40).tasks("test")


def test_task_ids_are_unique_and_the_splits_apart():
    ids = [task.id for split in ("train", "test") for task in world(0).tasks(split)]
    assert len(ids) == len(set(ids)) == 36 + N_TEST
    assert all(task.split == split for split in ("train", "test") for task in world(0).tasks(split))


@pytest.mark.parametrize("seed", range(5))
def test_no_two_families_share_a_state_a_sign_a_material_or_a_control(seed):
    def materials(family: MachineFamily) -> set[str]:
        return {control.split()[2] for control in family.controls}

    kinds = [
        lambda family: set(family.states),
        lambda family: {family.sign},
        materials,
        lambda family: {*family.controls, family.test, family.hand_over},
    ]
    for kind in kinds:
        sets = [kind(family) for family in families(seed).values()]
        assert sum(map(len, sets)) == len(set().union(*sets))


@pytest.mark.parametrize("seed", range(5))
def test_the_rule_of_a_family_is_three_different_controls(seed):
    for family in families(seed).values():
        assert len({*family.works, family.exception}) == 3
        assert {*family.works, family.exception} <= set(family.controls)


# -- solving -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_every_path_solves_its_task_within_the_limit(seed, n):
    one = world(seed, n)
    for split in ("train", "test"):
        for task in one.tasks(split):
            path = one.ground_truth(task).path
            assert len(path) < one.step_limit(task)
            state = one.reset(task)
            for action in path:
                assert not state.done
                assert action in state.actions
                state = one.step(action)
                assert not state.refused
            assert state.done
            assert one.outcome() == Outcome(True, 1.0)


def test_a_reset_begins_anew():
    one = world(0)
    for task in one.tasks("test")[:24]:
        before = one.reset(task)
        walk(one, task, one.ground_truth(task).path)
        assert one.reset(task) == before
        assert one.outcome() == Outcome(False, 0.0)


# -- what is odd about some tasks --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_where_the_sign_shows_the_rule_breaks_the_machine_and_the_exception_works(seed):
    one, found = world(seed), 0
    for task in one.tasks("test"):
        family = family_of(seed, task)
        assert family.trait == "exception" or not signed(seed, task)
        if not signed(seed, task):
            continue
        found += 1
        state = one.reset(task)
        rule = next(
            act for sight, act in zip(family.states, family.works, strict=True) if sight in state.observation
        )
        assert one.step(rule).done
        assert not one.outcome().success
        assert one.outcome().cause
        assert walk(one, task, (family.exception,)).done
        assert one.outcome().success
    assert found >= 4


def test_exceptions_are_some_of_their_families_tasks_and_not_all():
    tasks = [(seed, t) for seed in range(4) for t in world(seed).tasks("test")]
    mine = [signed(seed, task) for seed, task in tasks if family_of(seed, task).trait == "exception"]
    assert 0.1 < np.mean(mine) < 0.4


@pytest.mark.parametrize("seed", range(3))
def test_a_sign_off_without_the_check_fails(seed):
    one = world(seed)
    checked = [task for task in one.tasks("test") if family_of(seed, task).trait == "check"]
    assert len(checked) >= 20
    for task in checked:
        family = family_of(seed, task)
        *start, test, sign_off = one.ground_truth(task).path
        assert (test, sign_off) == (family.test, family.hand_over)
        running = walk(one, task, tuple(start))
        assert not running.done
        assert one.outcome().score == 0.5
        assert one.step(sign_off).done
        assert (one.outcome().success, one.outcome().score) == (False, 0.5)
        assert "check" in one.outcome().cause


@pytest.mark.parametrize("seed", range(3))
def test_a_delayed_state_shows_only_after_waiting(seed):
    one, found = world(seed), 0
    for task in one.tasks("test"):
        family, path = family_of(seed, task), one.ground_truth(task).path
        state = one.reset(task)
        waits = path.count("wait")
        assert (waits > 0) == (family.trait == "delayed")
        for _ in range(waits):
            found += 1
            assert not any(sight in state.observation for sight in family.states)
            assert state.actions == ("wait",)
            state = one.step("wait")
        assert sum(sight in state.observation for sight in family.states) == 1
        assert waits == 0 or waits >= 2
    assert found >= 50


def test_some_queries_name_another_familys_product():
    strangers = []
    for seed in range(4):
        made = {product: family.machine for family in families(seed).values() for product in family.products}
        for task in world(seed).tasks("test"):
            product = re.search(r"running for (\w+) by", task.query)[1]
            strangers.append(made[product] != task.family)
            assert task.family in task.query
    assert 0.03 < np.mean(strangers) < 0.2


# -- what can be seen --------------------------------------------------------------------------------------


def test_what_is_not_on_the_list_is_refused_and_changes_nothing():
    one = world(0)
    for task in one.tasks("test"):
        before = lit(one, task)
        for action in ("", "dance", "think again", one.ground_truth(task).path[-1] + " twice"):
            state = one.step(action)
            assert state.refused
            assert (state.actions, state.done) == (before.actions, False)
        assert one.outcome() == Outcome(False, 0.0)
        for action in one.ground_truth(task).path:
            assert action == "wait" or not one.step(action).refused
        assert one.outcome().success
        assert one.step(one.ground_truth(task).path[-1]).refused  # it is over
        assert one.outcome().success


def test_case_and_a_full_stop_do_not_matter():
    one = world(0)
    for task in one.tasks("test")[:24]:
        walk(one, task, tuple(f" {action.upper()}. " for action in one.ground_truth(task).path))
        assert one.outcome().success


@pytest.mark.parametrize("seed", range(3))
def test_the_observation_never_names_the_control_that_works(seed):
    one = world(seed)
    for task in one.tasks("test"):
        works = next(action for action in one.ground_truth(task).path if action != "wait")
        name = works.split(" the ", 1)[1]
        seen = [one.reset(task), lit(one, task), one.step("dance")]
        wrong = next(a for a in seen[1].actions if a not in {*family_of(seed, task).works, works})
        seen.append(one.step(wrong))
        for state in seen:
            plain, _, dust = state.observation.partition("Thick dust lies on")
            assert name not in plain
            assert name not in dust  # what is out of use never works
            assert name not in task.query


@pytest.mark.parametrize("seed", range(3))
def test_a_lesson_fits_its_own_familys_scenes_and_no_others(seed):
    one = world(seed)
    lessons = {machine: read(family.lesson()) for machine, family in families(seed).items()}
    for task in one.tasks("test"):
        scene = content(lit(one, task).observation) | content(task.query)
        fitting = {machine for machine, advice in lessons.items() if any(one.fits(scene) for one in advice)}
        assert fitting == {task.family}


def test_a_lesson_is_the_same_for_all_tasks_of_a_family_and_holds_for_them():
    one = world(1)
    told: dict[str, set[str]] = {}
    for task in one.tasks("train") + one.tasks("test"):
        truth = one.ground_truth(task)
        told.setdefault(task.family, set()).add(truth.lesson)
        assert all(action in truth.lesson for action in truth.path if action != "wait")
    assert all(len(lessons) == 1 for lessons in told.values())


def test_a_step_before_a_reset_is_a_mistake_in_the_code():
    with pytest.raises(ValueError, match="reset"):
        Workshop(0, 1, 1).step("wait")
