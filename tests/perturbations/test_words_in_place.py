"""Masks and filler: as long as the words they replace, and no answer is left to read."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.filler import Filler
from memtrial.perturbations.language.word_spans import count_content
from memtrial.perturbations.manipulation_check import check
from memtrial.protocols import Perturbation
from tests.support.damaging import damage
from tests.support.slots import CUE, well_formed

ITEM = (
    "# Memory Item 1\n## Title Which of Ed Wood\n## Description Learned in the year 1994 from four trials.\n"
    '## Content When "Ed Wood" is asked for, do `Search[Ed Wood]`, then `Finish[no]`, never `Finish[yes]`,'
    " because the reviewer Scott Derrickson says so."
)


@pytest.mark.parametrize("seed", range(5))
def test_no_word_of_the_advice_is_left_under_masks_and_every_other_word_stands(seed: int) -> None:
    (after,) = damage(CorruptMask(), Slot(CUE, (ITEM,)), seed, NOTHING).items
    left = count_content((after,))
    for word in ("ed", "wood", "search", "finish", "yes"):
        assert word not in left
    assert "[no]" not in after
    assert "## Description Learned in the year 1994 from four trials." in after
    assert after.endswith("because the reviewer Scott Derrickson says so.")


def test_function_words_stand_in_the_advice() -> None:
    item = "When it is dark, put the lamp on the shelf before you open the gate, because it is heavy."
    (after,) = damage(CorruptMask(), Slot(CUE, (item,)), 0, NOTHING).items
    shape = re.sub(r"\[X+\]", "_", after)
    assert shape == "When it is dark, _ the _ on the _ before you _ the _, because it is heavy."


def test_a_dose_hides_its_share_of_the_advice() -> None:
    item = "Carry the brass lamp past the narrow gate, the broad river and the quiet mill."
    slot = Slot(CUE, (item,))
    after = damage(CorruptMask(dose=0.5), slot, 0, NOTHING)
    assert after.text.count("[") == 5
    assert check(CorruptMask(dose=0.5), slot, after).passed
    assert "still stand" in check(CorruptMask(), slot, after).reason
    more = Slot(CUE, ("The day was long. " + item,))
    hidden = damage(CorruptMask(), more, 0, NOTHING).text.replace("long", "[X]")
    assert "no word of the advice" in check(CorruptMask(), more, Slot(CUE, (hidden.split("\n")[-1],))).reason


def test_the_marks_of_short_answers_are_alike() -> None:
    (after,) = damage(CorruptMask(), Slot(CUE, (ITEM,)), 0, NOTHING).items
    assert after.count("[[X]]") == 2


def test_a_memory_that_holds_the_letter_gets_another_mark() -> None:
    (after,) = damage(CorruptMask(), Slot(CUE, ("Put the clean X into the green Y.",)), 0, NOTHING).items
    assert "[Z" in after


@pytest.mark.parametrize("kind", [CorruptMask(), Filler()], ids=lambda kind: kind.name)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(slot=well_formed, seed=st.integers(0, 5))
def test_characters_are_as_many(kind: Perturbation, slot: Slot, seed: int) -> None:
    after = damage(kind, slot, seed, NOTHING)
    before = sum(map(len, slot.items))
    assert abs(sum(map(len, after.items)) - before) <= 0.05 * before + 12
