"""Files that people write by hand: nothing is lost, lines are right, and what is no such file is one line."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.faults import SpecFault
from memtrial.memory.notes import note_files
from memtrial.memory.notes.note_blocks import cut_blocks
from memtrial.memory.notes.note_files import read_note_files
from memtrial.memory.notes.note_items import read_note, read_roles

SKILL = """---
name: release
description: Use when a version is to be published.
---
# Release

Intro line
that goes on.

## Steps ##

1. Run `make check`:
   - fix what it says
     before you go on
2. Tag it.

```sh
# Not a heading
- not an item
```

| a | b |
|---|---|
<!-- a note
to ourselves -->
Setext
------
* [ ] tick this off
> a quotation
***
"""
PIECES = (
    "# a",
    "- b",
    "\t- c",
    "```",
    "~~~",
    "<!--",
    "-->",
    "| d |",
    "---",
    "===",
    "1. e",
    "> f",
    "",
    " ",
    "g:",
    "\r",
)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6)).map("\n".join))
def test_nothing_is_lost_and_each_block_says_where_it_stands(text: str) -> None:
    blocks = cut_blocks(text)
    assert "".join(block.text for block in blocks) == text
    lines = text.split("\n")
    for block in blocks:
        assert block.text.startswith(lines[block.line - 1])
        assert block.text.removesuffix("\n").endswith(lines[block.last_line - 1])
    read = read_note(text)
    assert "".join(section.text for section in read.sections) == text
    assert all(lines[item.line - 1].strip() for item in read.items if item.text)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_kind_of_block_is_told_from_the_others(end: str) -> None:
    read = read_note(SKILL.replace("\n", end))
    kinds = [block.kind for block in read.blocks if block.kind != "blank"]
    assert kinds == [
        *("front matter", "heading", "paragraph", "heading", "item", "item", "item", "code", "table"),
        *("comment", "heading", "item", "paragraph", "rule"),
    ]
    assert [(s.name, s.line, len(s.titles)) for s in read.sections] == [
        ("", 1, 0),
        ("Release", 5, 1),
        ("Steps", 10, 2),
        ("Setext", 26, 2),
    ]
    items = {item.line: item for item in read.items}
    assert items[7].text.split() == ["Intro", "line", "that", "goes", "on."]
    assert items[13].above == ("Run `make check`:",)
    assert items[12].leads
    assert (items[13].last_line, items[15].above) == (14, ())
    assert items[15].roles.form[0].startswith("```sh")
    assert items[28].text == "tick this off"


def test_what_does_not_close_runs_to_the_end() -> None:
    assert [block.kind for block in cut_blocks("a\n```\n# b\n- c\n")] == ["paragraph", "code"]
    assert [block.kind for block in cut_blocks("a\n<!-- b\n\n- c\n")] == ["paragraph", "comment"]
    assert [block.kind for block in cut_blocks("````\n```\n````\n- c\n")] == ["code", "item"]
    assert next(iter(cut_blocks("---\na: b\n"))).kind == "rule"


def test_an_item_is_read_into_roles() -> None:
    text = "When a test fails, rerun it alone, unless it is slow, because `make test` shares a cache."
    roles = read_roles(text, ("Before every push", "Style"))
    assert roles.when == ("a test fails",)
    assert read_roles("Run `a` before each commit.").when == ("each commit",)
    assert roles.around == ("Before every push",)
    assert roles.unless == ("it is slow",)
    assert roles.what == "rerun it alone"
    assert roles.why[0].startswith("because")
    assert roles.form == ("make test",)


def test_imports_are_followed_inside_the_tree_and_named_outside_it(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / ".git").mkdir(parents=True)
    (tree / "docs").mkdir()
    (tmp_path / "secret.md").write_text("- outside\n")
    (tree / "docs" / "git.md").write_text("- inside\n@../CLAUDE.md\n")
    first_line = "See @docs/git.md, ask @alice of @scope/name, not `@docs/no.md`."
    text = f"{first_line}\n\n@../secret.md\n@~/mine.md\n@gone.md\n"
    (tree / "CLAUDE.md").write_text(text)
    first, second = read_note_files([tree / "CLAUDE.md"])
    assert (second.path.name, second.imported, first.imported) == ("git.md", True, False)
    named = [(brought.written, brought.line, brought.path is not None) for brought in first.imports]
    assert named == [
        ("docs/git.md", 1, True),
        ("../secret.md", 3, False),
        ("~/mine.md", 4, False),
        ("gone.md", 5, False),
    ]


def test_a_folder_is_read_without_what_machines_put_there(tmp_path: Path) -> None:
    for name in ("b.md", "a/SKILL.md", ".claude/c.md", "node_modules/d.md", ".hidden/e.md", "f.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Open it.\n")
    outside = tmp_path.parent / f"{tmp_path.name}.md"
    outside.write_text("Open it.\n")
    (tmp_path / "link.md").symlink_to(outside)
    names = [str(file.path.relative_to(tmp_path)) for file in read_note_files([tmp_path, tmp_path / "b.md"])]
    assert names == [".claude/c.md", "a/SKILL.md", "b.md"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfea", "no UTF-8 text at byte 0"),
        (b"a\0b", "zero bytes"),
        (b"a\r- b\r", "end in CR alone"),
        (b"a" * 2000, "larger than"),
    ],
)
def test_what_is_no_text_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(content)
    if said == "larger than":
        with path.open("ab") as file:
            file.truncate(note_files.MOST_BYTES + 1)  # sparse: it takes no room
    with pytest.raises(SpecFault, match=said) as fault:
        read_note_files([path])
    assert "\n" not in str(fault.value)


def test_a_folder_without_notes_and_a_path_that_is_not_there_are_one_line(tmp_path: Path) -> None:
    for path, said in (
        (tmp_path, "holds none"),
        (tmp_path / "no.md", "is not there"),
        (Path("/dev/null"), "plain"),
    ):
        with pytest.raises(SpecFault, match=said):
            read_note_files([path])


def test_an_imported_file_is_named_beside_the_one_that_brings_it_in(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "CLAUDE.md").write_text("@docs/style.md\n")
    (tmp_path / "docs" / "style.md").write_text("@more.md\n")
    (tmp_path / "docs" / "more.md").write_text("- Open it.\n")
    folder = os.path.relpath(tmp_path)
    names = [file.name for file in read_note_files([Path(folder, "CLAUDE.md")])]
    assert names == [f"{folder}/{name}" for name in ("CLAUDE.md", "docs/style.md", "docs/more.md")]
