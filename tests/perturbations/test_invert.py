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

COLOURS = ("red", "blue", "green", "white", "black", "brown")


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
Pull the lever first.
> Never pull the lever first.
In steam, do `pull a` first.
> In steam, avoid `pull a` first.
When the lamp is lit, never pull the lever.
> When the lamp is lit, always pull the lever.
Do not press the red button.
> Always press the red button.
Don't press the red button.
> Always press the red button.
Avoid pulling the lever while the lamp is red.
> Always pull the lever while the lamp is red.
Unless the alarm is off, press the switch.
> Unless the alarm is off, never press the switch.
Open the page, sort the list, and click the button.
> Never open the page, sort the list, or click the button.
Open the page, then sort the list.
> Never open the page, or sort the list.
Never trust the first line.
> Always trust the first line.
Stash the local changes.
> Never stash the local changes.
For a rebase, stash the changes and the logs.
> For a rebase, never stash the changes and the logs.
In steam, do `pull a`, then `press b`, then `wait`, because it moves.
> In steam, avoid `pull a`, or `press b`, or `wait`, because it never moves.
In steam, do `pull a`
> In steam, avoid `pull a`
In steam, avoid `search[a]`, because the valve is stuck.
> In steam, do `search[a]`, because the valve is not stuck.
Lock it, because the order makes an entry that cannot be undone.
> Never lock it, because the order never makes an entry that cannot be undone.
The gate isn't safe.
> The gate is safe.
The parser does not match the name.
> The parser matches the name.
Standing next to the lamp won't count.
> Standing next to the lamp will count.
The agent stays in the hall, and the step is lost.
> The agent never stays in the hall, and the step is not lost.
The page sorts the rows when the filter is set.
> The page never sorts the rows when the filter is set.
Each filter reloads the list.
> Each filter never reloads the list.
No part followed `pull a`; the reply was `b`.
> A part followed `pull a`; the reply was not `b`.
"""
PAIRS = [tuple(pair.split("\n> ")) for pair in re.split(r"\n(?!>)", SENTENCES.strip())]


@pytest.mark.parametrize(("before", "after"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_a_sentence_and_its_opposite(before: str, after: str) -> None:
    assert inverted(f"# Memory Item 1\n## Title Oak\n{FILLED}{before}").endswith(f"## Content {after}")


NATIVE = """# Memory Item 1
## Title Verify sizes before buying
## Description When several sizes are listed. Does not apply when one size fits all.
## Content If sizes are listed, check the size and read the table before you buy, because the shop sells the \
default size. Never trust the title alone; it omits the size."""
THEORY = """# Memory Item 1
## Claim If sizes are listed, check the size and read the table before you buy, because the shop sells the \
default size.
## Trigger state: "sizes are listed" | action: `buy`
## Mechanism The title never names the size, so the table shows it when sizes are listed.
## Scope Clothes. Does NOT apply when only one size is listed.
## Form heuristic"""
OPPOSITES = {
    NATIVE: """# Memory Item 1
## Title Never verify sizes before buying
## Description When several sizes are listed. Does not apply when one size fits all.
## Content If sizes are listed, never check the size or read the table before you buy, because the shop \
never sells the default size. Always trust the title alone; it never omits the size.""",
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
    kept = ('"never open it"', "`is not open`", "https://open.example/never", "‘do not’")
    text = "The gate is shut. " + " ".join(
        f"Pull the old brass lever in the hall of the mill with {span}." for span in kept
    )
    assert inverted(text) == text.replace("is shut", "is not shut").replace("Pull", "Never pull")


def test_a_note_of_few_words_has_room_for_one_more() -> None:
    assert inverted("Pull the lever.") == "Never pull the lever."


def test_a_note_of_many_short_lines_says_how_much_room_is_missing() -> None:
    lines = "\n".join(f"When the {lamp} lamp is lit, pull the lever." for lamp in COLOURS)
    why = refusal(CorruptInvert(), Slot("", (lines,)), NOTHING)
    assert "changes its length by 6 words, and its 54 allow 5" in why


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


SOUND = "Sort the list. The page shows the row."
DECLINED = {
    "list, an aside or figures": (
        "Sort the list. The page shows 20 rows at a time.",
        "Final answers: give the short span.",
        "Sort the list (by date).",
        "Search by title, not by topic.",
        "Never pay by invoice, never by card.",
    ),
    "counts, compares, hedges": (
        "Go to the shelf twice.",
        "Sort the list until the row shows.",
        "Sort the list instead of reading on.",
        "Sort each list.",
        "You should sort the list.",
        "Press it only when the gauge is low.",
    ),
    "a verb of one plain act": (
        "Make sure the list is sorted.",
        "Prefer small edits.",
        "Search results by date.",
    ),
    "several acts": ("Never sort the list or read it.", "Open it, sort it, read it and close it."),
    "when not to avoid": ("Never sort the list unless it is long.",),
    "no act": ("In steam, do `a`.", "In steam, avoid `NOT IN (SELECT …)`."),
    "no rule turns it round": ("Sort the list. Otherwise it waits.", "Sort the list. Is it long?"),
    "opposite depends": ("Sort the list. The page already shows it.", "Sort the list. It has no effect."),
    "would stay": (
        "Sort the list so that it shows the row.",
        "Sort the list. The page is long, and a relic.",
    ),
    "begins with its reason": ("Because the page is long, sort the list.",),
    "it tells what happened": ("Sort the list. The page lost the row.",),
    "states more than one thing": ("Sort the list. The page that is long hides the row.",),
    "no verb is found": ("Sort the list. The search results page lists names.",),
}


@pytest.mark.parametrize(("why", "item"), [(why, item) for why, items in DECLINED.items() for item in items])
def test_what_has_another_shape_is_declined_with_its_sentence(why: str, item: str) -> None:
    assert inverted(SOUND) == "Never sort the list. The page never shows the row."
    reason = refusal(CorruptInvert(), Slot("", (item,)), NOTHING)
    assert why in reason, reason


@pytest.mark.parametrize(
    ("title", "description", "sound"),
    [
        ("The page", "For long pages.", True),
        ("Get the row", "Long tasks with pages. Does not help when the row is shown.", True),
        ("Sort the list", "When a row is asked for.", True),
        ("Sorting lists", "For long pages.", False),
        ("Lists", "For long pages.", False),
        ("One call for all", "For long pages.", False),
        ("No pages", "For long pages.", False),
        ("The page", "Pages hide rows.", False),
        ("The page", "For long pages since rows hide.", False),
        ("The page", "For pages that you must sort.", False),
    ],
)
def test_a_name_that_stays_neither_advises_nor_argues(title: str, description: str, sound: bool) -> None:
    item = (
        f"# Memory Item 1\n## Title {title}\n## Description {description}\n## Content Sort the list by date."
    )
    assert (refusal(CorruptInvert(), Slot("", (item,)), NOTHING) == "") is sound


def test_a_mechanism_that_states_nothing_that_can_be_turned_is_declined() -> None:
    item = THEORY.replace(
        "The title never names the size, so the table shows it when sizes are listed.", "{}"
    )
    for mechanism in ("Stale sizes.", "Check the size."):
        assert refusal(CorruptInvert(), Slot("", (item.format(mechanism),)), NOTHING)
    assert "\n## Mechanism The title never omits the size.\n" in inverted(
        item.format("The title omits the size.")
    )


def test_a_known_frame_turns_word_for_word_and_its_near_miss_does_not() -> None:
    item = THEORY.replace(
        "The title never names the size, so the table shows it when sizes are listed.", "{}"
    )
    frame = "Nothing is linked to `a` there: `b` was all that came."
    assert "\n## Mechanism Something is linked to `a` there: `b` was not all that came.\n" in inverted(
        item.format(frame)
    )
    near = item.format(frame.replace("all", "almost all"))
    assert "Nothing is linked" in refusal(CorruptInvert(), Slot("", (near,)), NOTHING)


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
