"""The suite against texts that a judge who always passes let through; roles, surroundings, standing."""

import asyncio
from dataclasses import replace

import pytest

from memtrial.gates.calibration.regression import Always
from memtrial.gates.gate import ALONE, Surroundings
from memtrial.gates.judged_gate import ADVISES, JudgedGate
from memtrial.gates.suite import ALL, NAMES, SEED_SUBSET, choose_gates, gate_names, gates_of_native
from memtrial.judges.closed_question import JudgeAnswer
from memtrial.memory.item import NativeItem, ProseItem
from memtrial.memory.item_roles import roles_of
from memtrial.runs.spec.condenser_factors import CondenserSpec
from tests.support.scripted_judge import GOOD, SOLVED, item

LET_THROUGH = {
    "an empty Scope": ("unwarranted-scope", item(scope="")),
    "everywhere": ("unwarranted-scope", item(scope="Everywhere.")),
    "the claim as Scope": ("unwarranted-scope", item(scope=GOOD.claim)),
    "a call with an id": (
        "source-residue",
        item(claim="In the list, do `click('1843')` before you read on."),
    ),
    "an address": ("source-residue", item(mechanism="See https://shop.example/orders for the latch.")),
    "an order number": ("source-residue", item(claim="When order 000000187 is open, do press the red stud.")),
    "a reference": ("source-residue", item(claim="When a seat is booked, do quote QX7R2P before you end.")),
    "a price in another currency": ("source-residue", item(claim="Do book the seat for 1349 NOK instead.")),
    "the agent": (
        "source-residue",
        item(claim="The agent in this trajectory pressed the stud before it pulled."),
    ),
    "a search": (
        "frontloading",
        item(claim="If it is shut, figure out which menu opens it, then look up the key."),
    ),
    "its own exclusion": (
        "internal-consistency",
        item(scope='Boxes. Does NOT apply when "Its lid is shut".'),
    ),
    "decoration": ("load-bearing-qualifiers", item(claim="In the blue-themed room, do press the red stud.")),
    "a label twice": ("title-as-claim", item(claim="Pagination handling: do pagination handling")),
    "a trigger of everything": ("trigger-presence", item(trigger='state: "e"')),
    "a trigger of nothing": ("trigger-presence", item(trigger='state: "zebra"')),
    "a check of everything": ("form-check", item(form='check: not state: "zebra"')),
    "a check of nothing": ("form-check", item(form='check: state: "zebra"')),
}


def flags(one, trajectory=SOLVED, around=ALONE) -> set[str]:
    """The gates that flag an item whatever its judge says: all that a program sees."""

    async def ask() -> set[str]:
        gates = choose_gates(Always("pass"), NAMES, "full", around)
        found = [await gate(one, trajectory) for gate in gates]
        return {finding.gate for finding in found if finding.finding in ("WARN", "FAIL")}

    return asyncio.run(ask())


@pytest.mark.parametrize("name", LET_THROUGH)
def test_the_program_sees_what_a_judge_that_always_passes_lets_through(name):
    gate, one = LET_THROUGH[name]
    assert gate in flags(one)
    assert flags(GOOD) == set()


def test_an_exclusion_of_another_task_that_shares_a_noun_is_no_conflict():
    closed = replace(SOLVED, query="Who closed the issue about dark mode?")
    scopes = {
        noun: f"Lists. Does NOT apply when the task asks for {noun} issues." for noun in ("open", "closed")
    }
    found = {noun: "internal-consistency" in flags(item(scope=text), closed) for noun, text in scopes.items()}
    assert found == {"open": False, "closed": True}


def test_an_answer_that_is_reported_is_the_answer():
    *before, last = SOLVED.steps
    told = replace(SOLVED, steps=(*before, replace(last, action="report(78 C)")))
    assert "source-residue" in flags(item(claim="If it boils, do report 78 C rather than less."), told)


def test_the_default_of_a_theory_condenser_is_the_seeds_subset():
    assert NAMES[:4] == SEED_SUBSET
    assert len(NAMES) == len(set(NAMES)) >= 13
    assert gate_names("all") == NAMES
    assert gate_names("seed,refuter") == (*SEED_SUBSET, "refuter")
    assert sorted(gate_names(["claim_strength", "all"])) == sorted(NAMES)
    assert gate_names("refuter,refuter") == ("refuter", "refuter")
    assert gate_names("none") == ()


def others(n: int, state: str) -> tuple:
    return tuple(replace(SOLVED, task_id=f"other {at}", start=state) for at in range(n))


def test_a_trigger_that_fires_at_its_own_task_alone_is_sound_and_its_rate_stands_in_the_finding():
    for n_alike in (0, 3):
        alike, strange = others(12, SOLVED.start)[:n_alike], others(12, "An open field.")[n_alike:]
        around = Surroundings((SOLVED, *alike, *strange))
        assert flags(GOOD, around=around) == set()
        (gate,) = choose_gates(Always("pass"), ("trigger-presence",), "full", around)
        finding = asyncio.run(gate(GOOD, SOLVED))
        told = f"fires at {n_alike} of 12 other training tasks and at 0 of 40 unrelated states"
        assert told in finding.reason


def test_an_item_that_is_stored_already_is_a_duplicate_unless_it_says_the_contrary():
    reworded = replace(GOOD, claim=GOOD.claim.replace("then the lid springs open", "the lid springs open"))
    turned = replace(GOOD, claim='In "Its lid is shut", do not `press the red stud` and do not pull.')
    native = NativeItem("Press the stud", "Boxes.", GOOD.claim)
    for stored, flagged in ((reworded, True), (turned, False), (native, True), (ProseItem("A hat."), False)):
        around = Surroundings(stored=lambda _, held=stored: (held,))
        assert ("duplicate" in flags(GOOD, around=around)) is flagged
    told = []
    around = Surroundings(stored=lambda trajectory: told.append(trajectory) or ())
    flags(GOOD, around=around)
    assert told == [SOLVED]


@pytest.mark.parametrize("gate", [gate for gate in ALL if gate.judged])
def test_a_judge_without_calibration_advises_and_a_program_blocks(gate):
    async def fails(question, one, trajectory):
        return JudgeAnswer("FAIL", "Its lid is shut", "item", "It does not hold.")

    checked = item(form='check: state: "Its lid is shut"')
    blocking, advising = (JudgedGate(gate, fails, blocks=blocks) for blocks in (True, False))
    assert asyncio.run(blocking(checked, SOLVED)).finding == "FAIL"
    said = asyncio.run(advising(checked, SOLVED))
    assert (said.finding, said.reason) == ("WARN", f"It does not hold. ({ADVISES})")
    empty = item(claim="", trigger="", mechanism="", scope="", form="check:")
    assert asyncio.run(advising(empty, SOLVED)).finding == "FAIL"


def test_prose_is_gated_by_what_it_has():
    found = {
        gate.name: asyncio.run(gate(ProseItem("Press the stud before you pull."), SOLVED)).finding
        for gate in choose_gates(Always("pass"), NAMES)
    }
    prose = roles_of(ProseItem("Press the stud before you pull."))
    placeless = {kind.name for kind in ALL if any(getattr(prose, need) is None for need in kind.needs)}
    assert {name for name, said in found.items() if said == "NOT_APPLICABLE"} == placeless
    assert placeless >= {"trigger-presence", "title-as-claim", "form-check"}
    assert found["claim-strength"] == "PASS"
    assert found["explanatory-reach"] == "WARN"  # a reason in prose is found by words


def test_a_native_condenser_names_no_gate_that_its_items_have_no_place_for() -> None:
    assert set(NAMES) - set(gates_of_native("all")) >= {"trigger-presence", "form-check"}
    assert len(gates_of_native("all")) >= 11
    assert gates_of_native("seed") == tuple(name for name in SEED_SUBSET if name != "trigger-presence")
    with pytest.raises(ValueError, match="form-check reads what a native item has no place for"):
        gates_of_native(["claim-strength", "form_check"])
    with pytest.raises(ValueError, match="trigger-presence reads"):
        CondenserSpec.model_validate({"kind": "native", "gates": ["trigger-presence"]})
    assert CondenserSpec.model_validate({"kind": "native", "gates": "all"}).gates == gates_of_native("all")
