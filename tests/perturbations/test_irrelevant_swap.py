"""IrrelevantSwap: whole items of foreign records under the slot's own headings, or a reason why not."""

import re
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.structure import parts
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.perturbations.language.whole_sentences import n_repeated, whole_sentences
from memtrial.perturbations.manipulation_check import check
from tests.support.damaging import damage, refusal
from tests.support.growth import fastest_growth
from tests.support.slots import CUE, told, well_formed

SWAP = IrrelevantSwap()
NATIVE = "# Memory Item {}\n## Title {}\n## Description {}\n## Content {}"
OWN = NATIVE.format(
    1,
    "Filter Before You Scroll",
    "How to find a product on a site with long result pages.",
    "Set the price filter first. Scrolling wastes steps, since each page shows ten products; look at the rest"
    " later. Never buy before the options are chosen.",
)
FIELDS = (
    "Taste the Soup Early",
    "What a cook does while broth simmers for many hours.",
    "Salt draws water out of onions. Add it in small amounts, because nobody can take it back; wait between"
    " spoonfuls. Serve the bowl when carrots are soft.",
)
COOK = NATIVE.format(1, *FIELDS)
LONGER = f"{COOK} Leftovers keep three days in a cold cellar. Freeze what remains, e.g. in jars, after that."
LIST = NATIVE.format(
    2, "Knit a Sleeve", "Wool.", "\n- Cast on forty stitches.\n- Purl each second row."
).replace("Content \n", "Content\n")


def swapped(slot: Slot, *donors: Slot, seed: int = 0) -> Slot:
    assert why_not(slot, *donors) == ""
    after = damage(SWAP, slot, seed, *donors)
    assert check(SWAP, slot, after).passed
    return after


def why_not(slot: Slot, *donors: Slot) -> str:
    return refusal(SWAP, slot, *donors)


def test_the_donors_texts_stand_whole_under_the_slots_headings() -> None:
    after = swapped(Slot(CUE, (OWN.replace("Item 1", "Item 7"),)), Slot(CUE, (COOK,)))
    assert after == Slot(CUE, (COOK.replace("Item 1", "Item 7"),))


def test_a_list_begins_below_its_heading() -> None:
    slot = Slot(
        CUE, (NATIVE.format(1, "Open Gates", "Iron.", "Turn the wheel left, then wait a full minute."),)
    )
    (item,) = swapped(slot, Slot(CUE, (LIST,))).items
    assert "## Content\n- Cast on forty stitches.\n- Purl" in item


def test_all_donors_are_looked_at_and_one_record_is_taken_before_several() -> None:
    short = Slot(CUE, (NATIVE.format(1, "Dig", "Garden.", "Dig."),))
    assert swapped(Slot(CUE, (OWN,)), short, short, Slot(CUE, (COOK,))).items == (COOK,)
    pair = Slot(CUE, (OWN, OWN.replace("Filter Before You Scroll", "Look at Prices")))
    again = COOK.replace("Soup", "Stew").replace("Salt draws", "Pepper takes").replace("Serve", "Bring")
    other = again.replace("Add it in", "Put it into").replace("nobody", "no guest")
    one, both = Slot(CUE, (other,)), Slot(CUE, (COOK, again))
    bodies = [part.body.strip() for item in swapped(pair, one, both).items for part in parts(item)]
    assert FIELDS[0] in bodies
    assert "What a cook does while broth simmers for many hours." in bodies
    assert len(swapped(pair, one, Slot(CUE, (COOK,))).items) == 2


def test_sentences_are_left_out_from_the_end_and_never_cut() -> None:
    assert swapped(Slot(CUE, (OWN,)), Slot(CUE, (LONGER,))).items == (COOK,)


@pytest.mark.parametrize(
    ("donors", "words"),
    [
        ((), "no other record"),
        ((NOTHING,), "no foreign record has an item"),
        ((Slot(CUE, (OWN,)),), "holds this very text"),
        ((Slot(CUE, (OWN,)), Slot(CUE, (OWN + " Again.",))), "too alike"),
        ((Slot(CUE, ("Stop the loom.",)),), "no foreign item has the headings"),
        ((Slot(CUE, (NATIVE.format(1, "Dig", "Garden.", "Dig."),)),), r"too short: \d+ to \d+ words for \d+"),
        (
            (Slot(CUE, (NATIVE.format(1, "Dig", "Mud.", "Dig " * 99),)),),
            r"too long: \d+ to \d+ words for \d+",
        ),
    ],
)
def test_where_nothing_fits_the_reason_is_said(donors: tuple[Slot, ...], words: str) -> None:
    assert re.search(words, why_not(Slot(CUE, (OWN,)), *donors))


def test_fewer_foreign_items_than_the_slot_has() -> None:
    assert why_not(Slot(CUE, (OWN, OWN)), Slot(CUE, (COOK,))) == "there are fewer than 2 foreign items"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    slot=st.one_of(well_formed, told),
    donors=st.lists(st.one_of(well_formed, told), min_size=1, max_size=6),
    seed=st.integers(0, 3),
)
def test_what_fits_passes_its_check_and_repeats_nothing(slot: Slot, donors: list[Slot], seed: int) -> None:
    if not why_not(slot, *donors):
        after = swapped(slot, *donors, seed=seed)
        assert n_repeated(after.items) <= n_repeated(slot.items)
        said = {
            " ".join(part.body.split()) for donor in donors for item in donor.items for part in parts(item)
        }
        for part in (part for item in after.items for part in parts(item)):
            body = " ".join(part.body.split())
            assert (
                not body
                or body in said
                or any(one.startswith(body) and body.endswith((".", "!", "?")) for one in said)
            )


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Pull it; then wait. Go on.", ["Pull it; then wait.", "Go on."]),
        (
            "Use bars, e.g. of brass, first — or not. Stop!",
            ["Use bars, e.g. of brass, first — or not.", "Stop!"],
        ),
        ("Do this:\n- a b\n- c d", ["Do this:\n", "a b\n", "c d"]),
    ],
)
def test_a_sentence_ends_at_a_full_stop_or_a_line(text: str, sentences: list[str]) -> None:
    assert [text[low:high].rstrip(" ") for low, high in whole_sentences(text)] == sentences


def test_it_takes_time_in_proportion_to_the_text() -> None:
    texts = [
        lambda size: "Pull the lever; then wait. " * (size // 27),
        lambda size: "a " * (size // 2),
        lambda size: "- x\n" * (size // 4),
        lambda size: "." * size,
    ]
    number = count()

    def read(text: str) -> object:
        slot = Slot(CUE, (f"{text} {next(number)}",))
        donors = tuple(Slot(CUE, (f"Knit {text[at:]} wool {next(number)}.",)) for at in (0, 9))
        return why_not(slot, *donors)

    assert fastest_growth(read, texts) == ""
