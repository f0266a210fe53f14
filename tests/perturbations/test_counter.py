"""Counter: another action is told, and nothing else changes; the check believes the texts alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from loadbearing.cli.parts.perturb import perturb
from loadbearing.environments.scienceworld.commands import PATTERNS
from loadbearing.environments.workshop import Workshop
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.memory.recount import recount
from loadbearing.perturbations.advice.advised_action import advised
from loadbearing.perturbations.advice.known_actions import Repertoire, words_of
from loadbearing.perturbations.counter import Counter
from loadbearing.perturbations.language.structure import parts
from loadbearing.perturbations.manipulation import check
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.conformance.fixtures import PRESS
from loadbearing.runs.trials.damage import repertoire_of
from tests.support.loom import ADVISED, PANEL, SCHEMAS
from tests.support.slots import CUE, DONOR

LISTED = Repertoire((PANEL,))
COUNTER = Counter(LISTED)
ACTION_CUE = SCHEMAS["theory"].replace(
    '## Trigger state: "The belt hangs slack"', f"## Trigger state: slack | action: {ADVISED}"
)


def countered(slot: Slot, kind: Counter = COUNTER, seed: int = 0, donor: Slot = NOTHING) -> Slot:
    assert kind.why_not(slot, donor) == ""
    after = kind(slot, default_rng(seed), donor)
    found = check(kind, slot, after)
    assert found.passed, found
    return after


@pytest.mark.parametrize("schema", SCHEMAS)
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 99))
def test_the_advised_action_changes_in_all_its_places_and_no_other_word(schema: str, seed: int) -> None:
    item = SCHEMAS[schema]
    after = countered(Slot(CUE, (item,)), seed=seed).items[0]
    told, instead = advised(item, LISTED), advised(after, LISTED)
    assert {one.action for one in instead} <= set(PANEL) - {one.action for one in told}
    back = after
    for one, other in zip(told, instead, strict=True):
        back = back.replace(other.action, one.action)
    assert back == item
    assert ADVISED not in after


def test_draws_differ_by_the_seed_and_two_actions_get_two() -> None:
    slot = Slot(CUE, (SCHEMAS["prose"],))
    drawn = {countered(slot, seed=seed).items[0] for seed in range(9)}
    assert len(drawn) > 3
    assert all(len({one.action for one in advised(text, LISTED)}) == 2 for text in drawn)


def test_what_says_when_an_item_counts_stays_even_where_it_names_the_action() -> None:
    after = countered(Slot(CUE, (ACTION_CUE,))).items[0]
    kept = {part.label: part.body for part in parts(ACTION_CUE)}
    for part in parts(after):
        assert (part.body == kept[part.label]) == (part.label not in ("claim", "mechanism"))
    asked = "If `pull the tin lever` did nothing yet, pull the tin lever, for levers like it."
    again = countered(Slot(CUE, (asked,))).items[0]
    assert again.startswith("If `pull the tin lever` did nothing yet, ")
    assert again.count(ADVISED) == 1


def test_what_is_to_be_avoided_stays() -> None:
    item = f"Avoid `turn the brass valve`. When the belt hangs slack, {ADVISED}."
    after = countered(Slot(CUE, (item,))).items[0]
    assert after.startswith("Avoid `turn the brass valve`. When the belt hangs slack, ")
    assert "turn the brass valve" not in after.removeprefix("Avoid `turn the brass valve`")


def test_the_check_records_both_and_believes_no_one() -> None:
    slot = Slot(CUE, (SCHEMAS["theory"],))
    after = countered(slot)
    found = check(COUNTER, slot, after).to_json()
    assert found["told"] == ADVISED
    assert found["told_instead"] in PANEL
    assert found["told_instead"] in after.items[0]
    assert "told" not in check(COUNTER, slot, slot).to_json()

    def passes(text: str) -> bool:
        return check(COUNTER, slot, Slot(CUE, (text,))).passed

    assert passes(after.items[0])
    assert not passes(slot.items[0])
    assert not passes(after.items[0].replace("hangs slack", "hangs tight"))
    assert not passes(after.items[0].replace("frost", "rust"))
    assert not passes(after.items[0].replace("do `", "avoid `"))
    other = found["told_instead"]
    assert not passes(after.items[0].replace(f"It is `{other}`", f"It is `{ADVISED}`"))
    assert not passes(slot.items[0].replace(ADVISED, "count the blue tiles"))


def test_command_forms_keep_the_thing_and_change_what_is_done_with_it() -> None:
    kind = Counter(Repertoire(forms=PATTERNS))
    after = countered(Slot(CUE, ("In the kitchen, do `open the freezer door`, then `wait`.",)), kind)
    assert after.items[0].startswith("In the kitchen, do `")
    assert after.items[0].endswith("`, then `wait`.")
    told = advised(after.items[0], kind.known)[0].action
    assert words_of(told)[-2:] == ("freezer", "door")
    assert words_of(told)[0] != "open"


def test_where_nothing_is_known_the_donor_says_what_else_there_is() -> None:
    slot = Slot(CUE, ("In steam, do `pull levers`, and read the red gauge in the hall above.",))
    assert "watering roses" in countered(slot, Counter(), donor=DONOR).items[0]
    assert "the donor names no other" in Counter().why_not(slot, NOTHING)


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("Avoid `pull the tin lever`.", "tells to do"),
        ("Be careful and do good work.", "tells to do"),
        (recount(PRESS), "tells to do"),
        ("", "tells to do"),
    ],
)
def test_where_nothing_is_advised_it_does_not_apply_and_says_so(item: str, why: str) -> None:
    for kind in (COUNTER, Counter()):
        slot = Slot(CUE, (item,))
        if kind is COUNTER or "careful" not in item:
            assert why in kind.why_not(slot, DONOR)
            assert kind(slot, default_rng(0), DONOR) == slot
    assert "holds no item" in COUNTER.why_not(NOTHING, DONOR)


def test_a_panel_whose_every_action_is_told_leaves_no_other() -> None:
    item = "When it ticks, pull the tin lever. When it hums, wind the zinc crank."
    two = Counter(Repertoire((("pull the tin lever", "wind the zinc crank"),)))
    assert "the world accepts no other" in two.why_not(Slot(CUE, (item,)), DONOR)


def test_every_true_lesson_of_the_workshop_can_be_countered() -> None:
    world = Workshop(5, 24, 24)
    kind = Counter(repertoire_of(world, world.tasks("test")))
    for task in world.tasks("test"):
        lesson = world.ground_truth(task).lesson
        after = countered(Slot(CUE, (lesson,)), kind).items[0]
        told = {one.action for one in advised(lesson, kind.known)}
        assert not told & {one.action for one in advised(after, kind.known)}


def test_the_verb_takes_a_file_of_actions_and_says_that_it_needs_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items, actions = tmp_path / "items.md", tmp_path / "actions.txt"
    items.write_text(SCHEMAS["theory"], encoding="utf-8")
    actions.write_text("\n".join((*PANEL, "open OBJ")), encoding="utf-8")

    def row(kind: str, file: Path | None) -> dict[str, Any]:
        perturb(items, kind, 0, None, file, as_json=True)
        return json.loads(capsys.readouterr().out)[0]  # type: ignore[no-any-return]

    found = row("counter", actions)
    assert found["applicable"]
    assert found["passed"]
    assert found["check"]["told_instead"] in found["after"]
    alone = row("counter", None)
    assert not alone["applicable"]
    assert "--actions FILE" in alone["reason"]
    both = row("instructed+counter", actions)
    assert both["passed"]
    assert both["check"]["told_instead"] == found["check"]["told_instead"]
    actions.write_text("\n", encoding="utf-8")
    with pytest.raises(SpecFault, match="--actions needs"):
        row("counter", actions)
