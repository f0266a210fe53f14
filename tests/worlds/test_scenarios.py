"""The scenarios' laws: a variant is solved by whoever has all of its lessons, and by nobody by habit."""

import asyncio
import json
from pathlib import Path

import pytest

from memtrial.models.simulated.advice import read
from memtrial.models.simulated.text import content
from memtrial.plugins.conformance.laws import hold
from memtrial.plugins.conformance.world_laws import WORLDS
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.scenarios.attempts import attempt, count_attempts, follow_notes
from memtrial.worlds.scenarios.scenario import Scenario, Sign, carry_out
from memtrial.worlds.scenarios.world import SCENARIOS, Scenarios
from memtrial.worlds.world import Proposition, Task
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

WORLD = Scenarios(3, 10, 40)
TASKS = WORLD.tasks("test")


def rules_of(task: Task) -> tuple[Proposition, ...]:
    """The lessons of the signs that this variant shows."""
    truth = WORLD.ground_truth(task)
    return tuple(rule for rule in (truth.proposition, *truth.further) if rule and rule.action in truth.path)


def every_sign() -> list[tuple[Scenario, Sign]]:
    return [(scenario, sign) for scenario in SCENARIOS for each in scenario.decisions for sign in each.signs]


def test_the_scenarios_keep_the_laws_of_worlds() -> None:
    results = asyncio.run(hold(WORLDS, lambda: Scenarios(3, 10, 10)))
    assert [result for result in results if not result.passed] == []


def test_there_are_five_each_with_variants_in_both_splits() -> None:
    for split in ("train", "test"):
        tasks = WORLD.tasks(split)
        assert {task.family for task in tasks} == {scenario.name for scenario in SCENARIOS}
        assert len({task.id for task in tasks}) == len(tasks)
    assert all(len(scenario.mixes) >= 8 for scenario in SCENARIOS)
    assert len({task.query for task in TASKS}) > len(TASKS) // 2


@pytest.mark.parametrize(("scenario", "sign"), every_sign(), ids=lambda each: getattr(each, "works", ""))
def test_each_planted_cause_loses_a_part_of_every_size_and_no_other_way_prevents_it(
    scenario: Scenario, sign: Sign
) -> None:
    decision = next(each for each in scenario.decisions if sign in each.signs)
    assert len(set(decision.ways)) == 4
    for size in scenario.sizes:
        for way in decision.ways:
            report = carry_out((sign,), (way,), size)
            assert (report.cause is None) == (report.done == size) == (way == sign.works)
            assert 0 <= report.done <= size


def test_a_sign_is_a_situation_of_one_lesson_alone() -> None:
    signs = [sign for _, sign in every_sign()]
    assert len({sign.shown for sign in signs}) == len({sign.works for sign in signs}) == len(signs) == 36
    for sign in signs:
        assert sign.rule.situation not in (other.rule.situation for other in signs if other is not sign)
        assert not any(character.isdigit() or character in ".!?" for character in sign.shown)


@pytest.mark.parametrize("sign", [sign for _, sign in every_sign()], ids=lambda sign: sign.works)
def test_a_lesson_is_read_by_simulated_participants_as_it_is_meant(sign: Sign) -> None:
    (advice,) = read(f"When {sign.rule.situation}, {sign.rule.action}.")
    (act,) = advice.acts
    assert (advice.do, act.text) == (True, sign.works)
    assert advice.fits(content(sign.shown))
    assert not advice.fits(content("The lamp glows"))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_it_is_solved_if_and_only_if_every_lesson_is_in_memory(task: Task) -> None:
    rules = rules_of(task)
    assert len(rules) >= 3
    assert attempt(WORLD, task, rules) is None
    assert WORLD.outcome().success
    for missing in rules:
        others = tuple(rule for rule in rules if rule is not missing)
        assert attempt(WORLD, task, others) == missing
        assert not WORLD.outcome().success
    foreign = tuple(rule for scenario in SCENARIOS if scenario.name != task.family for rule in scenario.rules)
    assert attempt(WORLD, task, foreign) is not None


def test_the_first_failure_is_the_one_that_is_seen_and_work_is_lost_for_each() -> None:
    first, second = (sign for _, sign in every_sign()[:4:2])
    report = carry_out((first, second), ("no way", "no way"), 480)
    assert report.cause is first
    assert report.done < carry_out((first, second), ("no way", second.works), 480).done


def test_a_decision_that_is_not_on_the_list_is_refused_and_asked_again() -> None:
    task = TASKS[0]
    before = WORLD.reset(task)
    after = WORLD.step("do what you think")
    assert after.refused
    assert after.actions == before.actions
    for action in WORLD.ground_truth(task).path:
        state = WORLD.step(action)
    assert state.done
    assert WORLD.outcome().success


def test_notes_of_failures_end_them_and_without_notes_nothing_is_learnt() -> None:
    without = count_attempts(WORLD, TASKS, keeps_notes=False, most=6)
    noted = count_attempts(WORLD, TASKS, keeps_notes=True, most=6)
    assert not any(each.solved for each in without)
    assert {each.n for each in without} == {6}
    assert all(each.solved for each in noted)
    # a first variant costs an attempt for each of its causes; once all are known none costs a second
    for each in noted[: len(SCENARIOS)]:
        assert each.n == len(rules_of(each.task)) + 1
        assert len(set(each.causes)) == each.n - 1
    assert sum(each.n - 1 for each in noted) <= 36
    assert {each.n for each in noted[-10:]} == {1}


def test_notes_are_followed_where_their_situation_shows_and_nowhere_else() -> None:
    note = Proposition("the lamp glows", "wait", "it works")
    assert follow_notes("The lamp glows.", ("go", "wait"), (note,)) == "wait"
    assert follow_notes("The lamp is off.", ("go", "wait"), (note,)) == "go"
    assert follow_notes("The lamp glows.", ("go", "stay"), (note,)) == "go"


SPEC = """
name: scenarios
environment: {world: scenarios, train: 5, test: 10}
backbone: simulated/reader
arms: [none, oracle]
conditions: [corrupt_invert]
repeats: 1
"""


def test_a_spec_plays_them(tmp_path: Path) -> None:
    assert play_spec(load_spec(write_spec(tmp_path, SPEC)), tmp_path / "out") == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    scores = {(cell["arm"], cell["condition"]): cell["score"] for cell in results["cells"]}
    assert scores["oracle", "intact"] == 1.0
    assert scores["none", "without"] < 0.3 > scores["oracle", "corrupt_invert"]
