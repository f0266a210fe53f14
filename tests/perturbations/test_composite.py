"""One thing done after another, and the instruction to follow the items: laws over every possible pair."""

from dataclasses import replace
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from memtrial.agents.slot import NOTHING, Slot
from memtrial.faults import SpecFault
from memtrial.perturbations.composite import Composite, compose
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.instructed import INSTRUCTION, Instructed
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.manipulation_check import check, check_damage
from memtrial.prompts.templates import cue_line
from memtrial.protocols import Perturbation
from memtrial.runs.spec.read_spec import load_spec
from tests.support.damaging import damage
from tests.support.slots import DONOR, slots, well_formed
from tests.support.small import write_spec

BARRED = ("without", "shuffle", "instructed")
PAIRS = [compose(f"instructed+{kind.name}", ALL) for kind in ALL if kind.name not in BARRED]
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
fair = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def apply(kind: Perturbation, slot: Slot, seed: int = 0) -> Damaged | NotApplicable:
    rng = default_rng([seed, crc32((kind.aim.declared.part or kind.name).encode())])
    return kind.apply(slot, rng, DamageContext((NOTHING, DONOR)))


@every_pair
@fair
@given(slot=slots(), seed=st.integers(0, 5))
def test_the_second_is_done_to_what_the_first_gives_alone(pair: Composite, slot: Slot, seed: int) -> None:
    both, alone = apply(pair, slot, seed), apply(pair.first, slot, seed)
    assert both == apply(pair, slot, seed)
    if isinstance(alone, NotApplicable):
        assert both == alone
        return
    if isinstance(both, NotApplicable):
        assert both.reason.startswith(f"after {pair.first.name}: ")
        return
    assert both.before == alone.slot
    assert pair.aim.declared.part == pair.second.name
    assert len(both.slot.items) == len(slot.items)
    assert both.slot.cue == alone.slot.cue
    measured = check_damage(pair, slot, both)
    assert measured.passed, (measured, both)
    assert measured.kind == pair.second.name


@every_pair
@fair
@given(slot=well_formed, seed=st.integers(0, 5))
def test_under_an_instruction_the_damage_is_the_same(pair: Composite, slot: Slot, seed: int) -> None:
    both, plain = apply(pair, slot, seed), apply(pair.second, slot, seed)
    assert type(both) is type(plain)
    if isinstance(both, Damaged) and isinstance(plain, Damaged):
        assert both.slot.items == plain.slot.items
        assert INSTRUCTION.render() in both.slot.cue


@pytest.mark.parametrize(
    "name",
    [
        "filler+corrupt_invert",
        "corrupt_invert+irrelevant_swap",
        "irrelevant_swap+corrupt_mask",
        "instructed+instructed",
        "instructed+shuffle",
        "oddity+counter",
        "oddity+paraphrase",
        "oddity+empty",
        "oddity+without",
        "oddity+shuffle",
        "instructed+without",
        "instructed+",
        "+filler",
        "instructed+nonsense",
        "instructed+irrelevant_swap+filler",
    ],
)
def test_other_pairs_are_refused_and_the_possible_ones_named(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"oddity\+KIND with corrupt_mask.* or instructed\+KIND with .*corrupt_invert.*got"
    ) as caught:
        compose(name, ALL)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_stands_for_two_parts() -> None:
    pair = compose("instructed+irrelevant_swap", ALL)
    assert (pair.first, pair.second) == (Instructed(), IrrelevantSwap())
    assert pair.name == "instructed+irrelevant_swap"
    aim = IrrelevantSwap().aim
    assert pair.aim == replace(aim, declared=replace(aim.declared, part="irrelevant_swap"))


@fair
@given(slot=slots(least=1))
def test_an_instruction_keeps_every_item_and_is_read_as_part_of_the_cue(slot: Slot) -> None:
    after = damage(Instructed(), slot, 0, DONOR)
    assert after.items == slot.items
    assert after.cue == f"{slot.cue} {INSTRUCTION.render()}"
    assert "\n" not in after.cue
    assert check(Instructed(), slot, after).passed
    assert not check(Instructed(), slot, slot).passed
    changed = (*after.items[:-1], f"{after.items[-1]}!")  # not in a word
    assert not check(Instructed(), slot, Slot(after.cue, changed)).passed
    assert not check(Instructed(), slot, Slot("Follow it.", slot.items)).passed


def test_the_instruction_names_no_schema_and_no_world() -> None:
    said = INSTRUCTION.render().lower()
    assert not any(word in said for word in ("claim", "trigger", "title", "content", "theory", "machine"))
    assert said not in cue_line().lower()


@pytest.mark.parametrize(
    ("conditions", "lacking"),
    [
        ("[corrupt_mask, oddity+filler]", "filler"),
        ("[filler, instructed+filler]", "instructed"),
    ],
)
def test_a_condition_that_nothing_is_read_against_is_refused(tmp_path, conditions, lacking):
    with pytest.raises(SpecFault, match=f"is read against {lacking}"):
        load_spec(write_spec(tmp_path), [f"conditions={conditions}"])
