"""Oddity placebos: the advice stands, and as many words around it are damaged as the kind damages."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.structure import parts
from memtrial.memory.words import words
from memtrial.perturbations.composite import compose
from memtrial.perturbations.damage_contract import DamageContext, Damaged, items_digest
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.language.differences import n_changed, n_negations
from memtrial.perturbations.language.word_spans import count_content
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
    if name == "corrupt_invert":
        for item, inverted in zip(after.items, whole.items, strict=True):
            assert n_negations(item) >= n_negations(inverted)
    tokens = [[set(item.split()) for item in one.items] for one in (slot, after)]
    if len(after.text.split()) > len(slot.text.split()) + 3 and all(map(set.issubset, *tokens)):
        return  # beside the items, which stand
    word_by_word = name in ("corrupt_mask", "filler")
    count = n_replaced if word_by_word else n_changed
    here, there = (
        sum(count(*pair) for pair in zip(slot.items, one.items, strict=True)) for one in (after, whole)
    )
    assert abs(here - there) <= max(1, TOLERANCE * there) + (0 if word_by_word else 2)


def n_replaced(before: str, after: str) -> int:
    return sum(one != other for one, other in zip(words(before), words(after), strict=False))


@pytest.mark.parametrize("item", [NATIVE, THEORY])
def test_masks_stand_around_the_advice(item: str) -> None:
    slot = Slot(CUE, (item,))
    odd = Oddity(KINDS["corrupt_mask"])
    assert refusal(odd, slot, NOTHING) == ""
    (after,) = damage(odd, slot, 0, NOTHING).items
    assert all(text in after for text in stands(item))
    assert after.count("[X") > 2


@every_odd
def test_where_nothing_stands_around_the_advice_odd_text_of_as_many_words_is_added(name: str) -> None:
    item = "In the boiler room, turn the red valve of brass before you open the hatch to the hall."
    slot = Slot(CUE, (item,))
    odd = Oddity(KINDS[name])
    (after,) = damage(odd, slot, 0, NOTHING).items
    assert after.startswith(item)
    whole = damage(odd.kind, slot, 0, NOTHING).items[0]
    count = n_replaced if name in ("corrupt_mask", "filler") else n_changed
    n_added = len(after.removeprefix(item).split())
    assert n_added == max(4, min(count(item, whole), len(item.split())))
    assert not count_content((item,)).keys() & count_content((after.removeprefix(item),)).keys()
    assert check(odd, slot, Slot(CUE, (after,))).passed
    assert not check(odd, slot, Slot(CUE, (after.replace("red", "blue"),))).passed
    added = after.removeprefix(item)
    latin = set(read_section("filler.latin").split())
    shown = {
        "corrupt_invert": " never " in added,
        "corrupt_mask": "[X" in added,
        "filler": set(added.lower().replace(".", "").split()) <= latin,
        "irrelevant_generic": "[" not in added and " never " not in added,
    }
    assert shown[name]


def test_a_placebo_of_damage_that_a_model_wrote_is_as_long_as_that() -> None:
    item = "In the boiler room, turn the red valve of brass before you open the hatch to the hall."
    slot = Slot(CUE, (item,))
    turned = item.replace(
        "turn the red valve of brass before", "leave the red valve as it stands until after"
    )
    written = {("corrupt_invert", items_digest(slot)): (turned,)}
    odd = Oddity(KINDS["corrupt_invert"])
    done = odd.apply(slot, np.random.default_rng(0), DamageContext(written=written))
    assert isinstance(done, Damaged)
    assert len(done.slot.items[0].removeprefix(item).split()) == n_changed(item, turned) > 5


def test_the_placebo_of_an_inversion_negates_as_often_as_that_item_by_item() -> None:
    two = "When the belt hangs slack, wind the reel. When frost covers the gate, oil the treadle."
    one = "When the lamp is lit, press the button."
    slot = Slot(CUE, (two, one))
    odd = Oddity(KINDS["corrupt_invert"])
    after, whole = damage(odd, slot, 0, NOTHING), damage(odd.kind, slot, 0, NOTHING)
    assert [n_negations(item) for item in whole.items] == [2, 1]
    assert [n_negations(item) for item in after.items] == [2, 1]
    assert all(now.startswith(was) for was, now in zip(slot.items, after.items, strict=True))
    assert check(odd, slot, after).passed


def test_what_speaks_against_something_is_not_turned_in_a_placebo() -> None:
    item = (
        "# Memory Item 1\n## Title Get the loom\n## Description Worth it. Does not help when rust is there."
        "\n## Content When the dial points north, flip the switch, because the loom runs then."
    )
    slot = Slot(CUE, (item,))
    (after,) = damage(Oddity(KINDS["corrupt_invert"]), slot, 0, NOTHING).items
    (whole,) = damage(KINDS["corrupt_invert"], slot, 0, NOTHING).items
    assert "Does not help when rust is there." in after
    assert n_negations(after) == n_negations(whole)


def test_what_is_added_stands_behind_the_explanation_and_no_form_or_trigger_changes() -> None:
    slot = Slot(CUE, (THEORY,))
    (after,) = damage(Oddity(KINDS["filler"]), slot, 0, NOTHING).items
    added = {part.label for part, other in zip(parts(THEORY), parts(after), strict=True) if part != other}
    assert added == {"mechanism"}


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
