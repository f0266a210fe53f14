"""Paraphrase, the placebo: other words, the same advice, every quote verbatim."""

import re
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import recount
from memtrial.memory.language.sentences import Sentence, apply, mask_quotes
from memtrial.memory.language.structure import body, parts
from memtrial.memory.trigger import compile_trigger
from memtrial.memory.words import words
from memtrial.models.simulated.advice import read
from memtrial.perturbations.language.differences import n_changed, n_flips
from memtrial.perturbations.language.equivalents import led_in, part_reason, range_heads, reorder, with_lead
from memtrial.perturbations.language.substitutes import stand_ins, table
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.paraphrase import LEAST_CHANGED, Paraphrase
from tests.support.damaging import damage, refusal
from tests.support.slots import CUE, slots


def ways(item: str, n: int = 12) -> set[str]:
    slot = Slot(CUE, (item,))
    return {damage(Paraphrase(), slot, seed, NOTHING).items[0] for seed in range(n)}


def advice(item: str) -> list[tuple[object, ...]]:
    """What a simulated reader takes from an item."""
    return [(one.states, one.exclusions, tuple(act.spans for act in one.acts), one.do) for one in read(item)]


@settings(deadline=None, max_examples=80)
@given(slot=slots(least=1), seed=st.integers(0, 5))
def test_quotes_numbers_and_directions_stay(slot: Slot, seed: int) -> None:
    if refusal(Paraphrase(), slot, NOTHING):
        assert damage(Paraphrase(), slot, seed, NOTHING) == slot
        return
    after = damage(Paraphrase(), slot, seed, NOTHING)
    found = check(Paraphrase(), slot, after)
    assert found.passed, (found, after.items)
    assert found.flips == 0
    for before, new in zip(slot.items, after.items, strict=True):
        # by their digits: a clause that moves leaves its full stop, and "30." is a number, too
        numbers = [re.findall(r"\d+", text) for text in (before, new)]
        assert sorted(numbers[0]) == sorted(numbers[1])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("When the lamp is lit, pull the lever.", "Pull the lever when the lamp is lit."),
        ("Pull the lever when the lamp is lit.", "When the lamp is lit, pull the lever."),
        ("If the search fails, try a shorter name.", "Try a shorter name if the search fails."),
        ("Unless the alarm is off, leave the vault.", "Leave the vault unless the alarm is off."),
        ("Turn the valve before you open the hatch.", "Before you open the hatch, turn the valve."),
        ("Never pull the lever when the lamp is off.", "When the lamp is off, never pull the lever."),
        (
            'When "No results" is shown, do `search[x]`, because it helps.',
            'Do `search[x]` when "No results" is shown, because it helps.',
        ),
    ],
)
def test_clauses_change_places(before: str, after: str) -> None:
    assert reorder(Sentence(before, mask_quotes(before))) == [after]


@pytest.mark.parametrize(
    "kept",
    [
        "Check if the lamp is lit.",
        "Wait until the lamp is lit.",
        "Pull the lever only when the lamp is lit.",
        "Only pull the lever when the lamp is lit.",
        "Use the key two turns after the bell rings.",
        "Record when the lamp turns on.",
        "When the lamp is lit, pull the lever and read the dial.",
        "When the lamp is lit, it opens.",
        "Pull the lever when the lamp is lit but the dial is low.",
        "Pull the lever if the lamp is lit and push the button.",
        "When the lamp is lit, pull the lever before the bell rings.",
        "Press it when the lamp is lit.",
        "Anna pulls the lever when the lamp is lit.",
    ],
)
def test_what_could_mean_something_else_stays_in_place(kept: str) -> None:
    assert reorder(Sentence(kept, mask_quotes(kept))) == []


def test_what_hangs_on_the_end_keeps_it_there() -> None:
    text = "Pull the lever when the lamp is lit"
    assert reorder(Sentence(text, text, last=False)) == []


def said(text: str) -> set[str]:
    """The sentence with one phrase said otherwise, in all ways."""
    sentence = Sentence(text, mask_quotes(text))
    places = [*stand_ins(sentence), *led_in(sentence), part_reason(sentence), with_lead(sentence)]
    places += range_heads(sentence, "description")
    return {apply(text, [way]) for place in places for way in place}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The dates differ because two editions exist.", "The dates differ since two editions exist."),
        ("Filters help, so use them instead of an entry.", "Filters help, so use them rather than an entry."),
        ("Make sure to read the label.", "Be sure to read the label."),
        ("So the answer is no.", "Therefore the answer is no."),
        ("Each additional word costs a step.", "Every additional word costs a step."),
        ("An additional word costs a step.", "A further word costs a step."),
        ("A specific word is best.", "A particular word is best."),
        ("Find an entire list.", "Find a whole list."),
        ("It does not help.", "It doesn't help."),
        ("You don't have to read it.", "You do not have to read it."),
        ("Use the page that is shown.", "Use the page which is shown."),
        ("Pull the lever twice.", "You should pull the lever twice."),
        ("If it is lit, pull the lever.", "If it is lit, make sure to pull the lever."),
        ("Do not pull the lever.", "You should not pull the lever."),
        ("Avoid levers that stick.", "You should avoid levers that stick."),
        ("The list is sorted by its dates.", "Note that the list is sorted by its dates."),
        ("Household tasks with a goal.", "For household tasks with a goal."),
        ("Household tasks with a goal.", "Household tasks that have a goal."),
        ("Pull the red lever, because it sticks.", "Pull the red lever. This is because it sticks."),
    ],
)
def test_phrases_stand_for_each_other(before: str, after: str) -> None:
    assert after in said(before)


@pytest.mark.parametrize(
    "kept",
    [
        "Search results show the lamp.",
        "The switch May broke.",
        "As many levers as there are lamps.",
        "You don't have to be quick.",
        "It does NOT stick.",
        "Record when the lamp turns on.",
        "Even if the lamp is lit.",
        "In the final answer, use an axe.",
        "He pulls it because he must, because he may.",
        "Levers of every-other-day lamps.",
        "Use a door leading to a hall.",
        "Questions about fruit need care.",
        "Fill forms with the data.",
        "The rest of the page's lines.",
        "The levers in each of those rooms.",
    ],
)
def test_what_is_no_such_phrase_stays(kept: str) -> None:
    bad = ("which", "whenever", "might", "a lot", "must", "each ", "every ", "when in", "this is", "doesn't")
    bad += ("results in", "resulting in", "that have", "for questions", "meant")
    fresh = {one.lower() for one in said(kept)}
    assert not [one for one in fresh for word in bad if word in one and word not in kept.lower()]


def test_no_entry_of_the_table_turns_anything() -> None:
    """Against a stand-in that adds or takes a negation, or says nothing else."""
    for entry in chain.from_iterable(table().values()):
        old = " ".join(entry.words)
        assert len({old, *entry.new}) == 1 + len(entry.new), entry
        assert not any(n_flips(old, new) for new in entry.new), entry


@pytest.mark.parametrize(
    "item",
    [
        "",
        "Stop",
        "Open doors.",
        "The key is under the mat.",
        "`because of this`",
        '"When lit, pull the lever."',
        "Wenn die Lampe leuchtet, zieh den Hebel nicht.",
        "当灯亮时，先检查仪表。",
        "## Trigger state: every lamp | action: because the wheel",
        "task: find every key because it is lost",
        "check: state: because the lamp is lit",
        "search[the house because it is old]",
        "```\nif the lamp is lit, pull the lever because it helps\n```",
    ],
)
def test_what_cannot_be_said_otherwise_is_said(item: str) -> None:
    assert "other words" in refusal(Paraphrase(), Slot(CUE, (item,)), NOTHING)
    assert ways(item) == {item}


NEVER = (
    "## Content When the wanted item is not visible, never scroll to the bottom or wait until the spinner "
    "disappears. Avoid doing this at most five times. Afterwards never refine the query instead of scrolling "
    "further, because relevance never drops quickly."
)


def test_rewordings_that_turn_advice_when_they_come_together_are_not_taken() -> None:
    slot = Slot(CUE, (NEVER,))
    drawn = [damage(Paraphrase(), slot, seed, NOTHING) for seed in range(40)]
    assert len(set(drawn)) > 5
    assert {n_flips(NEVER, one.items[0]) for one in drawn} == {0}


THEORY = (
    '# Memory Item 1\n## Claim In "steam", do `pull the lever` before you open it, because it sticks.\n'
    "## Trigger task: repair | state: every lamp, because lit\n## Mechanism Because it is loud, it fails.\n"
    "## Scope Every boiler. Does NOT apply when the pipe is cold.\n## Form check: state: every lamp"
)


def test_what_is_compiled_and_what_excludes_stays_verbatim() -> None:
    found = ways(THEORY)
    assert THEORY not in found
    for text in found:
        fields = {part.label: part.body for part in parts(text)}
        assert fields["trigger"] == "task: repair | state: every lamp, because lit\n"
        compile_trigger(fields["trigger"])
        assert fields["form"] == "check: state: every lamp"
        assert re.search("Does NOT apply (when|if) the pipe is cold.", fields["scope"])
        assert "`pull the lever`" in fields["claim"]


@pytest.mark.parametrize(
    "item",
    [
        'When "steam hisses", do `pull the lever`, because it ends in "a click".',
        'When "steam hisses", avoid `pull the lever`, because that leads to "a bang".',
        'In "steam hisses" rooms, do `pull it`, then `turn it`, because that leads to "a click".',
        'Do `open the hatch` every time when "steam hisses" is shown.',
        "Before you do `open the hatch`, do `pull the lever`.",
        'Unless "the lamp is red", do `pull the lever` every time, for this is needed.',
        "If the gauge is low, refill the tank.",
    ],
)
def test_a_reader_takes_the_same_advice(item: str) -> None:
    found = ways(item)
    assert item not in found
    for text in found:
        assert advice(text) == advice(item), text


def test_of_a_trajectory_only_thoughts_are_reworded_where_they_stand() -> None:
    made = (
        Step("I need to search it because it is needed. Therefore it is usually found.", "w", "Found it."),
        Step("When the page loads, I read it because it typically helps.", "wait[so as to]", "So."),
    )
    before = recount(Trajectory("t", "t", "Find it.", "success", made))
    found = ways(before)
    assert before not in found
    for text in found:
        shown = [(part.head, part.body) for part in parts(text) if part.label != "thought"]
        assert shown == [(part.head, part.body) for part in parts(before) if part.label != "thought"]
        assert "This is because" not in text
    dumb = recount(Trajectory("t", "t", "q", "success", (Step("", "wait", "Because."),) * 2))
    assert refusal(Paraphrase(), Slot(CUE, (dumb,)), NOTHING)


LIKE_A_MODELS = (
    "# Memory Item 1\n## Title Verify options first\n"
    "## Description Useful when a query lists multiple attributes such as color and size.\n"
    "## Content When a query specifies several attributes, check each of them on the product page before "
    'clicking "Buy Now". Search results often show a default variant that does not match, so make sure to '
    "select every required option first.",
    "# Memory Item 1\n## Claim In a search page with an empty list, do `search[short keywords]` instead of "
    "repeating the full instruction, because the engine requires every word to match.\n"
    '## Trigger state: "No results"\n## Mechanism The engine uses exact matching, so each additional word '
    "reduces the number of hits. A shorter query therefore increases the chance of finding the item.\n"
    "## Scope Keyword search in shops. Does NOT apply when the engine understands sentences.\n"
    "## Form heuristic",
)


@pytest.mark.parametrize("item", LIKE_A_MODELS, ids=["native", "theory"])
def test_enough_of_an_item_of_either_schema_changes(item: str) -> None:
    """Against a placebo that does nothing."""
    outside = len(words(mask_quotes(body(item))))
    for text in ways(item):
        assert LEAST_CHANGED <= n_changed(item, text) / outside <= 0.45
        assert check(Paraphrase(), Slot(CUE, (item,)), Slot(CUE, (text,))).passed
    assert len(ways(item)) > 6
