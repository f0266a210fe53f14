"""CorruptInvert: sentences and items with their opposites, and what stays verbatim."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.roles import runs_of
from memtrial.memory.language.sentences import quotes
from memtrial.memory.language.structure import skeleton
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.manipulation_check import check
from tests.support.damaging import damage, refusal
from tests.support.slots import well_formed

FILLED = "## Description When the hall is wide and the floor is made of very old oak.\n## Content "


def inverted(item: str) -> str:
    """The item turned round, or why it is not."""
    slot = Slot("", (item,))
    kind = CorruptInvert()
    return refusal(kind, slot, NOTHING) or damage(kind, slot, 0, NOTHING).items[0]


# each is turned behind enough other words to have room for one word more in every clause
SENTENCES = """
Pull the lever.
> Never pull the lever.
When the lamp is lit, pull the lever.
> When the lamp is lit, never pull the lever.
When the lamp is lit, never pull the lever.
> When the lamp is lit, always pull the lever.
Never pay by invoice, never by card.
> Always pay by invoice, always by card.
Do not press the red button.
> Always press the red button.
Don't press the red button.
> Always press the red button.
Avoid pulling the lever while the lamp is red.
> Always pull the lever while the lamp is red.
Avoid the lever, but press the switch.
> Use the lever, but never press the switch.
Do not finish until the sum is right.
> Always finish before the sum is right.
Be careful not to press stop.
> Be careful to press stop.
Make sure to check the gauge first.
> Never check the gauge first.
You should not finish before checking the gauge.
> You should always finish before checking the gauge.
You should verify the answer and save it.
> You should never verify the answer or save it.
Open the page, sort the list, and click the button.
> Never open the page, sort the list, or click the button.
First, open the page, then sort the list.
> Never open the page, or sort the list.
In steam, do `a`, then `b`, then `c`, because it moves.
> In steam, avoid `a`, or `b`, or `c`, because it never moves.
In steam, do `a`
> In steam, avoid `a`
In steam, avoid `a`, because the valve is stuck.
> In steam, do `a`, because the valve is not stuck.
Because the page resets and loses the draft, save first.
> Because the page never resets or loses the draft, never save first.
Press it only when the gauge reads zero.
> Never press it when the gauge reads zero.
Type the name instead of scrolling through the list.
> Scroll through the list instead of typing the name.
Search by title, not by topic, because titles are unique.
> Search by topic, not by title, because titles are not unique.
Prefer small edits over rewriting the whole file.
> Prefer rewriting the whole file over small edits.
To find the cheapest flight, sort the results by price.
> To find the cheapest flight, never sort the results by price.
Lamp red: pull the lever.
> Lamp red: never pull the lever.
Check the size, which narrows the list.
> Never check the size, which widens the list.
There is no need to press the button.
> There is a need to press the button.
The stove has no such effect.
> The stove has such an effect.
It is best to wait and to look.
> It is best not to wait or to look.
The gate isn't safe.
> The gate is safe.
The parser does not match the name.
> The parser matches the name.
The agent failed because it did not verify the answer.
> The agent succeeded because it verified the answer.
Checking the size first prevents returns.
> Checking the size first causes returns.
Search results are often sorted by date.
> Search results are rarely sorted by date.
The index stores titles, not texts.
> The index stores texts, not titles.
It counts only the first line.
> It never counts the first line.
It is an efficient way.
> It is not an efficient way.
This makes the search easier.
> This makes the search harder.
Skip the check, otherwise it waits.
> Never skip the check, otherwise it waits.
Each page that lists the name is correct.
> Each page that lists the name is wrong.
"""
PAIRS = [tuple(pair.split("\n> ")) for pair in re.split(r"\n(?!>)", SENTENCES.strip())]


@pytest.mark.parametrize(("before", "after"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_a_sentence_and_its_opposite(before: str, after: str) -> None:
    assert inverted(f"# Memory Item 1\n## Title Oak\n{FILLED}{before}").endswith(f"## Content {after}")


NATIVE = """# Memory Item 1
## Title Verify sizes before buying
## Description When several sizes are listed, a strategy for checking sizes. Use this in clothes shops.
## Content If sizes are listed, check the size and read the table before you buy, because the shop sells the \
default size. Never trust the title alone; it omits the size. Otherwise "size 8" is sent."""
THEORY = """# Memory Item 1
## Claim If sizes are listed, check the size and read the table before you buy, because the shop sells the \
default size.
## Trigger state: "sizes are listed" | action: `buy`
## Mechanism The title never names the size, so only the table shows it when sizes are listed.
## Scope Clothes. Does NOT apply when only one size is listed.
## Form heuristic"""
OPPOSITES = {
    NATIVE: """# Memory Item 1
## Title Never verify sizes before buying
## Description When several sizes are listed, a strategy against checking sizes. Use this in clothes shops.
## Content If sizes are listed, never check the size or read the table before you buy, because the shop \
never sells the default size. Always trust the title alone; it never omits the size. Otherwise "size 8" is \
sent.""",
    THEORY: """# Memory Item 1
## Claim If sizes are listed, never check the size or read the table before you buy, because the shop never \
sells the default size.
## Trigger state: "sizes are listed" | action: `buy`
## Mechanism The title always names the size, so the table never shows it when sizes are listed.
## Scope Clothes. Does NOT apply when only one size is listed.
## Form heuristic""",
}


@pytest.mark.parametrize("item", OPPOSITES, ids=["native", "theory"])
def test_an_item_turns_as_a_whole_and_its_conditions_stay(item: str) -> None:
    assert inverted(item) == OPPOSITES[item]
    assert check(CorruptInvert(), Slot("", (item,)), Slot("", (inverted(item),))).passed


def test_code_quotes_and_addresses_stay() -> None:
    kept = (
        "```\nnever open(x)\n```",
        '"never open it"',
        "`is not open`",
        "https://open.example/never",
        "‘do not’",
    )
    text = "The gate is shut.\n" + kept[0] + "\nPull the lever with " + " or ".join(kept[1:]) + "."
    after = inverted(text)
    assert all(span in after for span in kept)
    assert after.startswith("The gate is not shut")


def test_a_note_of_few_words_has_room_for_one_more() -> None:
    assert inverted("Pull the lever.") == "Never pull the lever."


@pytest.mark.parametrize(
    "item",
    [
        "",
        "```\nopen(x)\n```",
        "当灯亮时不要拉杆",
        "🔥",
        '`do it` "never"',
        "A lever of brass for red lamps",
    ],
)
def test_what_cannot_be_turned_is_said(item: str) -> None:
    assert "item 2" in refusal(CorruptInvert(), Slot("", ("Pull the lever.", item)), NOTHING)


@settings(max_examples=60, deadline=None)
@given(slot=well_formed)
def test_conditions_quotes_form_and_headings_stay(slot: Slot) -> None:
    for item in slot.items:
        if refusal(CorruptInvert(), Slot("", (item,)), NOTHING):
            continue
        after = inverted(item)
        assert skeleton(after) == skeleton(item)
        assert quotes(after) == quotes(item)
        stays = [
            item[run.start : run.end].strip(" ,") for run in runs_of(item) if run.role in ("when", "form")
        ]
        assert all(text in after for text in stays)


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("Sort the list. The page shows 20 rows at a time.", "tells figures or runs"),
        ("Sort the list. It took the agent a long while to see the row.", "tells what happened"),
        ("Go to the shelf first, and only then open the drawer.", "what comes first and what later"),
        ("Sort the list. The page already shows it.", "a word whose opposite depends"),
        ("Sort the list. The page is long, and the row stays hidden.", ""),
        ("Sort the list. The page is long, though it stays.", "a part of it would stay"),
        (
            "# Memory Item 1\n## Claim In S, do sort the list.\n## Trigger state: S\n## Mechanism Stale rows."
            "\n## Scope Lists.\n## Form heuristic",
            "Mechanism that cannot be turned",
        ),
    ],
)
def test_what_would_be_rubble_is_declined_with_its_sentence(item: str, why: str) -> None:
    reason = refusal(CorruptInvert(), Slot("", (item,)), NOTHING)
    assert why in reason
    assert bool(reason) == bool(why)


@pytest.mark.parametrize(
    ("item", "after"),
    [
        ("In S, do sort the list by date.", "In S, never sort the list by date."),
        ("1. **Sort:** sort the list by date.", "1. **Sort:** never sort the list by date."),
        ("Final answers: give the short span.", "Final answers: never give the short span."),
        (
            "Sort by date, instead of reading on.",
            "Read on, instead of sorting by date.",
        ),
    ],
)
def test_the_frames_of_advice_turn_into_english(item: str, after: str) -> None:
    assert inverted(item) == after


WORDS = """
    the a never avoid do not don't always only then and or, pull open `a` because since so that, if when which
    instead of rather than before until to no nothing is are can cannot has results checks opening page : ; .
    , ? 1. should must it they use prefer over try first make sure remember how for as neither nor
"""


@settings(max_examples=200, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=20), seed=st.integers(0, 3))
def test_no_row_of_words_makes_it_stumble(words: list[str], seed: int) -> None:
    text = " ".join(words)
    slot = Slot("", (text, f"# Memory Item 1\n## Title {text}\n## Description {text}\n## Content {text}"))
    assert damage(CorruptInvert(), slot, seed, NOTHING).items
    assert isinstance(refusal(CorruptInvert(), slot, NOTHING), str)
