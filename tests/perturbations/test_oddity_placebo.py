"""Oddity placebos: the advice stands, and as many words around it are damaged as the kind damages."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.words import words
from memtrial.perturbations.composite import compose
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.language.differences import n_changed
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.oddity_placebo import ODD, TOLERANCE, Oddity, advice_spans, spans_around
from tests.support.damaging import damage, refusal
from tests.support.growth import fastest_growth
from tests.support.slots import CUE, slots

KINDS = {kind.name: kind for kind in ALL}
every_odd = pytest.mark.parametrize("name", [kind.name for kind in ODD])

NATIVE = (
    "# Memory Item 1\n## Title Heat Needs a Lit Stove\n## Description Boiling, when a thermometer is there."
    "\n## Content The first pot of the run cracked at a high temperature. Put the substance into a metal pot,"
    " because glass is brittle. When the stove is broken, use the furnace. It works in the same way."
)
THEORY = (
    "# Memory Item 1\n## Claim In steam, do `pull the lever`, because the valve opens and pressure falls.\n"
    "## Trigger task: repair | state: steam hisses\n## Mechanism The lever lowers the pressure. A high"
    " pressure keeps the valve shut, and the valve holds back whatever the pipe brings.\n"
    "## Scope Boilers. Does NOT apply when the pipe is cold.\n## Form check: state: steam"
)


def stands(item: str) -> list[str]:
    return [item[low:high].strip() for low, high in advice_spans(item)]


def test_what_to_do_and_when_stands_in_a_native_item() -> None:
    assert stands(NATIVE) == [
        ", when a thermometer is there",
        "Put the substance into a metal pot",
        "When the stove is broken, use the furnace.",
        "It works in the same way.",  # it hints that it works: no sure explanation
    ]


def test_claim_trigger_and_scope_stand_in_a_theory_item() -> None:
    assert stands(THEORY) == [
        "In steam, do `pull the lever`",
        "task: repair |",
        "state: steam hisses",
        "Boilers.",
        "Does NOT apply when the pipe is cold.",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Sanitise the input.",
        "You should wait.",
        "When a task names several things (size, price), put the rarest first.",
        "It is best to ask.",
        "The lamp is red, so press start.",
        "Never open it.",
        "Only an open valve helps you.",
        "The lamp must be red.",
    ],
)
def test_in_doubt_a_sentence_advises(sentence: str) -> None:
    assert not spans_around(sentence) or not spans_around(sentence)[0].whole


@pytest.mark.parametrize(
    "sentence",
    ["The lamp is red.", "The agent lost eleven steps.", "Glass breaks.", "The menu lists only new items."],
)
def test_what_only_explains_is_no_advice(sentence: str) -> None:
    assert [one.whole for one in spans_around(sentence)] == [True]


@every_odd
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(slot=slots(), seed=st.integers(0, 5))
def test_where_it_applies_it_holds_what_it_promises(name: str, slot: Slot, seed: int) -> None:
    odd = Oddity(KINDS[name])
    after = damage(odd, slot, seed, NOTHING)
    if reason := refusal(odd, slot, NOTHING):
        assert after == slot
        assert reason == refusal(odd.kind, slot, NOTHING) or reason.startswith("too few words stand outside")
        return
    assert check(odd, slot, after).passed
    whole = damage(odd.kind, slot, 0, NOTHING)
    word_by_word = name in ("corrupt_mask", "filler")
    count = n_replaced if word_by_word else n_changed
    here, there = (
        sum(count(*pair) for pair in zip(slot.items, one.items, strict=True)) for one in (after, whole)
    )
    assert abs(here - there) <= max(1, TOLERANCE * there) + (0 if word_by_word else 2)


def n_replaced(before: str, after: str) -> int:
    return sum(one != other for one, other in zip(words(before), words(after), strict=True))


@pytest.mark.parametrize("item", [NATIVE, THEORY])
def test_masks_stand_around_the_advice(item: str) -> None:
    slot = Slot(CUE, (item,))
    odd = Oddity(KINDS["corrupt_mask"])
    assert refusal(odd, slot, NOTHING) == ""
    (after,) = damage(odd, slot, 0, NOTHING).items
    assert all(text in after for text in stands(item))
    assert after.count("[X") > 8


def test_the_two_numbers_are_said_where_words_are_too_few() -> None:
    slot = Slot(CUE, (THEORY,))
    reason = refusal(Oddity(KINDS["filler"]), slot, NOTHING)
    assert reason.startswith("too few words stand outside its advice: 30 can be damaged there, where filler")
    assert "damages 51 in the whole slot" in reason


def test_a_slot_of_one_advised_word_has_nothing_around_it() -> None:
    reason = refusal(Oddity(KINDS["corrupt_mask"]), Slot(CUE, ("Stop",)), NOTHING)
    assert reason.startswith("too few words stand outside its advice: 0 can be damaged there")


def test_the_placebo_is_known_by_its_name() -> None:
    odd = compose("oddity+corrupt_mask", ALL)
    assert odd == Oddity(KINDS["corrupt_mask"])
    assert (odd.name, odd.aim.declared.effect, odd.aim.declared.raw) == (
        "oddity+corrupt_mask",
        "wording",
        "no",
    )


def test_a_trajectory_tells_nothing_and_stands() -> None:
    item = "Task: go\n\nStep 1\nThought: a\nAction: b\n\nStep 2\nThought: c\nAction: d\n"
    assert advice_spans(item) == ((0, len(item)),)
    assert spans_around(item) == ()


def test_advice_is_read_in_time_in_proportion_to_the_text() -> None:
    texts = [
        lambda size: "The lamp is red, and it stays. " * (size // 31),
        lambda size: "," * size,
        lambda size: "when, " * (size // 6),
        lambda size: "a b " * (size // 4),
    ]
    assert fastest_growth(advice_spans, texts) == ""
