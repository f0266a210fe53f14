"""Shuffle: the steps of a raw trajectory at other places, and nothing else."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import recount
from memtrial.api.perturb import perturb
from memtrial.memory.language.structure import parts, skeleton
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.shuffle import Shuffle, most_changed, order_changed, steps
from tests.support.damaging import damage, refusal
from tests.support.slots import CUE, DONOR, NOTES, told, well_formed


def told_in(letters: str) -> str:
    made = tuple(Step(f"thought {one}", f"act {one}", f"Seen {one}.\nMore {one}.") for one in letters)
    return recount(Trajectory("t", "t", "Find it.", "failure", made))


def shuffled(item: str, seed: int = 0, dose: float = 1.0) -> str:
    return damage(Shuffle(dose), Slot(CUE, (item,)), seed, NOTHING).items[0]


def letters(item: str) -> str:
    return "".join(step.bodies[2][-1] for step in steps(item))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("order", ["ab", "abc", "abcdefghijklmnopqrst"])
def test_no_step_stays_and_each_keeps_its_text(order: str, seed: int) -> None:
    before = told_in(order)
    after = shuffled(before, seed)
    assert all(one != other for one, other in zip(order, letters(after), strict=True))
    assert Counter(steps(after)) == Counter(steps(before))
    assert skeleton(after) == skeleton(before)
    assert Counter(after.split()) == Counter(before.split())
    assert [(one.head, one.body) for one in parts(after) if not one.step] == [
        (one.head, one.body) for one in parts(before) if not one.step
    ]


def test_the_order_is_drawn() -> None:
    assert len({shuffled(told_in("abcdef"), seed) for seed in range(8)}) > 4


@settings(deadline=None, max_examples=100)
@given(
    order=st.text("abc", min_size=2, max_size=12),
    dose=st.sampled_from([0.1, 0.3, 0.5, 0.8, 1.0]),
    seed=st.integers(0, 5),
)
def test_as_many_steps_move_as_equal_ones_allow(order: str, dose: float, seed: int) -> None:
    before = Slot(CUE, (told_in(order),))
    kind = Shuffle(dose)
    if len(set(order)) == 1:
        assert "two different steps" in refusal(kind, before, DONOR)
        return
    assert refusal(kind, before, DONOR) == ""
    after = damage(kind, before, seed, DONOR)
    found = check(kind, before, after)
    assert found.passed, found
    moved = sum(one != other for one, other in zip(order, letters(after.items[0]), strict=True))
    assert found.order_changed == pytest.approx(moved / len(order))
    if dose == 1:
        assert moved == min(len(order), 2 * (len(order) - max(Counter(order).values())))
    else:
        assert moved <= max(2, round(dose * len(order)))


@settings(deadline=None, max_examples=40)
@given(slot=told, seed=st.integers(0, 3))
def test_a_trajectory_of_different_steps_is_shuffled_and_turns_nothing(slot: Slot, seed: int) -> None:
    if refusal(Shuffle(), slot, DONOR):
        assert most_changed(slot) == 0
        return
    found = check(Shuffle(), slot, damage(Shuffle(), slot, seed, DONOR))
    assert found.passed, found
    assert (found.flips, found.content_words_left, found.length_ratio) == (0, 1.0, 1.0)
    assert found.order_changed == pytest.approx(most_changed(slot))
    assert found.to_json()["order_changed"] == found.order_changed


@settings(deadline=None, max_examples=20)
@given(slot=well_formed)
def test_items_are_no_trajectory(slot: Slot) -> None:
    assert "no raw trajectory" in refusal(Shuffle(), slot, DONOR)
    assert damage(Shuffle(), slot, 0, DONOR) == slot


@pytest.mark.parametrize("item", [*NOTES, told_in("a"), told_in("aaa")])
def test_where_no_step_can_move_it_says_so(item: str) -> None:
    assert refusal(Shuffle(), Slot(CUE, (item,)), DONOR)
    assert shuffled(item) == item


def test_a_step_without_its_labels_like_stays() -> None:
    log = (
        "Thought 1: look\nAction 1: a\nObservation 1: b\n"
        "Thought 2: on\nAction 2: c\nObservation 2: d\nAction 3: e"
    )
    after = shuffled(log)
    assert after == log.replace("look", "X").replace("on\n", "look\n").replace("X", "on").replace(
        "1: a", "1: c"
    ).replace("2: c", "2: a").replace("1: b", "1: d").replace("2: d", "2: b")
    assert check(Shuffle(), Slot("", (log,)), Slot("", (after,))).passed


@pytest.mark.parametrize(
    ("after", "word"),
    [("abc", "as it was"), ("abd", "text of a step"), ("bac", "stand elsewhere")],
    ids=["nothing", "another text", "too few"],
)
def test_an_order_that_did_not_change_is_caught(after: str, word: str) -> None:
    found = check(Shuffle(), Slot(CUE, (told_in("abc"),)), Slot(CUE, (told_in(after),)))
    assert not found.passed
    assert word in found.reason or "content words" in found.reason


def test_new_words_are_no_new_order() -> None:
    before = Slot(CUE, (told_in("abcd"),))
    assert order_changed(before, damage(CorruptMask(), before, 0, DONOR)) == 0


@pytest.mark.parametrize("dose", [0.0, 1.5, -1.0])
def test_a_dose_is_a_share(dose: float) -> None:
    with pytest.raises(ValueError, match="dose"):
        Shuffle(dose)


def test_a_file_that_condense_wrote_is_shuffled(tmp_path: Path) -> None:
    lines = [
        {"items": [{"markdown": told_in("abc"), "schema": "prose"}]},
        {"items": [{"markdown": told_in("abcd")}, {"markdown": NOTES[0]}]},
        {"items": [{"markdown": NOTES[1]}]},
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    rows = [one.model_dump() for one in perturb(path, "shuffle").slots]
    assert [(row["applicable"], row["passed"]) for row in rows] == [
        (True, True),
        (True, True),
        (False, False),
    ]
    assert rows[0]["check"]["order_changed"] == 1.0
    assert NOTES[0] in rows[1]["after"]
    assert "no raw trajectory" in rows[2]["reason"]
