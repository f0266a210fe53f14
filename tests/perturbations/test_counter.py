"""Counter: another action is told, and nothing else changes; the check believes the texts alone."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory_views import recount
from memtrial.cli.tools.perturb import perturb
from memtrial.faults import SpecFault
from memtrial.memory.language.structure import parts
from memtrial.perturbations.advice.advised_action import find_advice
from memtrial.perturbations.advice.compared_actions import compare_actions
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.manipulation_check import check
from memtrial.plugins.conformance.fixtures import PRESS
from memtrial.runs.trials.slot_damage import repertoire_of
from memtrial.worlds.scienceworld.action_commands import PATTERNS
from memtrial.worlds.workshop.world import Workshop
from tests.support.damaging import damage, refusal
from tests.support.loom import ADVISED, PANEL, SCHEMAS
from tests.support.slots import CUE, DONOR

LISTED = Repertoire((PANEL,))
COUNTER = Counter()
ACTION_CUE = SCHEMAS["theory"].replace(
    '## Trigger state: "The belt hangs slack"', f"## Trigger state: slack | action: {ADVISED}"
)


def countered(slot: Slot, known: Repertoire = LISTED, seed: int = 0, donor: Slot = NOTHING) -> Slot:
    assert refusal(COUNTER, slot, donor, known=known) == ""
    after = damage(COUNTER, slot, seed, donor, known=known)
    found = check(COUNTER, slot, after, known)
    assert found.passed, found
    return after


@pytest.mark.parametrize("schema", SCHEMAS)
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 99))
def test_the_advised_action_changes_in_all_its_places_and_no_other_word(schema: str, seed: int) -> None:
    item = SCHEMAS[schema]
    after = countered(Slot(CUE, (item,)), seed=seed).items[0]
    told, instead = find_advice(item, LISTED), find_advice(after, LISTED)
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
    assert all(len({one.action for one in find_advice(text, LISTED)}) == 2 for text in drawn)


def test_what_says_when_an_item_counts_stays_but_for_the_action_that_its_trigger_names() -> None:
    after = countered(Slot(CUE, (ACTION_CUE,))).items[0]
    kept = {part.label: part.body for part in parts(ACTION_CUE)}
    for part in parts(after):
        assert (part.body == kept[part.label]) == (part.label not in ("claim", "mechanism", "trigger"))
        assert ADVISED not in part.body
    assert "## Trigger state: slack | action: " in after
    left = after.replace("| action: ", f"| action: {ADVISED}, ")
    assert compare_actions(ACTION_CUE, left, LISTED) is None
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
    found = check(COUNTER, slot, after, LISTED).to_json()
    assert found["told"] == ADVISED
    assert found["told_instead"] in PANEL
    assert found["told_instead"] in after.items[0]
    assert "told" not in check(COUNTER, slot, slot, LISTED).to_json()

    def passes(text: str) -> bool:
        return check(COUNTER, slot, Slot(CUE, (text,)), LISTED).passed

    assert passes(after.items[0])
    assert not passes(slot.items[0])
    assert not passes(after.items[0].replace("hangs slack", "hangs tight"))
    assert not passes(after.items[0].replace("frost", "rust"))
    assert not passes(after.items[0].replace("do `", "avoid `"))
    other = found["told_instead"]
    assert not passes(after.items[0].replace(f"Mechanism `{other}`", f"Mechanism `{ADVISED}`"))
    assert not passes(slot.items[0].replace(ADVISED, "count the blue tiles"))


def test_command_forms_keep_the_command_and_change_the_thing() -> None:
    known = Repertoire(forms=(*PATTERNS, "search[OBJ]"))
    item = "In the hall, do `move the salt to the pot`, then `search[Ada]`, then `wait`. `search[Ada]` helps."
    donor = Slot(CUE, ("In the yard, do `move the worm to the jar`, then `search[Bo]`.",))
    after = countered(Slot(CUE, (item,)), known, donor=donor)
    told = [one.action for one in find_advice(after.items[0], known)]
    assert told[:2] == ["move the salt to the jar", "search[Bo]"]
    assert told[2] in ("look around", "inventory", "task")
    assert after.items[0].endswith("`search[Bo]` helps.")
    # a thing of which nothing is known: another command for it
    alone = countered(Slot(CUE, ("In the hall, do `open the frobnicator`.",)), known)
    told = [one.action for one in find_advice(alone.items[0], known)]
    assert told[0].endswith("frobnicator")
    assert "open" not in told[0]


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("When the list is long, open the last page.", ""),
        ("When the list is long, open the last page instead of the chart.", "counts, compares"),
        ("When the list is long, open the last page twice.", "counts, compares"),
        ("When the list is long, open the last page (or the chart).", "a list, an aside or figures"),
        ("When the list is long, open the last page. You should wait.", "it is no command"),
        ("When the last page is new, open the last page.", "would speak of `last`"),
        ("When the list is long, do `git push --force`.", "a name that may be no act"),
        ("When the list is long, weigh the telegram beside the gong.", "nor another memory names an action"),
    ],
)
def test_where_nothing_is_known_a_plain_command_alone_gets_another_thing(item: str, why: str) -> None:
    slot = Slot(CUE, (item,))
    reason = refusal(COUNTER, slot, DONOR)
    assert why in reason
    assert bool(reason) == bool(why)
    if not why:
        after = countered(slot, NOTHING_KNOWN).items[0]
        assert re.fullmatch(r"When the list is long, open the \w+ page\.", after)
        assert "last" not in after


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("Be careful and do good work.", "tells to do"),
        (recount(PRESS), "tells to do"),
        ("", "tells to do"),
    ],
)
def test_where_nothing_is_advised_it_does_not_apply_and_says_so(item: str, why: str) -> None:
    for known in (LISTED, NOTHING_KNOWN):
        slot = Slot(CUE, (item,))
        if known is LISTED or "careful" not in item:
            assert why in refusal(COUNTER, slot, DONOR, known=known)
            assert damage(COUNTER, slot, 0, DONOR, known=known) == slot
    assert "holds no item" in refusal(COUNTER, NOTHING, DONOR)


def test_a_panel_whose_every_action_is_told_leaves_no_other() -> None:
    item = "When it ticks, pull the tin lever. When it hums, wind the zinc crank."
    two = Repertoire((("pull the tin lever", "wind the zinc crank"),))
    assert "the world accepts no other" in refusal(COUNTER, Slot(CUE, (item,)), DONOR, known=two)


def test_every_true_lesson_of_the_workshop_can_be_countered() -> None:
    world = Workshop(5, 24, 24)
    known = repertoire_of(world, world.tasks("test"))
    for task in world.tasks("test"):
        lesson = world.ground_truth(task).lesson
        after = countered(Slot(CUE, (lesson,)), known).items[0]
        told = {one.action for one in find_advice(lesson, known)}
        assert not told & {one.action for one in find_advice(after, known)}


SHOP_NATIVE = """# Memory Item 1
## Title Sort by price before reading reviews
## Description For requests that name a budget.
## Content When the user names a budget, sort the results by price, open the product page and read the \
reviews, because the price decides. Sorting by price is cheap."""
SHOP_THEORY = """# Memory Item 1
## Claim When the user names a budget, sort the results by price, open the product page and read the reviews.
## Trigger task: "budget" | state: results
## Mechanism The price decides; a product page is seldom wrong.
## Scope Shopping. Does NOT apply when no budget is named.
## Form heuristic"""


def test_one_lesson_gets_the_same_other_advice_in_both_schemas_and_nothing_old_stands() -> None:
    after = [countered(Slot(CUE, (item,)), NOTHING_KNOWN).items[0] for item in (SHOP_NATIVE, SHOP_THEORY)]
    told = [[one.action for one in find_advice(text)] for text in after]
    # the third is chosen by length, which other words around it change
    assert told[0][:2] == told[1][:2]
    assert [len(advised) for advised in told] == [3, 3]
    native = parts(after[0])
    assert not any(
        word in part.body.lower() for part in native for word in ("price", "product page", "reviews")
    )
    kept = {part.label: part.body for part in parts(SHOP_THEORY)}
    for part in parts(after[1]):
        assert (part.body == kept[part.label]) == (part.label not in ("claim", "mechanism"))


STEPS = (
    "In the hall, do `Search[Ada Byron]`, then `Search[Lord Byron]`, then `Finish[1815]`. The answer is 1815."
)


def test_every_step_of_a_sequence_is_another_one_and_the_answer_is_of_its_kind() -> None:
    donor = Slot(
        CUE, ("In the yard, do `Search[Emmy Noether]`, then `Search[Max Noether]`, then `Finish[1882]`.",)
    )
    after = countered(Slot(CUE, (STEPS,)), NOTHING_KNOWN, donor=donor).items[0]
    names = {"Search[Emmy Noether]", "Search[Max Noether]"}
    told = [one.action for one in find_advice(after)]
    assert set(told[:2]) == names
    assert told[2] == "Finish[1882]"
    assert after.endswith("The answer is 1882.")
    lone = Slot(CUE, ("When both are rivers, do `Finish[yes]`.",))
    assert "`Finish[no]`" in countered(lone, NOTHING_KNOWN).items[0]
    when = countered(Slot(CUE, ("In the hall, do `Finish[3 May 1815]`.",)), NOTHING_KNOWN).items[0]
    assert "`Finish[3 May 18" in when
    assert "Finish[3 May 1815]" not in when


def test_articles_inflections_capitals_and_plurals_fit_the_new_words() -> None:
    item = (
        "# Memory Item 1\n## Title Open an Oven First\n## Description On drawers.\n## Content Open a drawer, "
        "then heat it in an oven. Opening drawers is quick."
    )
    after = countered(Slot(CUE, (item,)), NOTHING_KNOWN).items[0]
    assert "last" not in after.lower()
    assert "oven" not in after.lower()
    assert not re.search(r"\ban [^aeiou]|\ba [aeiou]", after)


def test_the_check_fails_where_another_field_still_names_the_action() -> None:
    item = (
        "# Memory Item 1\n## Title Weigh the telegram first\n## Description On telegrams, gongs and plinths."
        "\n## Content In the mill, weigh the telegram beside the gong."
    )
    half = item.replace(
        "Content In the mill, weigh the telegram beside", "Content In the mill, clean the plinth near"
    )
    assert compare_actions(item, half, NOTHING_KNOWN) is None
    found = check(COUNTER, Slot(CUE, (item,)), Slot(CUE, (half,)))
    assert (found.passed, found.contradictions) == (False, 1)


def test_what_only_tells_to_avoid_tells_to_avoid_another() -> None:
    item = "When the belt hangs slack, avoid `pull the tin lever`, because it jams."
    after = countered(Slot(CUE, (item,))).items[0]
    assert after.startswith("When the belt hangs slack, avoid `")
    assert ADVISED not in after


def test_the_check_finds_what_is_left_standing_or_changed_besides() -> None:
    after = countered(Slot(CUE, (SHOP_NATIVE,)), NOTHING_KNOWN).items[0]
    assert compare_actions(SHOP_NATIVE, after, NOTHING_KNOWN) is not None
    told, instead = ([one.action for one in find_advice(text)] for text in (SHOP_NATIVE, after))
    for old, new in zip(told, instead, strict=True):
        assert compare_actions(SHOP_NATIVE, after.replace(new, old), NOTHING_KNOWN) is None  # one step stands
    for old, new in (("user", "boss"), ("budget", "colour"), (" because", ", because"), ("cheap", "dear")):
        assert compare_actions(SHOP_NATIVE, after.replace(old, new), NOTHING_KNOWN) is None
    assert compare_actions(SHOP_NATIVE, f"{after} Then sort the results by price.", NOTHING_KNOWN) is None
    kept = after.replace("## Title ", "## Title Open the product page. ")
    assert compare_actions(SHOP_NATIVE, kept, NOTHING_KNOWN) is None
    assert compare_actions(SHOP_NATIVE, f"{after} Sorting the results by price helps.", NOTHING_KNOWN) is None
    assert compare_actions(SHOP_NATIVE, SHOP_NATIVE, NOTHING_KNOWN) is None
    assert compare_actions("The sky is blue.", "The sky is blue.", NOTHING_KNOWN) == ((), ())
    assert compare_actions("The sky is blue.", "The sky is red.", NOTHING_KNOWN) is None


@pytest.mark.parametrize(
    "item",
    [
        "When none is left, replace `range(len(a) + 1)` with `range(len(a))`.",  # no command is known for it
        "Use `search[zzz]` at once.",
        "Try again, and go on to the next one.",
    ],
)
def test_where_nothing_fits_it_says_so_and_leaves_the_item(item: str) -> None:
    slot = Slot(CUE, (item,))
    assert refusal(COUNTER, slot, NOTHING)
    assert damage(COUNTER, slot, 0, NOTHING) == slot


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
    assert "--actions FILE says what the world accepts" in alone["reason"]
    both = row("instructed+counter", actions)
    assert both["passed"]
    assert both["check"]["told_instead"] == found["check"]["told_instead"]
    actions.write_text("\n", encoding="utf-8")
    with pytest.raises(SpecFault, match="--actions needs"):
        row("counter", actions)
