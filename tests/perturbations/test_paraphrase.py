"""Paraphrase, the placebo: other words, the same advice, every quote verbatim."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.episodes.trajectory import Step, Trajectory
from loadbearing.memory.recount import recount
from loadbearing.memory.trigger import compile_trigger
from loadbearing.models.simulated.advice import read
from loadbearing.perturbations.language.rewording import reordered
from loadbearing.perturbations.language.sentences import Sentence, mask_quotes
from loadbearing.perturbations.language.structure import parts
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.paraphrase import Paraphrase
from tests.support.slots import CUE, slots

TRACES = Path(__file__).resolve().parents[3] / "shared" / "data" / "traces" / "hotpotqa_react.jsonl"


def ways(item: str, n: int = 12) -> set[str]:
    slot = Slot(CUE, (item,))
    return {Paraphrase()(slot, default_rng(seed), NOTHING).items[0] for seed in range(n)}


def advice(item: str) -> list[tuple[object, ...]]:
    """What a simulated reader takes from an item."""
    return [(one.states, one.exclusions, tuple(act.spans for act in one.acts), one.do) for one in read(item)]


@settings(deadline=None, max_examples=80)
@given(slot=slots(least=1), seed=st.integers(0, 5))
def test_quotes_numbers_and_directions_stay(slot: Slot, seed: int) -> None:
    if Paraphrase().why_not(slot, NOTHING):
        assert Paraphrase()(slot, default_rng(seed), NOTHING) == slot
        return
    after = Paraphrase()(slot, default_rng(seed), NOTHING)
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
    assert reordered(Sentence(before, mask_quotes(before))) == [after]
    assert after in ways(before)


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
    assert reordered(Sentence(kept, mask_quotes(kept))) == []


def test_what_hangs_on_the_end_keeps_it_there() -> None:
    text = "Pull the lever when the lamp is lit"
    assert reordered(Sentence(text, text, last=False)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The dates differ because two editions exist.", "The dates differ since two editions exist."),
        ("Use filters instead of scrolling.", "Use filters rather than scrolling."),
        ("Make sure to read the label.", "Be sure to read the label."),
        ("So the answer is no.", "Therefore the answer is no."),
        (
            'In "a red lamp", do `pull the lever` and wait for the bell.',
            'When in "a red lamp", do `pull the lever` and wait for the bell.',
        ),
    ],
)
def test_small_words_stand_for_each_other(before: str, after: str) -> None:
    assert ways(before) == {after}


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
        "It does not apply when the pipe is cold.",
        "search[the house because it is old]",
        "```\nif the lamp is lit, pull the lever because it helps\n```",
    ],
)
def test_what_cannot_be_said_otherwise_is_said(item: str) -> None:
    assert "other words" in Paraphrase().why_not(Slot(CUE, (item,)), NOTHING)
    assert ways(item) == {item}


THEORY = (
    '# Memory Item 1\n## Claim In "steam", do `pull the lever` before you open it, because it sticks.\n'
    "## Trigger task: repair | state: every lamp, because lit\n## Mechanism Because it is loud, it fails.\n"
    "## Scope Every boiler. Does NOT apply when the pipe is cold.\n## Form check: state: every lamp"
)


def test_what_is_compiled_and_what_excludes_stays_verbatim() -> None:
    for text in ways(THEORY):
        fields = {part.label: part.body for part in parts(text)}
        assert fields["trigger"] == "task: repair | state: every lamp, because lit\n"
        compile_trigger(fields["trigger"])
        assert fields["form"] == "check: state: every lamp"
        assert "Does NOT apply when the pipe is cold." in fields["scope"]
        assert "`pull the lever`" in fields["claim"]
        assert text != THEORY


@pytest.mark.parametrize(
    "item",
    [
        'When "steam hisses", do `pull the lever`, because it ends in "a click".',
        'When "steam hisses", avoid `pull the lever`, because that leads to "a bang".',
        'In "steam hisses" rooms, do `pull it`, then `turn it`, because that leads to "a click".',
        'Do `open the hatch` every time when "steam hisses" is shown.',
        "Before you do `open the hatch`, do `pull the lever`.",
        'Unless "the lamp is red", do `pull the lever` in this room every time.',
        "In the boiler room, turn the red valve before you open the hatch.",
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
        Step("I need to search it because it is old.", "because[so as to]", "Found because of luck."),
        Step("When the page loads, I read it.", "wait", "So it is."),
    )
    before = recount(Trajectory("t", "t", "Find every key because it is lost.", "success", made))
    for text in ways(before):
        assert text == before.replace("I need to", "I have to").replace(
            "it because it is old", "it since it is old"
        ).replace("When the page", "Whenever the page")
    dumb = recount(Trajectory("t", "t", "q", "success", (Step("", "wait", "Because."),) * 2))
    assert Paraphrase().why_not(Slot(CUE, (dumb,)), NOTHING)


@pytest.mark.skipif(not TRACES.exists(), reason="the shared traces are not here")
def test_most_real_thoughts_can_be_paraphrased() -> None:
    traces = [json.loads(line) for line in TRACES.read_text().splitlines()]
    thoughts = [step["thought"] for trace in traces for step in trace["steps"] if step["thought"]]
    done = 0
    for thought in thoughts:
        slot = Slot(CUE, (thought,))
        if not Paraphrase().why_not(slot, NOTHING):
            done += 1
            assert check(Paraphrase(), slot, Paraphrase()(slot, default_rng(0), NOTHING)).passed, thought
    assert done > len(thoughts) / 2
