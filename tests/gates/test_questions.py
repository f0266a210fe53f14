"""What a judge is shown beside an item: examples of other domains, other tasks without their outcomes."""

import asyncio
import json
from dataclasses import replace

import pytest

from memtrial.agents.trajectory import Trajectory
from memtrial.gates.calibration.labelled_items import HELD_OUT, read_fixtures
from memtrial.gates.calibration.regression import gate_digest
from memtrial.gates.gate import GateCase, Surroundings
from memtrial.gates.judged_gate import JudgedGate, question_on, shown_digests
from memtrial.gates.questions.other_tasks import LONGEST_QUERY, LONGEST_STATE, MOST_TASKS, show_other_tasks
from memtrial.gates.questions.worked_examples import FOLDER, digest_of_examples, read_examples, show_examples
from memtrial.gates.suite import ALL, NAMES
from memtrial.judges.closed_question import ClosedQuestion, JudgeAnswer
from memtrial.memory.item_roles import roles_of
from tests.support.scripted_judge import GOOD, SOLVED

JUDGED = [kind for kind in ALL if kind.judged]
SHOWS_OTHERS = {"refuter", "source-residue"}


@pytest.mark.parametrize("kind", JUDGED, ids=lambda kind: kind.name)
def test_each_question_has_examples_of_three_domains_that_no_fixture_is_of(kind):
    examples = read_examples(kind.name)
    domains = {example.domain for example in examples}
    assert len(domains) == len(examples) >= 3
    fixtures = (*read_fixtures(gates=NAMES), *read_fixtures(HELD_OUT, NAMES))
    assert not domains & {fixture.domain for fixture in fixtures}
    for example in examples:
        assert example.verdict in ("fail", "warn")
        assert example.flagged != example.sound
        assert all("(step " in why and "\n" not in why for why in (example.why_flagged, example.why_sound))
        step = kind.question.render().count("\n") - 2
        assert all(f"(step {number})" not in example.why_sound for number in range(step + 1, 10))


def test_the_examples_are_files_of_gates_that_ask():
    assert {path.stem for path in FOLDER.iterdir()} == {kind.name for kind in JUDGED}


@pytest.mark.parametrize("kind", JUDGED, ids=lambda kind: kind.name)
def test_one_flagged_and_one_sound_wording_are_shown_and_neither_is_of_the_items_domain(kind):
    examples = read_examples(kind.name)
    for own in examples:
        shown = show_examples(kind.name, f"{own.flagged} {own.run}")
        others = [example for example in examples if example is not own]
        assert own.flagged not in shown
        assert own.sound not in shown
        (flagged,) = (example for example in others if example.flagged in shown)
        (sound,) = (example for example in others if example.sound in shown)
        assert flagged is not sound
        assert f"Answer: {flagged.verdict}. {flagged.why_flagged}" in shown
        assert f"Answer: pass. {sound.why_sound}" in shown


def test_the_digest_of_a_gate_covers_all_that_its_judge_is_shown():
    for kind in JUDGED:
        digests = shown_digests(kind)
        assert digests[f"examples of {kind.name}"] == digest_of_examples(kind.name)
        assert {f"prompt {kind.question.name}", "prompt judge", "prompt worked_examples"} <= set(digests)
        assert ("prompt other_tasks" in digests) is (kind.name in SHOWS_OTHERS)
        assert gate_digest(replace(kind, sees_others=not kind.sees_others)) != gate_digest(kind)
    assert len({digest_of_examples(kind.name) for kind in JUDGED}) == len(JUDGED)
    assert [shown_digests(kind) for kind in ALL if not kind.judged] == [{}]


def other(number: int, query: str = "Fetch the hat", start: str = "A hall.") -> Trajectory:
    return replace(
        SOLVED, task_id=f"o{number}", trace_id=f"o{number}", query=f"{query} {number}", start=start,
        outcome="failure", reason="it fell",
    )  # fmt: skip


def asked(kind, around) -> ClosedQuestion:
    return question_on(kind, GateCase(GOOD, roles_of(GOOD), SOLVED, around=around))


def test_two_gates_are_shown_other_tasks_and_no_others_are():
    around = Surroundings((SOLVED, other(1), other(2)))
    for kind in JUDGED:
        question = asked(kind, around)
        assert question.text == kind.question.render()
        assert question.examples
        assert bool(question.other_tasks) is (kind.name in SHOWS_OTHERS)
        assert not asked(kind, Surroundings((SOLVED,))).other_tasks


def test_other_tasks_are_told_without_the_own_one_and_without_how_they_ended():
    shown = show_other_tasks("A lid.", "box", (SOLVED, other(1), replace(other(1), trace_id="again")), "full")
    assert shown.count("Other task ") == 1
    assert "Fetch the hat 1\nFirst state: A hall." in shown
    for hidden in (SOLVED.query, SOLVED.start, "fell", *(step.action for step in SOLVED.steps)):
        assert hidden not in shown


def test_those_that_share_most_with_the_item_come_first_and_the_rest_is_left_out():
    near = other(99, "Open the lid of the brass box", "A brass box with a lid.")
    many = (*(other(number) for number in range(2 * MOST_TASKS)), near)
    shown = show_other_tasks("Press the stud of a brass box with a lid.", "box", many, "full")
    assert shown.count("Other task ") == MOST_TASKS
    assert f"Other task 1: {near.query}" in shown


def test_what_is_shown_of_a_task_is_bounded_and_is_what_condensers_see():
    long = other(1, "q" * 10_000, "s\n" * 100_000)
    shown = show_other_tasks("A lid.", "box", (long,), "full")
    assert LONGEST_QUERY + LONGEST_STATE < len(shown) < LONGEST_QUERY + LONGEST_STATE + 400
    assert "…" in shown
    assert "First state" not in show_other_tasks("A lid.", "box", (other(1),), "actions")


@pytest.mark.parametrize("word", ["PASS", "WARN", "FAIL"])
def test_the_judge_is_handed_what_the_question_holds(word):
    met = []

    async def judge(question, item, trajectory):
        met.append(question)
        return JudgeAnswer(word, "Its lid is shut", "item", "So it is.")

    around = Surroundings((SOLVED, other(1)))
    for kind in JUDGED:
        asyncio.run(JudgedGate(kind, judge, around=around)(replace(GOOD, form='check: state: "lid"'), SOLVED))
    assert len(met) == len(JUDGED)
    assert all(question.examples for question in met)
    assert sum(bool(question.other_tasks) for question in met) == len(SHOWS_OTHERS)


def test_examples_are_one_line_each_and_hold_no_text_of_a_template():
    for path in FOLDER.iterdir():
        for line in path.read_text("utf-8").splitlines():
            assert "{{" not in line
            assert len(" ".join(json.loads(line).values()).split()) < 220
