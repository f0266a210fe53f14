"""Single-turn sets as a world: one question a task, one answer, and nothing that tells if it is right."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.action_choice import ChoiceAgent
from memtrial.agents.direct import DirectAgent
from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.agents.react import ReAct
from memtrial.agents.slot import NOTHING
from memtrial.arms.arm import PREPEND
from memtrial.faults import SpecFault
from memtrial.protocols import Agent
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.single_turn.answers.answer_grade import grade_answer
from memtrial.worlds.single_turn.answers.equation_answer import carry_out, solves
from memtrial.worlds.single_turn.answers.maths_process import MathsProcess
from memtrial.worlds.single_turn.answers.word_overlap import overlap
from memtrial.worlds.single_turn.invented_questions import TREATMENTS
from memtrial.worlds.single_turn.question import KINDS, AnswerKind, PosedQuestion
from memtrial.worlds.single_turn.question_set import QuestionSet
from memtrial.worlds.single_turn.world import SingleTurn, invent_world
from memtrial.worlds.world import Outcome
from tests.support.given_readers import NO_ALGEBRA
from tests.support.scripted import caller_of, saying
from tests.support.small import write_spec

METALS = ("zinc", "copper")
ASKED: Mapping[str, PosedQuestion] = {
    question.id: question
    for question in (
        PosedQuestion("number", "How many?", "number", ("42",)),
        PosedQuestion("choice", "Which metal is red?", "choice", ("B",), METALS),
        PosedQuestion("text", "Who wrote it?", "text", ("Jane Austen", "Austen")),
        PosedQuestion("label", "True?", "label", ("SUPPORTS",), ("REFUTES", "SUPPORTS")),
        PosedQuestion("equation", "4 ? 20 ? 2 = 44", "equation", ("44",)),
    )
}


def world_of(*questions: PosedQuestion) -> SingleTurn:
    return SingleTurn(QuestionSet((), questions, len(questions), "as the files say"))


def answered(name: str, reply: str) -> tuple[Outcome, str]:
    world = world_of(ASKED[name])
    world.reset(world.tasks("test")[0])
    state = world.step(reply)
    assert state.done
    assert state.refused == (world.outcome().cause == "broken format")
    return world.outcome(), state.observation


@pytest.mark.parametrize(
    ("name", "right", "wrong", "unreadable"),
    [
        ("number", "So \\boxed{42}", "43", "many"),
        ("choice", "Answer: (B)", "A", "gold"),
        ("text", "The answer is Austen.", "Charlotte Brontë", ""),
        ("label", "supports", "This refutes it.", "maybe"),
        ("equation", "4 + 20 * 2 = 44", "4 * 20 - 2 = 44", "44"),
    ],
)
def test_an_answer_is_right_or_wrong_or_a_failure_of_form(
    name: str, right: str, wrong: str, unreadable: str
) -> None:
    assert answered(name, right)[0] == Outcome(True, 1.0)
    assert answered(name, wrong)[0] == Outcome(False, 0.0, "wrong answer")
    outcome, shown = answered(name, unreadable)
    assert outcome == Outcome(False, 0.0, "broken format")
    assert shown.startswith("No answer can be read in that: ")


def test_nothing_that_is_shown_tells_whether_an_answer_is_right() -> None:
    texts = {answered("choice", letter)[1].replace(letter, "") for letter in "AB"}
    assert texts == {"Your answer is taken down: "}


def test_a_short_answer_scores_the_words_that_it_shares_and_succeeds_as_a_whole() -> None:
    assert answered("text", "Answer: Jane")[0] == Outcome(False, pytest.approx(2 / 3), "wrong answer")
    # all the words in another order are no exact match
    assert answered("text", "Answer: Austen Jane")[0] == Outcome(False, 1.0, "wrong answer")
    assert (overlap("the cat", "a cat"), overlap("yes it is", "yes"), overlap("x", "y")) == (1, 0, 0)
    # 4 of 5 and 4 of 6 words: F1 as SQuAD reckons it
    assert overlap("one two three four five", "one two three four six seven") == pytest.approx(8 / 11)


def test_an_equation_is_carried_out_with_products_first_and_its_own_numbers() -> None:
    assert carry_out("14 - 16 / 20 * 15 + 23") == 25
    assert carry_out("-3 + 5") == 2
    assert carry_out("3 / 0") is None
    assert solves("4 + 20 * 2", "4 ? 20 ? 2 = 44", "44")
    assert not solves("4 + 2 * 20", "4 ? 20 ? 2 = 44", "44")


PIECES = (
    *(
        "\\boxed{",
        "}",
        "{",
        "\\frac",
        "\\frac12",
        "\\text{",
        "$",
        "(",
        ")",
        "[",
        "]",
        "^",
        "**",
        "/",
        "%",
        "-",
    ),
    *("−", "not ", "n't ", "is ", "The answer is ", "Answer:", "\n", " ", "or ", "and ", "=", ",", ".", "e"),
    *("E+", "10^", "7", "42", "0", "1/0", "9" * 400, "1e999999", "٣", "½", "∞", "A", "B", "(C)", "option "),
    *("copper", "</think>", "####", "<answer>", "</answer>", "finish[", "\ud800", "\0", "é", "\\circ"),
    *("\\overline{3}", "x>", "\\left"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.sampled_from(KINDS))
@settings(max_examples=200)
def test_no_reply_is_an_error(reply: str, kind: AnswerKind) -> None:
    options = METALS if kind in ("choice", "label") else ()
    right = "44" if kind in ("number", "equation") else "B" if kind == "choice" else "zinc"
    grade = grade_answer(PosedQuestion("q", "4 ? 20 ? 2 = 44", kind, (right,), options), reply, NO_ALGEBRA)
    assert 0 <= grade.score <= 1
    assert bool(grade.read) != bool(grade.unread)


def test_the_second_answer_is_refused_and_the_first_stays() -> None:
    world = world_of(ASKED["number"])
    with pytest.raises(ValueError, match="call reset"):
        world.step("42")
    world.reset(world.tasks("test")[0])
    world.step("41")
    assert world.step("42").refused
    assert not world.outcome().success


def test_the_digest_is_of_questions_and_answers() -> None:
    question = ASKED["choice"]
    changes: list[dict[str, Any]] = [
        {},
        {"answers": ("A",)},
        {"text": "Which?"},
        {"options": ("copper", "zinc")},
    ]
    assert len({world_of(replace(question, **change)).digest for change in changes}) == len(changes)
    assert world_of(question).digest == world_of(replace(question)).digest


# -- how agents play it


def played(agent: Agent, question: PosedQuestion, *replies: str) -> Episode:
    world = world_of(question)
    caller: Any = caller_of(saying(*replies))
    return asyncio.run(play(agent, world, world.tasks("test")[0], caller, PREPEND(NOTHING, ())))


@pytest.mark.parametrize(
    ("agent", "reply"),
    [
        (DirectAgent(), "Copper is red.\nAnswer: B"),
        (ReAct(), "Thought: Copper is red: (A) is zinc.\nAction: \\boxed{B}"),
        (ChoiceAgent(), "B"),
    ],
    ids=["direct", "react", "choice"],
)
def test_each_agent_that_ships_can_play_it(agent: Agent, reply: str) -> None:
    episode = played(agent, ASKED["choice"], reply)
    assert (episode.outcome, len(episode.steps)) == (Outcome(True, 1.0), 1)
    asked = "\n".join(message.text for message in episode.conversation)
    assert "Which metal is red?" in asked
    assert "A. zinc\nB. copper" in asked


def test_a_reply_without_an_action_is_a_failure_of_form_too() -> None:
    outcome = played(ReAct(), ASKED["number"], "42").outcome
    assert outcome == Outcome(False, 0.0, "broken format")


# -- the invented set


def test_offices_treat_a_mark_alike_in_both_splits_and_no_office_as_another() -> None:
    world = invent_world(5, 40, 40)
    treatment: dict[tuple[str, str], str] = {}
    for split in ("train", "test"):
        for task in world.tasks(split):
            state, truth = world.reset(task), world.ground_truth(task)
            mark = state.observation.partition("\n")[0]
            assert state.actions == TREATMENTS
            assert truth.proposition is not None
            assert truth.proposition.situation in mark[0].lower() + mark[1:]
            assert truth.path[0] not in task.query + mark
            assert treatment.setdefault((task.family, mark), truth.path[0]) == truth.path[0]
    assert len(treatment) == 20
    assert invent_world(5, 40, 40).digest == world.digest != invent_world(6, 40, 40).digest


# -- in a spec

SPEC = """
name: questions
environment: {world: single_turn}
backbone: simulated/reader
arms: [none, oracle]
"""


def test_a_spec_names_a_set_beside_it_and_its_size(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    rows = [f'{{"question": "What is in box {letter}?", "answer": "{letter}"}}' for letter in "abcdefgh"]
    (tmp_path / "set" / "all.jsonl").write_text("\n".join(rows))
    text = SPEC.replace("single_turn}", "single_turn, questions: set, train: 3, test: 4}")
    world = open_world(load_spec(write_spec(tmp_path, text)))
    assert (len(world.tasks("train")), len(world.tasks("test")), world.blocking) == (3, 4, False)


def test_a_kind_without_questions_is_refused(tmp_path: Path) -> None:
    text = SPEC.replace("single_turn}", "single_turn, kind: maths}")
    with pytest.raises(SpecFault, match=r"environment\.kind is of questions of yours"):
        open_world(load_spec(write_spec(tmp_path, text)))


# -- the process that compares


def test_a_hostile_answer_is_ended_and_the_next_is_compared_as_ever() -> None:
    pytest.importorskip("math_verify", reason="math-verify is not installed: it comes with the extra maths")
    process = MathsProcess(cpu_s=1.0)
    try:
        assert process.same("\\frac{x}{2}", "0.5x")
        assert not process.same("42", "9^{9^{9^{9}}}")
        assert process.n_ended == 1
        assert process.same("2\\sqrt{2}", "\\sqrt{8}")
        assert process.n_ended == 1
    finally:
        process.close()


def test_a_pattern_that_never_ends_is_ended_and_needs_no_algebra() -> None:
    process = MathsProcess(algebra=False, cpu_s=0.3)
    question = PosedQuestion("p", "Which colour?", "pattern", ("gr[ae]y", "(a+)+b"))
    world = SingleTurn(QuestionSet((), (question,), 1, ""), process)
    for reply, cause in (("Answer: grey", ""), ("a" * 60, "wrong answer")):
        world.reset(world.tasks("test")[0])
        world.step(reply)
        assert world.outcome().cause == cause
    assert (world.blocking, process.n_ended) == (True, 1)
    world.close()
