"""The manipulation check measures the texts, and catches damage that was not done."""

import json
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from numpy.random import Generator

from memtrial.agents.slot import NOTHING, Slot
from memtrial.perturbations.aim import Aim, Declaration, Length, Verbatim, Wording
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.damage_contract import DamageContext, Damaged
from memtrial.perturbations.filler import Filler
from memtrial.perturbations.instructed import Instructed
from memtrial.perturbations.irrelevant.irrelevant_generic import IrrelevantGeneric
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.language.differences import n_changed, n_contradicted, n_flips
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.paraphrase import Paraphrase
from memtrial.perturbations.removal import Empty, Without
from memtrial.perturbations.shuffle import Shuffle
from memtrial.protocols import Perturbation
from tests.support.damaging import damage
from tests.support.slots import CUE, DONOR, slots, well_formed

every_kind = pytest.mark.parametrize("perturb", ALL, ids=lambda kind: kind.name)
NATIVE = "# Memory Item 1\n## Title Brass\n## Description Levers.\n## Content Pull the brass lever `twice`."


@dataclass(frozen=True, slots=True)
class Inert:
    """Says that it is some kind, and returns its input."""

    name: str
    aim: Aim

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged:
        return Damaged(slot)


@every_kind
@settings(max_examples=20, deadline=None)
@given(slot=slots())
def test_a_kind_that_returns_its_input_is_caught(perturb: Perturbation, slot: Slot) -> None:
    inert = Inert(perturb.name, perturb.aim)
    found = check(inert, slot, damage(inert, slot, 0, DONOR))
    assert not found.passed
    assert found.reason
    assert found.words_changed == found.flips == found.order_changed == 0


MEANING, REMOVAL = Declaration("meaning"), Declaration("removal")
GONE, SIGNS = (0.0, 0.0), Wording(sentences=False)


def test_the_aims_are_those_of_the_design() -> None:
    assert Aim() == Aim(
        (0.0, 1.0), Length(0.9, 1.1, "item"), "damaged", "free", declared=Declaration("other")
    )
    assert Without().aim == Aim(GONE, None, "removed", declared=REMOVAL)
    assert Empty().aim == Aim(GONE, None, declared=replace(REMOVAL, raw="also"))
    assert Filler().aim == Aim((0.0, 0.05), wording=SIGNS, declared=REMOVAL)
    swapped = Aim((0.0, 0.3), Length(unit="slot"), declared=replace(MEANING, raw="also"))
    assert IrrelevantSwap().aim == swapped
    assert CorruptMask().aim == Aim(advice_hidden=1.0, wording=SIGNS, declared=MEANING)
    assert CorruptMask(dose=0.5).aim.advice_hidden == 0.5
    assert CorruptInvert(dose=0.5).aim.advice == "turned in part"
    assert IrrelevantGeneric().aim == Aim((0.0, 0.3))
    shuffled = Aim((1.0, 1.0), Length(1.0, 1.0), steps_moved=1.0, declared=Declaration(raw="only"))
    assert Shuffle().aim == shuffled
    assert Paraphrase().aim == Aim(
        (0.7, 1.0),
        advice="kept",
        verbatim=Verbatim(quotes=True),
        wording=Wording(least_changed=0.15),
        declared=Declaration("wording"),
    )
    assert CorruptInvert().aim == Aim(
        (0.6, 1.0), Length(few=2), advice="turned", verbatim=Verbatim(True, ("what", "why")), declared=MEANING
    )
    assert Counter().aim == Aim(advice="exchanged", declared=MEANING)
    assert Instructed().aim == Aim((1.0, 1.0), Length(1.0, 1.0), "instructed")


@settings(max_examples=20, deadline=None)
@given(slot=well_formed)
def test_no_damage_passes_for_a_stronger_one(slot: Slot) -> None:
    """Each kind is measured against every other aim that it cannot meet."""
    after = {kind.name: damage(kind, slot, 0, DONOR) for kind in ALL}
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


@dataclass(frozen=True, slots=True)
class Asked:
    """A kind of this aim; only the check reads it."""

    aim: Aim
    name: str = "asked"


CLAIM = (
    "# Memory Item 1\n## Claim When the panel glows, pull the brass lever at once, because steam escapes."
    "\n## Trigger state: panel glows\n## Mechanism The brass lever closes the valve.\n## Form heuristic"
)
KEEPS = Aim()


@pytest.mark.parametrize(
    ("aim", "old", "new", "said"),
    [
        (KEEPS, "steam escapes", "overpressurization deindustrializes internationalization", "characters"),
        (Aim(verbatim=Verbatim(all_but=("what",))), "glows, pull", "fades, pull", "says of `when`"),
        (Aim(verbatim=Verbatim(all_but=("what",))), "closes", "opens", "says of `why`"),
        (Aim(verbatim=Verbatim(all_but=("why",))), "pull", "push", "says of `what`"),
        (Aim(wording=Wording(least_changed=0.15)), "at once", "quickly now", "at least 15%"),
        (KEEPS, "the brass lever at", "the the lever at", "a word twice"),
        (KEEPS, "steam escapes", "steam and", "ends with"),
        (Aim(advice="turned"), "pull", "never pull", "for the reason"),
        (Aim(advice="kept"), "steam escapes", "steam never escapes", "at most 0"),
        (Aim(length=Length(unit="slot")), "steam", "the steam of it all", "the slot has"),
    ],
)
def test_each_wish_of_an_aim_is_asked(aim: Aim, old: str, new: str, said: str) -> None:
    found = check(Asked(aim), Slot(CUE, (CLAIM,)), Slot(CUE, (CLAIM.replace(old, new, 1),)))  # type: ignore[arg-type]
    assert not found.passed
    assert said in found.reason


def test_steps_that_trade_places_keep_their_text() -> None:
    steps = [
        "Thought: Red.\nAction: pull it\nObservation: It moves.",
        "Thought: Blue.\nAction: push it\nObservation: It stands.",
    ]
    first, second = (f"Step {n}\n" for n in (1, 2))
    before = f"Task: Start it.\n{first}{steps[0]}\n{second}{steps[1]}"
    after = f"Task: Start it.\n{first}{steps[1]}\n{second}{steps[0]}"
    kept, lost = (
        check(Shuffle(), Slot(CUE, (before,)), Slot(CUE, (text,)))
        for text in (after, after.replace("It moves", "That moves"))
    )
    assert kept.passed, kept.reason
    assert "changed in the text of a step" in lost.reason


def test_what_must_stand_is_looked_for_in_order() -> None:
    aim = Aim(verbatim=Verbatim(spans=lambda item: ((item.index("pull"), item.index(" at once")),)))
    slot = Slot(CUE, (CLAIM,))
    kept = check(Asked(aim), slot, Slot(CUE, (CLAIM.replace("steam escapes", "smoke escapes"),)))  # type: ignore[arg-type]
    lost = check(Asked(aim), slot, Slot(CUE, (CLAIM.replace("brass lever at", "steel lever at"),)))  # type: ignore[arg-type]
    assert kept.passed
    assert "to stay verbatim" in lost.reason


def test_the_length_of_a_slot_may_move_between_its_items() -> None:
    before = Slot(CUE, ("Pull the brass lever when the red lamp is lit.", "Wait."))
    after = Slot(CUE, ("Wait.", "Push the steel pedal while the blue bell is loud."))
    by_item, by_slot = (check(Asked(aim), before, after) for aim in (KEEPS, Aim(length=Length(unit="slot"))))  # type: ignore[arg-type]
    assert "words" in by_item.reason
    assert by_slot.passed


def test_the_share_of_each_role_that_was_touched() -> None:
    after = CLAIM.replace("pull the brass lever", "push the steel lever").replace(
        "closes the", "shuts the old"
    )
    found = check(Asked(KEEPS), Slot(CUE, (CLAIM,)), Slot(CUE, (after,)))  # type: ignore[arg-type]
    assert found.roles == {"when": 0.0, "what": round(2 / 6, 4), "why": round(2 / 9, 4), "form": 0.0}
    assert json.loads(json.dumps(found.to_json()))["roles"] == found.roles
    gone = check(Without(), Slot(CUE, (CLAIM,)), NOTHING)
    assert set(gone.roles.values()) == {1.0}


@pytest.mark.parametrize(
    ("before", "after", "flips"),
    [
        ("Open it, because it resets.", "Avoid opening it, because it never resets.", 1),
        ("Use `a1` instead of `b1`.", "Use `b1` instead of `a1`.", 1),
        ("Prefer tea over coffee.", "Prefer coffee over tea.", 1),
        ("Rather than guess, search.", "Search rather than guess.", 0),
        ("In S, do `a1`, then `b1`.", "In S, avoid `a1`, and avoid `b1`.", 1),
        ("Pour it in the cup, never in the jug.", "Never pour it in the cup, always in the jug.", 1),
        ("Do not open it, and close the door.", "Close the door, and do not open it.", 0),
        ("It stands since 1990.", "It stands since 1991.", 1),
        ("Search A before B.", "Search B before A.", 1),
        ("Search Ada before Bo.", "Search Bo after Ada.", 0),
        ("Edit only after the test fails.", "Edit only before the test fails.", 1),
        ("Ask the user for it, never guess it.", "Guess it, never ask the user for it.", 1),
        ("Open the shelf, then the drawer.", "Open the drawer, then the shelf.", 1),
        ("Pay by card. Wait for the slip.", "Pay by card. Note it. Never wait for the slip.", 1),
        ("Note it. Pay by card.", "Pay by card. Note it.", 0),
    ],
)
def test_flips_by_step_around_a_contrast_and_without_the_reason(before: str, after: str, flips: int) -> None:
    assert n_flips(before, after) == flips


@pytest.mark.parametrize(
    ("before", "after", "flips"),
    [
        # the same order, said with a negation
        ("Fill in both dates before clicking it.", "Do not click it before both dates are filled in.", 0),
        (
            "In a join, do filter the table before joining it.",
            "In a join, do join the table after filtering it.",
            0,
        ),
        ("Fill in both dates before clicking it.", "Do not fill in both dates before clicking it.", 1),
        ("Fill in both dates before clicking it.", "Click it before both dates are filled in.", 1),
        # the same advice with a verb that negates, or with two negations
        ("Avoid typing the whole sentence.", "Refrain from typing the whole sentence.", 0),
        ("Avoid calling Finish early.", "Do hold back calling Finish early.", 0),
        ("Do ask for the date.", "Do not forget to ask for the date.", 0),
        ("Type the whole sentence.", "Refrain from typing the whole sentence.", 1),
    ],
)
def test_the_old_advice_in_a_negative_dress_is_no_flip(before: str, after: str, flips: int) -> None:
    assert n_flips(before, after) == flips
    assert n_flips(after, before) == flips


def test_a_reason_left_behind_turned_advice_contradicts_it_and_a_purpose_does_not() -> None:
    assert n_contradicted("Open it, because it resets.", "Never open it, because it resets.") == 1
    assert n_contradicted("Open it, because it resets.", "Never open it, because it never resets.") == 0
    assert n_contradicted("Open it so that they stay.", "Never open it so that they stay.") == 0


TITLED = "# Memory Item 1\n## Title Sort the list first\n## Description Lists.\n## Content "


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        (f"{TITLED}Sort the list by date.", f"{TITLED}Never sort the list by date.", "title"),
        ("Sort the list. Read the top row.", "Never sort the list. Read the top row.", "text"),
        (
            f"{TITLED}Sort the list. It is quick.",
            f"{TITLED}Sort the list. It is not quick.".replace("Sort the list first", "Never sort first"),
            "content",
        ),
    ],
)
def test_an_item_that_still_gives_its_old_advice_in_one_place_contradicts_itself(
    before: str, after: str, place: str
) -> None:
    found = check(CorruptInvert(), Slot("", (before,)), Slot("", (after,)))
    assert not found.passed
    assert f"still advises in its {place}" in found.reason or "flips" in found.reason
    assert found.contradictions == 1
    assert found.to_json()["contradictions"] == 1
    half = check(CorruptInvert(dose=0.5), Slot("", (before,)), Slot("", (after,)))
    assert half.contradictions == 0


def test_a_title_that_names_a_goal_and_a_condition_of_order_are_no_contradiction() -> None:
    named = "# Memory Item 1\n## Title Get the parcel\n## Description A box.\n## Content "
    item = f"{named}Open the box only after it is weighed."
    turned = item.replace("only after", "only before")
    assert check(CorruptInvert(), Slot("", (item,)), Slot("", (turned,))).reason == ""
