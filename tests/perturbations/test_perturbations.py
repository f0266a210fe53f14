"""Laws over all kinds of damage and all makes of slots, and CorruptInvert's golden sentences."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.perturbations.corrupt_invert import CorruptInvert
from loadbearing.perturbations.corrupt_mask import CorruptMask
from loadbearing.perturbations.empty import Empty
from loadbearing.perturbations.filler import Filler
from loadbearing.perturbations.irrelevant_swap import IrrelevantSwap
from loadbearing.perturbations.language.structure import parts, skeleton
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.members import ALL
from loadbearing.perturbations.perturbation import Perturbation
from tests.support.slots import CUE, DONOR, NOTES, ODD, slots, told, well_formed

every_kind = pytest.mark.parametrize("perturb", ALL, ids=lambda kind: kind.name)
fair = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
KINDS = {kind.name: kind for kind in ALL}


def damaged(perturb: Perturbation, slot: Slot, seed: int = 0, donor: Slot = DONOR) -> Slot:
    return perturb(slot, default_rng(seed), donor)


@every_kind
@fair
@given(slot=slots(), seed=st.integers(0, 9))
def test_same_seed_same_damage_and_the_old_slot_stays(perturb: Perturbation, slot: Slot, seed: int) -> None:
    digest = slot.digest
    assert damaged(perturb, slot, seed) == damaged(perturb, slot, seed)
    assert slot.digest == digest


@every_kind
@fair
@given(slot=slots(), seed=st.integers(0, 9))
def test_it_does_what_its_kind_must_do_or_says_why_not(perturb: Perturbation, slot: Slot, seed: int) -> None:
    after = damaged(perturb, slot, seed)
    if not perturb.why_not(slot, DONOR):
        found = check(perturb, slot, after)
        assert found.passed, (found, after.items)


@every_kind
@pytest.mark.parametrize("item", [*ODD, *NOTES], ids=lambda item: item[:20].strip() or "blank")
def test_odd_items_alone(perturb: Perturbation, item: str) -> None:
    slot = Slot(CUE, (item,))
    after = damaged(perturb, slot)
    if not perturb.why_not(slot, DONOR):
        found = check(perturb, slot, after)
        assert found.passed, (found, after.items)


CHOOSY = ("shuffle", "paraphrase", "counter")


@pytest.mark.parametrize("name", [one.name for one in ALL if one.name not in CHOOSY])
@fair
@given(slot=st.one_of(well_formed, told))
def test_every_kind_applies_to_every_well_formed_item(name: str, slot: Slot) -> None:
    assert KINDS[name].why_not(slot, DONOR) == ""


@every_kind
@pytest.mark.parametrize("item", NOTES[:7], ids=lambda item: item[:20])
def test_plain_notes_of_anybodys_memory_can_be_damaged(perturb: Perturbation, item: str) -> None:
    declines = {("shuffle", note) for note in NOTES} | {("paraphrase", note) for note in NOTES[1:5]}
    declines |= {("counter", note) for note in NOTES[:6]}  # where the donor alone knows other actions
    slot = Slot("", (item,))
    assert bool(perturb.why_not(slot, DONOR)) == ((perturb.name, item) in declines)
    if (perturb.name, item) not in declines:
        assert check(perturb, slot, damaged(perturb, slot)).passed


@every_kind
@fair
@given(slot=slots(least=1))
def test_position_is_identity(perturb: Perturbation, slot: Slot) -> None:
    after = damaged(perturb, slot)
    if perturb.name == "without":
        assert after == NOTHING
        return
    assert after.cue.startswith(slot.cue) if perturb.aim.instructs else after.cue == slot.cue
    assert [skeleton(item) for item in after.items] == [skeleton(item) for item in slot.items]


@every_kind
def test_an_empty_slot_is_never_damaged(perturb: Perturbation) -> None:
    assert perturb.why_not(NOTHING, DONOR)
    assert damaged(perturb, NOTHING) == NOTHING


@pytest.mark.parametrize("name", ["filler", "irrelevant_swap", "irrelevant_generic", "corrupt_mask"])
@given(slot=well_formed)
@fair
def test_random_kinds_draw_by_the_seed(name: str, slot: Slot) -> None:
    drawn = {damaged(KINDS[name], slot, seed).digest for seed in range(6)}
    assert len(drawn) > 1


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
    slot = Slot(CUE, (" ".join(f"Pull lever number{i} when the lamp{i} is lit." for i in range(20)),))
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


def test_a_swap_speaks_with_the_donors_words_field_by_field() -> None:
    after = damaged(IrrelevantSwap(), Slot(CUE, (THEORY,))).items[0]
    assert "## Claim In crowded gardens" in after
    assert "## Trigger task: " in after


@pytest.mark.parametrize(
    ("donor", "word"),
    [
        (NOTHING, "donor"),
        (Slot(CUE, ("", "...")), "donor"),
        (Slot(CUE, (THEORY,)), "too little"),
        (Slot(CUE, ("Stop",)), "too little"),
    ],
    ids=["empty", "wordless", "the same", "a word"],
)
def test_a_donor_that_cannot_give_is_named(donor: Slot, word: str) -> None:
    slot = Slot(CUE, (THEORY,))
    assert word in IrrelevantSwap().why_not(slot, donor)


@fair
@given(slot=well_formed, donor=well_formed, seed=st.integers(0, 3))
@example(slot=Slot(CUE, (THEORY,)), donor=DONOR, seed=0)
def test_any_donor_that_is_accepted_will_do(slot: Slot, donor: Slot, seed: int) -> None:
    if not IrrelevantSwap().why_not(slot, donor):
        after = damaged(IrrelevantSwap(), slot, seed, donor)
        assert check(IrrelevantSwap(), slot, after).passed


GOLDEN = json.loads(
    """[
    ["In steam, do `pull the brass lever`, because the valve is stuck.",
     "In steam, avoid `pull the brass lever`, because the valve is stuck."],
    ["In steam, avoid `pull the brass lever`, because the valve is stuck.",
     "In steam, do `pull the brass lever`, because the valve is stuck."],
    ["When the lamp is lit, never pull the lever.", "When the lamp is lit, always pull the lever."],
    ["When the lamp is lit, pull the lever.", "When the lamp is lit, never pull lever."],
    ["When the lamp is lit, pull the brass lever twice before you press start.",
     "When the lamp is lit, never pull the brass lever twice before you press start."],
    ["Pull the lever.", "Never pull lever."],
    ["Do not press the red button.", "Do always press the red button."],
    ["Don't press the red button.", "Do press the red button."],
    ["Always check the gauge before the last step.", "Never check the gauge before the last step."],
    ["Avoid pulling the lever while the lamp is red.", "Try pulling the lever while the lamp is red."],
    ["Avoid the lever.", "Use the lever."],
    ["Use the bar instead of menus if sure.", "Avoid the bar instead of menus if sure."],
    ["1. Open the page. 2. Sort the orders.", "1. Never open page. 2. Never sort orders."],
    ["Use the search bar instead of categories.", "Avoid the search bar instead of categories."],
    ["If the search fails, try a broader query.", "If the search fails, avoid a broader query."],
    ["You should not finish before checking the gauge.",
     "You should always finish before checking the gauge."],
    ["You should verify the answer.", "You should never verify answer."],
    ["It cannot be undone.", "It can be undone."],
    ["The gate is open.", "The gate isn't open."],
    ["The gate isn't safe.", "The gate is safe."],
    ["The gate opens after the bell.", "The gate closes after the bell."],
    ["The agent failed because it did not verify the answer.",
     "The agent succeeded because it did not verify the answer."],
    ["Unless the lamp is green, avoid the lever.", "Unless the lamp is green, use the lever."],
    ["Only press start when the gauge reads zero.", "Never press start when the gauge reads zero."],
    ["Make sure to check the gauge first.", "Make sure to never check gauge first."],
    ["Be careful not to press stop.", "Be careful always to press stop."],
    ["1. Open the valve.", "1. Never open valve."],
    ["- First, read the label; then turn the knob left.",
     "- First, never read label; then never turn the knob left."],
    ["To open the gate, turn the wheel.", "To open the gate, never turn wheel."],
    ["If the lamp, the valve and the gate are lit, pull the lever.",
     "If the lamp, the valve and the gate are lit, never pull the lever."],
    ["Lamp red: pull the lever.", "Lamp red: never pull lever."],
    ["Lamp red -> pull lever", "Lamp red -> push lever"],
    ["Avoid the lever, but press the switch.", "Use the lever, but never press switch."],
    ["There is no need to press the button.", "There is some need to press the button."],
    ["Search results are sorted by date.", "Search results aren't sorted by date."],
    ["The dial of brass, 30 degrees", "The dial of brass, 61 degrees"],
    ["Rows before column totals", "Rows after column totals"],
    ["Verifying each fact is essential.", "Verifying each fact isn't essential."],
    ["Steam from the pipe moves the gate.", "Steam from the pipe never moves gate."],
    ["A lever of brass for red lamps", "Never lever of brass for red lamps"]
    ]"""
)


@pytest.mark.parametrize(("before", "after"), GOLDEN, ids=[pair[0][:40] for pair in GOLDEN])
def test_golden_inversions(before: str, after: str) -> None:
    slot = Slot(CUE, (before,))
    assert CorruptInvert().why_not(slot, DONOR) == ""
    found = damaged(CorruptInvert(), slot)
    assert found.items == (after,)
    assert check(CorruptInvert(), slot, found).passed


def test_invert_leaves_what_names_things_and_what_says_when() -> None:
    after = damaged(CorruptInvert(), Slot(CUE, (THEORY,))).items[0]
    assert after == THEORY.replace("do `pull", "avoid `pull").replace("lever lowers", "lever raises")


def test_invert_leaves_code_quotes_and_addresses() -> None:
    kept = (
        "```\nnever open(x)\n```",
        '"never open it"',
        "`is not open`",
        "https://open.example/never",
        "‘do not’",
    )
    text = "The gate is shut, see " + ", ".join(kept[1:]) + ".\n" + kept[0] + "\nPull the lever."
    after = damaged(CorruptInvert(), Slot(CUE, (text,))).items[0]
    assert all(span in after for span in kept)
    assert after != text


@pytest.mark.parametrize(
    "item", ["", "```\nopen(x)\n```", "当灯亮时不要拉杆", "🔥", "Stop", '`do it` "never"']
)
def test_what_cannot_be_turned_is_said(item: str) -> None:
    assert "item 2" in CorruptInvert().why_not(Slot(CUE, ("Pull the lever.", item)), DONOR)


@pytest.mark.parametrize(
    ("advice", "turned"),
    [
        (
            "Instead of scrolling through the whole list, type the name into the filter box.",
            "Instead of scrolling through the whole list, never type the name into the filter box.",
        ),
        (
            "Rather than opening a new tab for every page, reuse the current one.",
            "Rather than opening a new tab for every page, never reuse the current one.",
        ),
        (
            "Due to the high latency of this endpoint, send the requests together.",
            "Due to the high latency of this endpoint, never send the requests together.",
        ),
    ],
)
def test_what_is_set_aside_first_is_not_what_is_advised(advice: str, turned: str) -> None:
    slot = Slot("", (f"# Memory Item 1\n## Title Short lists\n## Description A note.\n## Content {advice}",))
    after = CorruptInvert()(slot, default_rng(0), Slot())
    assert after.items[0].endswith(turned)


def test_a_turned_reason_leaves_the_advice_and_fails_the_check() -> None:
    fields = (
        "Claim In `a`, pull the brass lever.",
        "Trigger state: a",
        "Mechanism Waiting is slow.",
        "Scope x",
    )
    slot = Slot("", ("\n## ".join(("# Memory Item 1", *fields)),))
    spared = Slot("", (slot.items[0].replace("Waiting is slow", "Waiting isn't slow"),))
    assert not check(CorruptInvert(), slot, spared).passed
    assert check(CorruptInvert(), slot, CorruptInvert()(slot, default_rng(0), Slot())).passed
