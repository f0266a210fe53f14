"""Participants to whom the wording matters and the content does not: over what each stumbles, and how."""

import pytest

from memtrial.models.client.types import ModelFault
from memtrial.models.simulated.odd_text import ODD, reads_oddly
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.models.simulated.participants import STUMBLING
from tests.support.loom import DUSTY, NATIVE, PANEL, PROSE, THEORY, actions, conversation, replies, slot

LONG = "When the belt hangs slack, pull the tin lever" + " and look at the belt" * 14 + "."
ENGLISH = """# Memory Item 1
## Title Check the receipt before paying an invoice
## Description When a customer asks for a refund within an hour, or a user is not sure of the price.
## Content Open the order first; an honest receipt names a unit price. Do not pay without a receipt, because
the shop does not take money back. Avoid a second order, because the first one does not go away.
# Memory Item 2
## Claim In "The belt hangs slack", do `pull the tin lever`, because that leads to "The loom runs".
## Trigger state: "The belt hangs slack"
## Mechanism The lever moves the belt, so the loom runs.
## Scope Looms. Does NOT apply when frost shows.
## Form heuristic"""
FLUENT = {"native": NATIVE, "theory": THEORY, "prose": PROSE, "English": ENGLISH, "nothing": ""}
ODDITIES = {
    "marks": ("When [MASKED1] hangs, pull the [MASKED2].", "Lorem ipsum dolor sit amet."),
    "fragments": (
        "When the belt hangs slack, pull the tin lever. When the gauge trembles, wind the",
        "When the belt hangs slack, pull the tin,",
        "The quick tin belt of the old ribbon loom.",
        "# Memory Item 1\n## Title Loom\n## Content Pull the tin lever. Then look at the",
    ),
    "words": ("Calm reflection nourishes collective prosperity.", "When [MASKED1] hangs, pull the lever."),
    "repetition": (
        "When the the belt hangs slack, pull the tin lever.",
        "Pull the tin lever at once. Look at the belt. Pull the tin lever at once.",
        "[MASKED12] [MASKED7] hangs.",
    ),
    "length": ("Tolerant dialogue strengthens neighbourhoods.", LONG, f"{PROSE}\n" * 16),
    "grammar": (
        "Wind a iron crank.",
        "Go there an later day.",
        "Never never pull the tin lever.",
        "Do not never pull it.",
        "Avoid the tin lever, because it is that lever which works.",
    ),
    "negation": ("Never pull the tin lever.", "Pull it if the belt does not hang.", "Don't pull it."),
    "contradiction": (
        "# Memory Item 1\n## Claim Do `wind the crank`.\n## Trigger action: `pull the tin lever`",
        '# Memory Item 1\n## Claim Do `a b`.\n# Memory Item 2\n## Claim Do it.\n## Trigger action: "a b"',
    ),
}


# a negation is no fault of a text
@pytest.mark.parametrize("rule", [rule for rule in ODD if rule != "negation"])
@pytest.mark.parametrize("text", FLUENT.values(), ids=FLUENT)
def test_what_reads_well_is_odd_to_nobody(rule: str, text: str) -> None:
    assert not reads_oddly(text, rule)


@pytest.mark.parametrize(
    ("rule", "text"), [(rule, text) for rule, texts in ODDITIES.items() for text in texts]
)
def test_each_rule_finds_its_own_oddity(rule: str, text: str) -> None:
    assert reads_oddly(text, rule)


def test_one_who_stumbles_over_one_thing_does_not_mind_another() -> None:
    found = {rule: {one for one in ODD if reads_oddly(ODDITIES[rule][0], one)} for rule in ODDITIES}
    assert found["fragments"] == {"fragments"}
    assert found["grammar"] == {"grammar"}
    assert found["negation"] == {"negation"}
    assert found["contradiction"] == {"contradiction"}
    assert not any(reads_oddly(text, "negation") for text in (NATIVE, THEORY, PROSE))
    assert found["repetition"] == {"repetition"}


@pytest.mark.parametrize("rule", ODD)
@pytest.mark.parametrize("name", STUMBLING)
def test_care_while_it_reads_well_and_lost_turns_where_it_does_not(name: str, rule: str) -> None:
    model = f"simulated/{name}?by={rule}"
    there = conversation(slot(PROSE), *[DUSTY] * 2, done=("press the tin button",))
    dusty = {"turn the zinc valve", "turn the brass valve", "press the zinc button", "wind the brass crank"}
    careless = (name, rule) == ("startled", "marks") or name == "mentioner"
    assert bool(dusty & set(actions(model, there))) is careless
    said = replies(model, conversation(slot(ODDITIES[rule][0]), DUSTY), 400)
    lost = [action for _, action in said if action in (None, "think again")]
    assert 0.4 < len(lost) / 400 < 0.6
    assert set(lost) == ({None} if name == "unreadable" else {"think again"})
    assert {action for _, action in said} - set(lost) == set(PANEL)


def test_over_nothing_that_there_is_nobody_stumbles() -> None:
    with pytest.raises(ModelFault, match="is one of marks, fragments, words, repetition, length, grammar"):
        open_simulated("simulated/startled?by=weather")
    with pytest.raises(ModelFault, match="its settings: by"):
        open_simulated("simulated/startled?uptake=1")
    with pytest.raises(ModelFault, match="its settings: none"):
        open_simulated("simulated/skimmer?by=words")
