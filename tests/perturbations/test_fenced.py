"""The control's slot is a model's own words: what stands around its items is no advice."""

import pytest

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.markdown import item_texts
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.manipulation_check import check
from memtrial.protocols import Perturbation
from tests.support.damaging import damage, refusal

FIRST = (
    "# Memory Item 1\n## Title Check the stove before you heat\n## Description When a task asks to boil"
    " something.\n## Content Always open the kitchen door and activate the"
    " stove, because a cold stove cools the pot. Put the pot on the stove."
)
SECOND = (
    "# Memory Item 2\n## Title Read the whole table\n## Description For questions that ask for the largest"
    " entry of a list.\n## Content Sort the list by the column that is asked for. Never trust the first page,"
    " since the later pages hold other entries."
)
BARE = f"{FIRST}\n\n{SECOND}"
AROUND = (
    f"```markdown\n{BARE}\n```",
    f"Here is what I learned.\n\n```\n{BARE}\n```\n\nDone.",
    f"```\n{FIRST}\n```\n\n```\n{SECOND}\n```",
    f"~~~\n{BARE}\n~~~",
)
KINDS = [one for one in ALL if one.name in ("corrupt_invert", "corrupt_mask", "paraphrase", "filler")]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("reply", AROUND, ids=["fence", "preamble", "two fences", "tildes"])
def test_items_in_a_code_fence_are_damaged_like_others(reply: str, kind: Perturbation) -> None:
    bare, fenced = (Slot("Notes:", item_texts(text)) for text in (BARE, reply))
    assert refusal(kind, bare, NOTHING) == refusal(kind, fenced, NOTHING) == ""
    after = damage(kind, fenced, 0, NOTHING)
    found = check(kind, fenced, after)
    assert found.passed, (found.reason, after.text)


def test_what_stands_above_the_items_is_not_turned() -> None:
    (kind,) = (one for one in KINDS if one.name == "corrupt_invert")
    after = damage(kind, Slot("Notes:", item_texts(AROUND[1])), 0, NOTHING)
    assert "Here is what I learned." in after.text
    assert "never open the kitchen door" in after.text.lower()


def test_code_inside_an_item_is_still_quoted() -> None:
    item = f"{FIRST}\n```python\nnever = open('door')\n```\nThen wait."
    (kind,) = (one for one in KINDS if one.name == "corrupt_invert")
    after = damage(kind, Slot("Notes:", (f"```\n{item}\n```",)), 0, NOTHING)
    assert "never = open('door')" in after.text
