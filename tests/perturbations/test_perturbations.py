"""Laws over all kinds of damage and all makes of slots."""

from string import ascii_lowercase

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.structure import parts, skeleton
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.filler import Filler
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.removal import Empty
from memtrial.protocols import Perturbation
from tests.support.damaging import damage, refusal
from tests.support.slots import CUE, DONOR, NOTES, ODD, slots, told, well_formed

every_kind = pytest.mark.parametrize("perturb", ALL, ids=lambda kind: kind.name)
fair = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
KINDS = {kind.name: kind for kind in ALL}


def damaged(perturb: Perturbation, slot: Slot, seed: int = 0, donor: Slot = DONOR) -> Slot:
    return damage(perturb, slot, seed, donor)


@every_kind
@fair
@given(slot=slots(), seed=st.integers(0, 9))
def test_it_does_what_its_kind_must_do_in_its_place_or_says_why_not(
    perturb: Perturbation, slot: Slot, seed: int
) -> None:
    digest = slot.digest
    after = damaged(perturb, slot, seed)
    assert damaged(perturb, slot, seed) == after
    assert slot.digest == digest
    if perturb.name == "without":
        assert after == NOTHING
    elif slot.items:
        assert after.cue.startswith(slot.cue) if perturb.aim.block == "instructed" else after.cue == slot.cue
        assert [skeleton(item) for item in after.items] == [skeleton(item) for item in slot.items]
    if not refusal(perturb, slot, DONOR):
        found = check(perturb, slot, after)
        assert found.passed, (found, after.items)


@every_kind
def test_odd_items_alone(perturb: Perturbation) -> None:
    for item in (*ODD, *NOTES):
        slot = Slot(CUE, (item,))
        after = damaged(perturb, slot)
        if not refusal(perturb, slot, DONOR):
            found = check(perturb, slot, after)
            assert found.passed, (item, found, after.items)


CHOOSY = ("shuffle", "paraphrase", "counter", "corrupt_invert", "irrelevant_swap")


@pytest.mark.parametrize("name", [one.name for one in ALL if one.name not in CHOOSY])
@fair
@given(slot=st.one_of(well_formed, told))
def test_every_kind_applies_to_every_well_formed_item(name: str, slot: Slot) -> None:
    assert refusal(KINDS[name], slot, DONOR) == ""


@every_kind
def test_plain_notes_of_anybodys_memory_can_be_damaged(perturb: Perturbation) -> None:
    declines = {("shuffle", note) for note in NOTES} | {("paraphrase", note) for note in NOTES[:5]}
    declines |= {("irrelevant_swap", note) for note in NOTES[:6]}  # of another length
    declines |= {
        ("counter", NOTES[at]) for at in (1, 2, 3, 4, 5, 6)
    }  # no action; or no other one of its kind
    # what is counted, set against something else or only planned
    declines |= {("corrupt_invert", NOTES[at]) for at in (2, 3, 5, 6)}
    for item in NOTES[:7]:
        slot = Slot("", (item,))
        assert bool(refusal(perturb, slot, DONOR)) == ((perturb.name, item) in declines), item
        if (perturb.name, item) not in declines:
            assert check(perturb, slot, damaged(perturb, slot)).passed, item


@every_kind
def test_an_empty_slot_is_never_damaged(perturb: Perturbation) -> None:
    assert refusal(perturb, NOTHING, DONOR)
    assert damaged(perturb, NOTHING) == NOTHING


@pytest.mark.parametrize("name", ["filler", "irrelevant_generic"])
@given(slot=well_formed)
@fair
def test_random_kinds_draw_by_the_seed(name: str, slot: Slot) -> None:
    first = damaged(KINDS[name], slot, 0)
    assert any(damaged(KINDS[name], slot, seed) != first for seed in range(1, 6))


THEORY = (
    "# Memory Item 1\n## Claim In steam, do `pull the brass lever`, because the valve opens.\n"
    "## Trigger task: repair | state: steam hisses\n## Mechanism The lever lowers pressure.\n"
    "## Scope Boilers. Does NOT apply when the pipe is cold.\n## Form check: state: steam"
)


def test_headings_are_structure_only_where_their_label_is_known() -> None:
    cut = parts("# How to open\ntext\n## Title: Gate\n- **Content**: more")
    assert [(part.head, part.body, part.label) for part in cut] == [
        ("# ", "How to open\ntext\n", ""),
        ("## Title: ", "Gate\n", "title"),
        ("- **Content**: ", "more", "content"),
    ]


@given(slot=slots())
@fair
def test_parts_lose_no_character(slot: Slot) -> None:
    for item in slot.items:
        assert "".join(part.head + part.body for part in parts(item)) == item


def test_empty_leaves_the_bare_frame() -> None:
    after = damaged(Empty(), Slot(CUE, (THEORY,)))
    assert after.items == ("# Memory Item 1\n## Claim\n## Trigger\n## Mechanism\n## Scope\n## Form",)


def test_a_masked_theory_item_still_looks_like_one() -> None:
    text = damaged(CorruptMask(), Slot(CUE, (THEORY,))).items[0]
    assert "## Trigger task: " in text
    assert "| state: " in text
    assert "## Form check: " in text


def test_a_masked_word_is_masked_in_all_its_places() -> None:
    text = "Lever lamp gauge. Levers wheel lamp. The lever holds the wheel, says the gauge."
    after = damaged(CorruptMask(), Slot(CUE, (text,))).items[0].lower()
    for word, n in {"lamp": 2, "gauge": 2, "wheel": 2, "lever": 3}.items():
        assert after.count(word) in (0, n)


@pytest.mark.parametrize("kind", [CorruptMask, CorruptInvert])
def test_a_smaller_dose_does_less(kind: type[CorruptMask] | type[CorruptInvert]) -> None:
    names = ascii_lowercase[:20]
    slot = Slot(CUE, (" ".join(f"Pull lever number{x} when the lamp{x} is lit in the hall." for x in names),))
    full, half = kind(), kind(dose=0.5)
    changed = [check(one, slot, damaged(one, slot)) for one in (half, full)]
    assert changed[0].passed
    assert changed[0].words_changed < 0.7 * changed[1].words_changed


@pytest.mark.parametrize("dose", [0.0, 1.5, -1.0])
@pytest.mark.parametrize("kind", [CorruptMask, CorruptInvert])
def test_a_dose_is_a_share(kind: type[CorruptMask] | type[CorruptInvert], dose: float) -> None:
    with pytest.raises(ValueError, match="dose"):
        kind(dose=dose)


def test_filler_takes_no_word_that_was_there() -> None:
    slot = Slot(CUE, ("lorem ipsum dolor amet consectetur adipiscing elit tempor magna aliqua",))
    assert not set(damaged(Filler(), slot).items[0].split()) & set(slot.items[0].split())
