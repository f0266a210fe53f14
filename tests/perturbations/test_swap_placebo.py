"""The oddity placebo of foreign memory: items stand verbatim, foreign text stands beside them."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import Slot
from memtrial.api.perturb import perturb
from memtrial.memory.language.structure import parts
from memtrial.perturbations.composite import compose
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.perturbations.irrelevant.swap_placebo import SwapPlacebo
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.manipulation_check import check
from tests.support.damaging import damage, refusal
from tests.support.slots import CUE, DONOR, slots

PLACEBO, SWAP = SwapPlacebo(), IrrelevantSwap()
NATIVE = "# Memory Item {}\n## Title {}\n## Description {}\n## Content {}"
OWN = NATIVE.format(
    1,
    "Filter Before You Scroll",
    "How to find a product on a site with long result pages.",
    "Set the price filter first. Scrolling wastes steps, since each page shows ten products; look at the rest"
    " later. Never buy before the options are chosen.",
)
COOK = NATIVE.format(
    1,
    "Taste the Soup Early",
    "What a cook does while broth simmers for many hours.",
    "Salt draws water out of onions. Add it in small amounts, because nobody can take it back; wait between"
    " spoonfuls. Serve the bowl when carrots are soft.",
)


def bodies(item: str) -> dict[str, str]:
    return {part.label: part.body.strip() for part in parts(item)}


def test_each_text_stands_and_the_foreign_one_behind_it_but_the_title() -> None:
    slot, donor = Slot(CUE, (OWN,)), Slot(CUE, (COOK,))
    after = damage(PLACEBO, slot, 0, donor)
    own, foreign, seen = bodies(OWN), bodies(COOK), bodies(after.items[0])
    assert seen["title"] == own["title"]
    for label in ("description", "content"):
        assert seen[label] == f"{own[label]} {foreign[label]}"
    assert check(PLACEBO, slot, after).passed
    assert not check(PLACEBO, slot, Slot(CUE, (after.items[0].replace("price", "size"),))).passed


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(slot=slots(), seed=st.integers(0, 5))
def test_it_applies_where_the_swap_does_and_holds_the_text_of_that(slot: Slot, seed: int) -> None:
    after, swapped = damage(PLACEBO, slot, seed, DONOR), damage(SWAP, slot, seed, DONOR)
    if reason := refusal(PLACEBO, slot, DONOR):
        assert after == slot
        ours = ("a trajectory has no advice", "an item has no text")
        assert reason == refusal(SWAP, slot, DONOR) or reason.startswith(ours)
        return
    assert check(PLACEBO, slot, after).passed
    for own, foreign, item in zip(slot.items, swapped.items, after.items, strict=True):
        for mine, theirs, both in zip(parts(own), parts(foreign), parts(item), strict=True):
            assert both.body.startswith(mine.body.rstrip())
            if both.body != mine.body:
                assert both.body.rstrip().endswith(theirs.body.strip())


def test_a_trajectory_has_no_placebo_of_foreign_text() -> None:
    item = "Task: go\n\nStep 1\nThought: a\nAction: b\n\nStep 2\nThought: c\nAction: d\n"
    assert "trajectory" in refusal(PLACEBO, Slot(CUE, (item,)), DONOR)


def test_in_the_same_place_the_placebo_holds_the_foreign_text_that_the_swap_shows() -> None:
    donors = [COOK.replace("onions", food).replace("carrots", food) for food in ("leeks", "turnips", "beets")]
    lines = "\n".join(json.dumps({"items": [{"markdown": item}]}) for item in (OWN, *donors))
    swapped, beside = (perturb(lines, kind, 3).slots[0].after for kind in (SWAP.name, PLACEBO.name))
    assert any(food in swapped for food in ("leeks", "turnips", "beets"))
    assert bodies(swapped)["content"] in bodies(beside)["content"]


def test_it_draws_as_the_swap_does_and_is_known_by_its_name() -> None:
    placebo = compose("oddity+irrelevant_swap", ALL)
    assert placebo == PLACEBO
    assert (placebo.name, placebo.aim.declared.draws_as) == ("oddity+irrelevant_swap", "irrelevant_swap")
    assert placebo.aim.declared.effect == "wording"
