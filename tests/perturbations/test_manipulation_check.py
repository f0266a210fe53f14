"""The manipulation check measures the texts, and catches damage that was not done."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from numpy.random import Generator, default_rng

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.perturbations.advice.known_actions import NOTHING_KNOWN
from loadbearing.perturbations.corrupt_invert import CorruptInvert
from loadbearing.perturbations.corrupt_mask import CorruptMask
from loadbearing.perturbations.counter import Counter
from loadbearing.perturbations.empty import Empty
from loadbearing.perturbations.filler import Filler
from loadbearing.perturbations.instructed import Instructed
from loadbearing.perturbations.irrelevant_generic import IrrelevantGeneric
from loadbearing.perturbations.irrelevant_swap import IrrelevantSwap
from loadbearing.perturbations.language.differences import n_changed, n_flips
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.members import ALL
from loadbearing.perturbations.paraphrase import Paraphrase
from loadbearing.perturbations.perturbation import Aim, Perturbation
from loadbearing.perturbations.shuffle import Shuffle
from loadbearing.perturbations.without import Without
from tests.support.slots import CUE, DONOR, slots, well_formed

every_kind = pytest.mark.parametrize("perturb", ALL, ids=lambda kind: kind.name)
NATIVE = "# Memory Item 1\n## Title Brass\n## Description Levers.\n## Content Pull the brass lever `twice`."


@dataclass(frozen=True, slots=True)
class Inert:
    """Says that it is some kind, and returns its input."""

    name: str
    aim: Aim

    def why_not(self, slot: Slot, donor: Slot) -> str:
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        return slot


@every_kind
@settings(max_examples=20, deadline=None)
@given(slot=slots())
def test_a_kind_that_returns_its_input_is_caught(perturb: Perturbation, slot: Slot) -> None:
    inert = Inert(perturb.name, perturb.aim)
    found = check(inert, slot, inert(slot, default_rng(0), DONOR))
    assert not found.passed
    assert found.reason
    assert found.words_changed == found.flips == found.order_changed == 0


def test_the_aims_are_those_of_the_design() -> None:
    assert Without().aim == Aim((0.0, 0.0), None, 0, block=False)
    assert Empty().aim == Aim((0.0, 0.0), None)
    assert Filler().aim == Aim((0.0, 0.05), (0.9, 1.1))
    assert IrrelevantSwap().aim == Aim((0.0, 0.3), (0.9, 1.1))
    assert CorruptMask().aim == Aim((0.0, 0.6), (0.9, 1.1))
    assert IrrelevantGeneric().aim == Aim((0.0, 0.3), (0.9, 1.1))
    assert Shuffle().aim == Aim((1.0, 1.0), (1.0, 1.0), order=1.0)
    assert Paraphrase().aim == Aim((0.7, 1.0), (0.9, 1.1), most_flips=0, quotes=True)
    assert CorruptInvert().aim == Aim((0.6, 1.0), (0.9, 1.1), flips=1)
    assert Counter().aim == Aim((0.0, 1.0), (0.9, 1.1), instead=NOTHING_KNOWN)
    assert Instructed().aim == Aim((1.0, 1.0), (1.0, 1.0), instructs=True)


@settings(max_examples=20, deadline=None)
@given(slot=well_formed)
def test_no_damage_passes_for_a_stronger_one(slot: Slot) -> None:
    """Each kind is measured against every other aim that it cannot meet."""
    rng = default_rng(0)
    after = {kind.name: kind(slot, rng, DONOR) for kind in ALL}
    assert not check(Filler(), slot, after["corrupt_mask"]).passed
    assert not check(CorruptMask(), slot, after["corrupt_invert"]).passed
    assert not check(CorruptInvert(), slot, after["corrupt_mask"]).passed
    assert not check(Filler(), slot, after["empty"]).passed
    assert not check(Without(), slot, after["empty"]).passed
    assert not check(Empty(), slot, after["without"]).passed


@pytest.mark.parametrize(
    ("kind", "after", "word"),
    [
        (Empty(), Slot("", ("# Memory Item 1\n## Title\n## Description\n## Content",)), "cue"),
        (Empty(), Slot(CUE, ()), "number of items"),
        (
            Filler(),
            Slot(CUE, ("lorem ipsum dolor amet elit magna sint duis nulla velit anim culpa esse",)),
            "headings",
        ),
        (
            Filler(),
            Slot(CUE, ("# Memory Item 1\n## Title lorem\n## Description lorem\n## Content lorem",)),
            "words",
        ),
        (Filler(), Slot(CUE, (NATIVE.replace("twice", "lorem"),)), "content words"),
        (CorruptInvert(), Slot(CUE, (NATIVE.replace("twice", "quickly"),)), "flips"),
        (Without(), Slot(CUE, ()), "still there"),
        (Paraphrase(), Slot(CUE, (NATIVE.replace("Pull", "Push"),)), "at most 0"),
        (Paraphrase(), Slot(CUE, (NATIVE.replace("`twice`", "`again`"),)), "quoted"),
        (Shuffle(), Slot(CUE, (NATIVE.replace("Pull the", "the Pull"),)), "elsewhere"),
    ],
)
def test_each_shortfall_is_named(kind: Perturbation, after: Slot, word: str) -> None:
    found = check(kind, Slot(CUE, (NATIVE,)), after)
    assert not found.passed
    assert word in found.reason


def test_the_measures_of_a_known_damage() -> None:
    before = Slot(CUE, ("Pull the brass lever twice.", "Never wait."))
    after = Slot(CUE, ("Push the brass lever twice.", "Always wait."))
    found = check(CorruptInvert(), before, after)
    assert (found.words_changed, found.length_ratio, found.structure_kept, found.flips) == (
        pytest.approx(2 / 7),
        1.0,
        True,
        2,
    )
    assert found.content_words_left == pytest.approx(4 / 5)
    assert found.passed
    assert json.loads(json.dumps(found.to_json()))["content_words_left"] == found.content_words_left


def test_content_left_is_the_worse_of_types_and_tokens() -> None:
    before = Slot(CUE, ("lever lever lever lamp",))
    one = check(CorruptMask(), before, Slot(CUE, ("lever lever lever [X1]",)))
    other = check(CorruptMask(), before, Slot(CUE, ("lever [X1] [X2] lamp",)))
    assert one.content_words_left == pytest.approx(3 / 4)
    assert other.content_words_left == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("before", "after", "flips"),
    [
        ("Never pull it.", "Always pull it.", 1),
        ("Do `x` now.", "Avoid `x` now.", 1),
        ("If lit, pull.", "Unless lit, pull.", 1),
        ("Wait before noon.", "Wait after noon.", 1),
        ("Turn to 30.", "Turn to 61.", 1),
        ("Turn it left. Turn it on.", "Turn it right. Turn it off.", 2),
        ("When lit, pull the lever.", "When lit, never pull lever.", 1),
        ("It is safe.", "It isn't safe.", 1),
        ("When lit, do `x`.", "Unless lit, avoid `x`.", 0),
        ("Never open it.", "Always close it.", 0),
        ("Avoid it.", "Never it.", 0),
        ("Pull the red lever.", "Pull the green lever.", 0),
        ("Same text.", "Same text.", 0),
    ],
)
def test_flips_are_read_from_the_texts_and_two_in_a_sentence_cancel(
    before: str, after: str, flips: int
) -> None:
    assert n_flips(before, after) == flips


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("a b c", "a b c", 0),
        ("a b c", "a x c", 1),
        ("a b", "a b c d", 2),
        ("a b c", "", 3),
    ],
)
def test_changed_words_are_counted_in_place(before: str, after: str, changed: int) -> None:
    assert n_changed(before, after) == changed


def test_nothing_against_nothing() -> None:
    found = check(Without(), NOTHING, NOTHING)
    assert (found.passed, found.length_ratio, found.content_words_left) == (False, 1.0, 1.0)
