"""The parts of a hand-written file: by headings, points or paragraphs, and nothing of the text is lost."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.notes.note_parts import MANY, find_parts

FILE = """---
name: house
---
# House

## Style
Write short lines.

### Names
Nouns for files.

## Tests
- Run them.
- Read them.
"""
LINES = (
    "# Head\n",
    "## Head\n",
    "Text.\n",
    "\n",
    "- point\n",
    "  - below\n",
    "---\n",
    "```\n",
    "Rules:\n",
    "| a |\n",
)


@given(st.lists(st.sampled_from(LINES), max_size=30).map("".join))
def test_all_parts_together_are_the_text_and_each_of_them_stands_in_it(text: str) -> None:
    read = find_parts(text)
    every = range(len(read.parts))
    assert read.keep(every) == text
    assert "".join(piece for part, piece in read.pieces if part is None) == read.keep(())
    for number, part in enumerate(read.parts):
        assert part.text in text
        assert read.keep([other for other in every if other != number]).count("\n") < text.count("\n") + 1
        assert text.split("\n")[part.line - 1].strip(), "a part begins with something"


def test_sections_are_told_by_headings_and_a_bare_title_always_stands() -> None:
    read = find_parts(FILE)
    assert read.kind == "section"
    assert [(part.name, part.line, part.last_line) for part in read.parts] == [
        ("Style", 6, 7),
        ("Names", 9, 10),
        ("Tests", 12, 14),
    ]
    assert read.keep(()) == "---\nname: house\n---\n# House\n\n"
    assert read.keep([2]) == read.keep(()) + "## Tests\n- Run them.\n- Read them.\n"


def test_too_many_headings_leave_those_above_them() -> None:
    below = "".join(f"### Part {number}\nText.\n" for number in range(MANY))
    read = find_parts(f"## First\n{below}## Second\nText.\n")
    assert [part.name for part in read.parts] == ["First", "Second"]
    flat = find_parts("".join(f"## Part {number}\nText.\n" for number in range(40)))
    assert len(flat.parts) == 40, "there is nothing coarser; who asked refuses it"


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("Rules:\n\n- a\n  - below\n\n- b\n\nAt last.\n", "point", ["a", "b", "At last."]),
        ("# Title\n\n- a\n- b\n", "point", ["a", "b"]),
        ("First\nline.\n\nSecond.\n", "paragraph", ["First", "Second."]),
        ("Alone.\n", "paragraph", ["Alone."]),
        ("", "paragraph", []),
    ],
)
def test_a_file_without_headings_has_points_or_paragraphs(text: str, kind: str, names: list[str]) -> None:
    read = find_parts(text)
    assert (read.kind, [part.name for part in read.parts]) == (kind, names)


def test_a_line_that_leads_up_to_points_stands_without_them() -> None:
    read = find_parts("Rules:\n\n- a\n- b\n")
    assert read.keep([1]) == "Rules:\n\n- b\n"


def test_files_of_this_repository_have_parts() -> None:
    root = Path(__file__).parents[2]
    for name in ("README.md", "CONTRIBUTING.md", "docs/try.md"):
        text = (root / name).read_text(encoding="utf-8")
        read = find_parts(text)
        assert len(read.parts) > 1
        assert read.keep(range(len(read.parts))) == text
