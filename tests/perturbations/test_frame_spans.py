"""The frame of hand-written memory: what stands in damage, is said to stand, and may not tell anything."""

import json
from pathlib import Path

import pytest

import memtrial as mt
from memtrial.agents.slot import NOTHING, Slot
from memtrial.perturbations.advice.advised_action import exchangeable
from memtrial.perturbations.advice.frame_spans import frame_spans
from memtrial.perturbations.advice.standing_advice import advising_sentences
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.one_field import OneField
from tests.memory.test_note_topics import TELLING, lines_of
from tests.support.damaging import damage, refusal

FILE = """# CLAUDE.md

This file provides guidance to Claude Code (claude.ai/code) when working with code in this repo.

[![Build status](https://ci.example/badge.svg)](https://ci.example)

## Code style

- Put the helpers beside the caller.
- **Naming:** Begin the names with a verb.

<!-- markdownlint-disable -->

## Testing

Follow these rules:

- Run the tests before you commit.
- Do not mock the database.

---

**Git workflow**

1. Squash the commits.
2. Never push to the main branch.
"""
TURNED = (
    ("Put the", "Never put the"),
    ("Begin the", "Never begin the"),
    ("Run the", "Never run the"),
    ("Do not mock", "Always mock"),
    ("Squash the", "Never squash the"),
    ("Never push", "Always push"),
)
STEPS = (
    "# AGENTS.md\n\n## Commands\n\nFollow these steps:\n\n- Press the red button.\n- Open the north door.\n"
)


def one(item: str) -> Slot:
    return Slot("", (item,))


def frame_of(item: str) -> list[str]:
    return [item[low:high].strip() for low, high in frame_spans(item)]


def test_all_that_tells_something_is_turned_and_the_frame_stands() -> None:
    wanted = FILE
    for old, new in TURNED:
        wanted = wanted.replace(old, new)
    after = damage(CorruptInvert(), one(FILE), 0)
    assert after == one(wanted)
    found = check(CorruptInvert(), one(FILE), after)
    assert (found.passed, found.flips, found.contradictions) == (True, 6, 0)
    assert found.left_standing.split("; ") == [
        "CLAUDE.md",
        "This file provides guidance to Claude Code (claude.ai/code) when working with code in this repo.",
        "[![Build status](https://ci.example/badge.svg)](https://ci.example)",
        "Code style",
        "Naming",
        "<!-- markdownlint-disable -->",
        "Testing",
        "Follow these rules",
        "Git workflow",
    ]


def test_other_actions_are_put_below_headings_that_stand() -> None:
    after = damage(Counter(), one(STEPS), 0)
    lines, news = STEPS.splitlines(), after.items[0].splitlines()
    assert [line for line in lines if line in news] == [line for line in lines if not line.startswith("-")]
    found = check(Counter(), one(STEPS), after)
    assert found.passed
    assert found.left_standing == "AGENTS.md; Commands; Follow these steps"


@pytest.mark.parametrize("heading", lines_of(TELLING))
@pytest.mark.parametrize("place", ["# CLAUDE.md", "## Code style", "## Testing", "**Git workflow**"])
def test_a_heading_that_tells_something_never_stands(heading: str, place: str) -> None:
    written = f"**{heading}**" if place.startswith("*") else place[: place.index(" ") + 1] + heading
    item = FILE.replace(place, written)
    after = damage(CorruptInvert(), one(item), 0).items[0]
    assert after == item or heading not in after
    steps = STEPS.replace("## Commands", written)
    assert damage(Counter(), one(steps), 0) == one(steps)


def test_the_frame_advises_no_action() -> None:
    assert [advice.action for advice in exchangeable(STEPS)] == [
        "Press the red button",
        "Open the north door",
    ]
    assert not exchangeable("## Pull requests\n\nFollow these rules:\n")
    advising = advising_sentences("Follow these rules:\n\nPull it.\n")
    assert [advice.text.strip() for advice in advising] == ["Pull it."]


def test_a_heading_that_can_be_turned_is_turned() -> None:
    item = FILE.replace("# CLAUDE.md", "# Never push to main")
    after = damage(CorruptInvert(), one(item), 0).items[0]
    assert after.startswith("# Always push to main\n")


@pytest.mark.parametrize("heading", lines_of(TELLING))
@pytest.mark.parametrize("written", ["## {}", "### 2. {}", "**{}**"])
def test_the_check_refuses_a_text_in_which_such_a_heading_stands(heading: str, written: str) -> None:
    before = one(FILE.replace("## Testing", written.format(heading)))
    text = before.items[0]
    for old, new in TURNED:
        text = text.replace(f"{old} ", f"{new} ") if old not in heading else text
    assert text != before.items[0]
    found = check(CorruptInvert(), before, one(text))
    assert not found.passed
    steps = STEPS.replace("## Commands", written.format(heading))
    swapped = steps.replace("red button", "violet button").replace("north door", "west door")
    assert swapped != steps
    assert not check(Counter(), one(steps), one(swapped)).passed


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        ("# Kiln Board - Copilot Instructions", True),
        ("# AGENTS.md - Kiln Board", True),
        ("# Kiln Board Guidelines", True),
        ("#", False),
        ("# Guidelines - ", False),
        ("# Kiln Board", False),  # a name alone may be a rule of two words
        ("# Named Exports Guidelines", False),
        ("# Small Functions Guide", False),
        ("# Kiln Returns Guide", False),
        ("# Always Green Guidelines", False),
        ("# Commits Database Guidelines", False),  # the file speaks of the database
        ("## Kiln Board Guidelines", False),  # no title of the file
    ],
)
def test_the_title_of_a_file(line: str, frame: bool) -> None:
    assert (line in frame_of(FILE.replace("# CLAUDE.md", line))) is frame


@pytest.mark.parametrize(
    ("lines", "frame"),
    [
        ("---\nglobs: src/**\nalwaysApply: true\n---\n", True),
        ("---\ndescription: use tabs\nglobs: src/**\n---\n", False),
        ("<!-- BEGIN:rules -->\n", True),
        ("<!-- FLEET:END -->\n", True),
        ("<!-- never push to main -->\n", False),
        ("<!-- BEGIN never push to main -->\n", False),
        ("![](docs/shot.png)\n", True),
        ("![never push to main](docs/shot.png)\n", False),
        ("***\n", True),
        ("**Testing**\n", True),
        ("**Zero warnings**\n", False),
        ("```\n# Testing\n```\n", False),  # it stands as code does
    ],
)
def test_other_lines(lines: str, frame: bool) -> None:
    assert (lines.strip() in frame_of(f"{lines}\nPull the lever.\n")) is frame


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (FILE.replace("- Do not mock", "- **Databases:** Do not mock"), "Databases"),
        (FILE.replace("Follow these rules:", "Never follow these rules:"), "Never follow these rules:"),
        ("# CLAUDE.md\n\n## Testing\n\nFollow these rules:\n", "advises in no English sentence"),
    ],
)
def test_what_is_no_frame_declines_the_item(item: str, why: str) -> None:
    assert why in refusal(CorruptInvert(), one(item), NOTHING)


def test_a_part_that_is_turned_leaves_the_same_frame() -> None:
    kind = CorruptInvert(dose=0.5)
    found = check(kind, one(FILE), damage(kind, one(FILE), 0))
    assert found.passed
    assert found.left_standing.startswith("CLAUDE.md; ")
    what = OneField(CorruptInvert(), "what")
    assert check(what, one(FILE), damage(what, one(FILE), 0)).passed


def test_only_hand_written_text_has_lines_that_are_said_to_stand() -> None:
    item = (
        "# Memory Item 1\n## Title Pull\n## Description About levers.\n## Content Pull the lever by hand.\n"
    )
    found = check(CorruptInvert(), one(item), damage(CorruptInvert(), one(item), 0))
    assert found.passed
    assert "left_standing" not in found.to_json()


def test_a_person_sees_what_stands(tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text(STEPS)
    damaged = mt.perturb(file, "corrupt_invert")
    *_, last = damaged.lines()
    assert last.endswith("tells nobody to do anything: AGENTS.md; Commands; Follow these steps")
    assert json.loads(damaged.slots[0].model_dump_json())["check"]["left_standing"] in last
