"""What a program proves blocks, and what rests on words warns; with the other runs of a set around it."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.gates.calibration.labelled_items import HELD_OUT, SHIPPED, read_fixtures
from memtrial.gates.calibration.regression import Always, regress
from memtrial.gates.gate import ALONE, GateCase, GateKind, Ruling, Surroundings
from memtrial.gates.judged_gate import JudgedGate
from memtrial.gates.suite import ALL, NAMES
from memtrial.memory.item import Item, TheoryItem
from memtrial.memory.item_roles import roles_of
from memtrial.runs.setup.model_roles import RULES, program_rates, shipped_calibrations, told_rates
from tests.support.scripted_judge import SOLVED, item

KINDS = {kind.name: kind for kind in ALL}
BLOCKING = {
    "trigger-presence": ("grammar", "replay"),
    "form-check": ("grammar", "replay"),
    "grounding-alignment": ("quote",),
    "source-residue": ("literal",),
    "duplicate": ("literal",),
    "unwarranted-scope": ("grammar",),
}


def rule(gate: str, one: Item, trajectory=SOLVED, around=ALONE) -> Ruling | None:
    return KINDS[gate].rule_on(GateCase(one, roles_of(one), trajectory, around=around))


def test_which_programs_block_and_by_what():
    assert {kind.name: kind.proves for kind in ALL if kind.proves} == BLOCKING


@pytest.mark.parametrize("folder", [SHIPPED, HELD_OUT, Path(__file__).parent / "other_hand"])
def test_a_program_blocks_by_a_proof_that_its_gate_names_and_the_finding_tells_it(folder):
    seen = Counter()
    for one in read_fixtures(folder, NAMES):
        around = Surroundings(one.training, lambda _, held=one.stored: held)
        ruling = rule(one.gate, one.item, one.trajectory, around)
        if ruling is None:
            continue
        seen[ruling.verdict] += 1
        assert (ruling.verdict == "FAIL") is (ruling.proof is not None)
        missing = ruling.proof == "grammar" and ruling.reason.startswith("there is no ")
        assert ruling.proof is None or missing or ruling.proof in KINDS[one.gate].proves
        assert ruling.account.endswith(f" (proof: {ruling.proof})") or ruling.proof is None
        assert one.flag is not False or ruling.verdict != "FAIL"
    assert seen["WARN"] > 10


def test_the_finding_tells_its_proof():
    gate = JudgedGate(KINDS["trigger-presence"], Always("pass"))
    finding = asyncio.run(gate(item(trigger='state: "zebra"'), SOLVED))
    assert (finding.finding, finding.reason.endswith("(proof: replay)")) == ("FAIL", True)


ADDRESS = "https://box.example/plaque/17"
TOLD = replace(SOLVED, start=f"{SOLVED.start} See {ADDRESS} or mail ada@box.example. SHA256 ok.")
ELSEWHERE = replace(TOLD, task_id="other", query="Find the hat")
PROSE = item(claim=f"Before you pull, do read {ADDRESS} instead.")


@pytest.mark.parametrize(
    ("one", "trajectory", "around", "verdict"),
    [
        (PROSE, TOLD, ALONE, "FAIL"),
        (item(mechanism="Mail ada@box.example, who keeps the latch."), TOLD, ALONE, "FAIL"),
        (PROSE, SOLVED, ALONE, "WARN"),  # it does not stand in the run
        (PROSE, TOLD, Surroundings((TOLD, ELSEWHERE)), None),  # it is of the world
        (item(claim="Before you pull, do press the red stud, worth $4.50."), TOLD, ALONE, "WARN"),
        (item(claim="When SHA256 is ok, do press the red stud before you pull."), TOLD, ALONE, None),
        (item(claim="When http://localhost:8000 answers, do press the red stud."), TOLD, ALONE, None),
        (item(mechanism="numpy@1.24 holds the latch."), TOLD, ALONE, None),
    ],
)
def test_a_literal_is_proof_where_the_run_alone_holds_it(one, trajectory, around, verdict):
    ruling = rule("source-residue", one, trajectory, around)
    assert (ruling and ruling.verdict) == verdict


@pytest.mark.parametrize(
    ("text", "action", "observation", "verdict"),
    [
        ("do `click('1843')` before you pull.", "click('1843')", "A grid.", "FAIL"),
        ("do open [1843] before you pull.", "look", "[1843] link Orders", "FAIL"),
        ("do pull when the list is [10] at last.", "look", "x = [10] and more", "WARN"),
        ("do `click('1843')` before you pull.", "look", "A grid.", "WARN"),
    ],
)
def test_a_number_is_an_element_where_the_run_uses_it_as_one(text, action, observation, verdict):
    *before, last = SOLVED.steps
    run = replace(SOLVED, steps=(*before, replace(last, action=action, observation=observation)))
    assert rule("source-residue", item(claim=f"In a box, {text}"), run).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ('In "A green flag waves", do press the red stud.', "FAIL"),
        ('In "lid is its shut", do press the red stud.', "WARN"),  # its words stand there
        ("In a box, do `turn the brass handle` before you pull.", "WARN"),  # an action, never tried
        ('In a box, do press the stud unless it says "green flag waves".', "WARN"),  # not there, it says
        ('In a box, do type "green flag waves" before you pull.', "WARN"),
        ('In a 5 " box do press the red stud, or "green flags wave" there.', "WARN"),  # marks out of step
        ('In "its lid: is -- shut", do press the red stud.', None),  # other signs between the words
    ],
)
def test_a_quotation_is_disproven_where_it_is_put_down_as_seen(claim, verdict):
    ruling = rule("grounding-alignment", item(claim=claim))
    assert (ruling and ruling.verdict) == verdict


def test_what_no_run_shows_is_proof_against_the_check_of_a_success_alone():
    never, always = item(form='check: state: "zebra"'), item(form='check: not state: "zebra"')
    failed = replace(SOLVED, outcome="failure")
    assert [rule("form-check", never, run).verdict for run in (SOLVED, failed)] == ["FAIL", "WARN"]
    assert rule("form-check", always).verdict == "WARN"  # the sight may yet turn up
    other = replace(SOLVED, task_id="other", start="A zebra waits.")
    for one in (never, always):
        assert rule("form-check", one, SOLVED, Surroundings((SOLVED, other))) is None


NO_ALARM = {
    "a condition of two words": ("refuter", "claim", "If required fields are empty, do press the red stud."),
    "work as a condition": ("refuter", "claim", "When working with a shut lid, do press the red stud first."),
    "what looking is for": ("frontloading", "claim", "Do press the stud to learn which latch holds the lid."),
    "a noun with different": (
        "frontloading",
        "claim",
        "Avoid pulling, for different rooms hold other boxes.",
    ),
    "told, and not twice": (
        "internal-consistency",
        "claim",
        "Do `press the red stud`, but do not `press the red stud` twice.",
    ),
    "two cues, one exclusion": (
        "internal-consistency",
        "scope",
        "Boxes. Does NOT apply when a lid holds the silver key.",
    ),
    "all of one list": (
        "unwarranted-scope",
        "scope",
        "Rooms that show all boxes in one list. Does NOT apply when there is a keyhole.",
    ),
}


@pytest.mark.parametrize("name", NO_ALARM)
def test_words_in_a_sound_sentence_raise_no_alarm(name):
    gate, field, text = NO_ALARM[name]
    one = replace(item(trigger='task: "silver key" | state: "lid is shut"'), **{field: text})
    assert rule(gate, one) is None


def test_the_reason_may_be_told_twice_and_the_advice_may_not():
    again = item(mechanism="Because the lid springs open then, press the red stud.")
    assert rule("explanatory-reach", again).verdict == "WARN"
    claim = "Do press the red stud before you pull, because pulling wedges a latch inside the lid."
    assert rule("explanatory-reach", item(claim=claim, mechanism="Pulling wedges a latch inside.")) is None


def test_rates_are_taken_with_the_runs_and_the_sound_items_of_the_set():
    met: list[GateCase] = []

    def meet(case: GateCase) -> Iterator[Ruling]:
        met.append(case)
        return iter(())

    kind = GateKind("refuter", "", ("what",), meet)
    for folder in (SHIPPED, HELD_OUT):
        met.clear()
        fixtures = read_fixtures(folder, NAMES)
        asyncio.run(regress((kind,), None, fixtures))
        runs = {line for line in (folder / "runs.jsonl").read_text("utf-8").splitlines() if line.strip()}
        sound = [line for line in (folder / "sound.jsonl").read_text("utf-8").splitlines() if line.strip()]
        for case in met:
            own = case.trajectory.task_id
            assert own in {task for task, _ in case.around.moments}
            assert len(case.around.trajectories) == len(runs)
            assert len(case.around.elsewhere(own)) == len(runs) - 1
            stored = case.around.stored(case.trajectory)
            assert 0 < len(stored) < len(sound)
            assert case.item not in stored


def test_reports_print_the_held_out_rates():
    (held,) = (one for one in shipped_calibrations() if one.judge == RULES)
    programs = program_rates(ALL, shipped_calibrations())
    for row in held.gates:
        assert programs[row.gate] == told_rates(row, held.in_sample) == f"held-out {row.held_out.line}"
        assert told_rates(row.model_copy(update={"held_out": None}), True) == f"in-sample {row.line}"
        assert told_rates(row.model_copy(update={"held_out": None}), False) == row.line


def test_an_unmatched_part_is_a_warning_in_a_schema_without_it():
    empty = TheoryItem("", "", "", "", "")
    assert {
        kind.name: rule(kind.name, empty).verdict for kind in ALL if kind.needs != ("form",)
    } == dict.fromkeys((kind.name for kind in ALL if kind.needs != ("form",)), "FAIL")
