"""Program and judge are both asked, and the worst of their findings is reported with the others beside it."""

import asyncio
from dataclasses import replace
from itertools import permutations

import pytest

from memtrial.gates.gate import SEVERITY, Finding, GateKind, Ruling, worst_of
from memtrial.gates.judged_gate import JudgedGate
from memtrial.gates.suite import ALL, NEGATIVE_CONTROLS, SEED_SUBSET
from memtrial.judges.closed_question import JudgeAnswer
from tests.support.scripted_judge import GOOD, SOLVED, item

KINDS = {kind.name: kind for kind in ALL}
PROVEN, DOUBTED = Ruling("proven", "Its lid is shut", "quote"), Ruling("doubted", "then the lid")


def finding(word: str) -> Finding:
    return Finding("refuter", word, "a", "item", word)


def examine(kind: GateKind, word: str, one=GOOD) -> tuple[Finding, int]:
    asked = []

    async def judge(question, text, trajectory):
        asked.append(question)
        return JudgeAnswer(
            word, None if word == "ERROR" else "Its lid is shut", "item", "The judge has it so."
        )

    return asyncio.run(JudgedGate(kind, judge)(one, SOLVED)), len(asked)


def ruled(*rulings: Ruling) -> GateKind:
    return replace(KINDS["refuter"], rule=lambda case: iter(rulings))


@pytest.mark.parametrize("words", [*permutations(("WARN", "FAIL", "PASS", "ERROR"))])
def test_whatever_the_order_the_worst_is_reported_and_the_others_are_kept(words):
    worst = worst_of(map(finding, words))
    assert [each.finding for each in worst.every] == ["FAIL", "ERROR", "WARN", "PASS"]
    assert worst_of(map(finding, words[:1])) == finding(words[0])


@pytest.mark.parametrize("word", ["PASS", "WARN", "ERROR", "FAIL"])
@pytest.mark.parametrize("rulings", [(), (DOUBTED,), (PROVEN,), (DOUBTED, PROVEN), (PROVEN, DOUBTED)])
def test_the_judge_is_asked_whatever_the_program_says(rulings, word):
    worst, calls = examine(ruled(*rulings), word)
    assert calls == 1
    told = [word, *(ruling.verdict for ruling in rulings)]
    assert worst.finding == max(told, key=SEVERITY.index)
    assert sorted(each.finding for each in worst.every) == sorted(told)


def test_a_warning_of_the_program_is_no_answer_where_the_judge_could_not_be_read():
    assert examine(ruled(DOUBTED), "ERROR")[0].finding == "ERROR"
    assert examine(ruled(PROVEN), "ERROR")[0].finding == "FAIL"


def test_each_passage_that_a_program_sees_is_told_once_and_a_proof_behind_a_doubt_blocks():
    two = item(
        mechanism='The plaque says "press twice" in blue, and step 9 shows it, and `turn the key`, too.'
    )
    worst, _ = examine(KINDS["grounding-alignment"], "PASS", two)
    assert worst.finding == "FAIL"
    assert "press twice" in worst.reason
    warned = [each.reason for each in worst.beside if each.finding == "WARN"]
    assert len(warned) == len(set(warned)) == 1
    assert "turn the key" in warned[0]
    again = examine(ruled(*[DOUBTED] * 5), "PASS")[0]
    assert [each.finding for each in again.every] == ["WARN", "PASS"]


def test_where_a_part_is_missing_there_is_nothing_to_judge():
    for kind in ALL:
        if kind.judged and kind.needs != ("form",):
            worst, calls = examine(kind, "PASS", item(claim="", trigger="", mechanism="", scope=""))
            assert (worst.finding, worst.beside, calls) == ("FAIL", (), 0)


def test_the_gates_on_wording_are_negative_controls_and_none_of_the_seeds():
    assert NEGATIVE_CONTROLS == ("prose-economy", "register-style")
    assert not set(NEGATIVE_CONTROLS) & set(SEED_SUBSET)
    for name in NEGATIVE_CONTROLS:
        assert not KINDS[name].proves  # wording is never proof


WORDING = {
    "padding": (
        "prose-economy",
        item(claim="It is important to press the red stud before you pull a shut lid."),
    ),
    "twice": (
        "prose-economy",
        item(
            mechanism="The stud frees a latch inside the box. Inside the box a latch is what the stud frees."
        ),
    ),
    "thin": (
        "prose-economy",
        item(claim="When it is shut, do to it what it is that one would do to it, and so on with the rest."),
    ),
    "shouts": ("register-style", item(claim="When a lid is shut, ALWAYS press the red stud.")),
    "marks": ("register-style", item(mechanism="The stud frees a latch inside!")),
    "we": ("register-style", item(claim="When a lid is shut, we press the red stud.")),
    "passive": ("register-style", item(claim="When a lid is shut, the red stud must be pressed.")),
    "question": ("register-style", item(claim="When a lid is shut, why not press the red stud?")),
    "heading": ("register-style", item(claim="Pressing The Red Stud Before Pulling Shut Lids")),
    "face": ("register-style", item(claim="When a lid is shut, press the red stud 🎉")),
}


@pytest.mark.parametrize("name", WORDING)
def test_a_program_hears_the_wording_and_only_warns(name):
    gate, one = WORDING[name]
    assert examine(KINDS[gate], "PASS", one)[0].finding == "WARN"


@pytest.mark.parametrize(
    "one",
    [
        GOOD,
        item(claim='When it says "Please note! WE are closed", do press the red stud.'),
        item(
            claim="When a lid is shut, press the stud, because it must be pressed before the latch is free."
        ),
        item(mechanism="The SQL of the plaque is read by the CPU; the stud frees a latch."),
    ],
)
def test_quoted_words_reasons_and_acronyms_are_no_fault_of_wording(one):
    for name in NEGATIVE_CONTROLS:
        assert examine(KINDS[name], "PASS", one)[0].finding == "PASS"
