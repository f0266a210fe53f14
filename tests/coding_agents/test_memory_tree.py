"""The tree of each condition: what differs between them, and that it can be taken back."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.coding_agents.memory_files import LARGEST, find_memory_files, read_memory_folder
from memtrial.coding_agents.memory_tree import (
    MemoryRoots,
    find_above,
    locate_memory,
    show_intact,
    take_back,
    write_memory,
)
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS, find_agent
from memtrial.faults import SpecFault

CLAUDE, CODEX = find_agent("claude"), find_agent("codex")
SKILL = "---\nname: brew\ndescription: brews tea\n---\nPour, then boil.\n"
FILES = {
    "CLAUDE.md": "# Notes\r\nUse tabs.\r\n",
    "AGENTS.md": "For others.\n",
    "sub/AGENTS.md": "For others, deeper.\n",
    "AGENTS.override.md": "Override.\n",
    "CONTEXT.md": "Context.\n",
    ".claude/skills/brew/SKILL.md": SKILL,
    ".agents/skills/brew/SKILL.md": SKILL,
    "main.py": "print()\n",
}


def lay_out(folder: Path, files=FILES) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    return folder


def read_back(folder: Path) -> dict[str, str]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() or path.is_symlink()]
    return {
        path.relative_to(folder).as_posix(): (
            f"link to {os.readlink(path)}" if path.is_symlink() else path.read_bytes().decode()
        )
        for path in paths
    }


def skill_of(tree):
    (file,) = [file for file in find_memory_files(CLAUDE, tree) if file.place.kind == "skill"]
    return file


@pytest.fixture
def roots(tmp_path):
    (tmp_path / "home").mkdir()
    return MemoryRoots(lay_out(tmp_path / "tree"), tmp_path / "home")


@pytest.mark.parametrize("record", [r for r in SHIPPED_AGENTS if r.places], ids=lambda record: record.name)
def test_conditions_differ_in_the_text_on_trial_alone_and_each_can_be_taken_back(roots, record):
    before = read_back(roots.tree)
    every = find_memory_files(record, roots.tree)
    assert every
    for file in every:
        shown = {"intact": show_intact([file]), "damaged": {file.path: "Boil, then pour.\n"}, "without": {}}
        trees = {}
        for condition, texts in shown.items():
            originals = write_memory(roots, [file], texts)
            trees[condition] = read_back(roots.tree)
            take_back(originals)
            assert read_back(roots.tree) == before
        assert trees["intact"][file.path] == before[file.path]
        assert trees["damaged"][file.path] == f"{file.head}Boil, then pour.\n"
        assert trees["without"].get(file.path, "") == file.head
        rest = [{path: text for path, text in tree.items() if path != file.path} for tree in trees.values()]
        assert rest[0] == rest[1] == rest[2]
        # all that the agent would read in its place is gone everywhere
        assert not {Path(path).name for path in rest[0]} & {*file.place.stand_ins}
        assert rest[0]["main.py"] == "print()\n"


def test_where_claude_md_is_on_trial_no_agents_md_is_left_at_any_depth(roots):
    (file,) = [file for file in find_memory_files(CLAUDE, roots.tree) if file.path == "CLAUDE.md"]
    write_memory(roots, [file], {})
    left = read_back(roots.tree)
    assert not [path for path in left if path.endswith(("CLAUDE.md", "AGENTS.md"))]
    assert "AGENTS.override.md" in left


def test_a_skill_keeps_its_name_and_description_in_every_condition(roots):
    file = skill_of(roots.tree)
    assert (file.head, file.text) == ("---\nname: brew\ndescription: brews tea\n---\n", "Pour, then boil.\n")
    write_memory(roots, [file], {})
    assert (roots.tree / file.path).read_text() == file.head
    assert (roots.tree / "AGENTS.md").exists()


def test_a_link_to_the_file_of_another_agent_is_replaced_and_put_back(roots):
    (roots.tree / "CLAUDE.md").unlink()
    (roots.tree / "CLAUDE.md").symlink_to("AGENTS.md")
    before = read_back(roots.tree)
    file = find_memory_files(CLAUDE, roots.tree)[0]
    assert (file.path, file.text) == ("CLAUDE.md", "For others.\n")
    originals = write_memory(roots, [file], {file.path: "Damaged.\n"})
    after = read_back(roots.tree)
    assert after["CLAUDE.md"] == "Damaged.\n"
    assert "AGENTS.md" not in after
    take_back(originals)
    assert read_back(roots.tree) == before


def test_nothing_is_read_or_written_through_a_link_out_of_the_tree(roots, tmp_path):
    outside = lay_out(tmp_path / "outside", {"skills/brew/SKILL.md": SKILL, "CLAUDE.md": "Mine.\n"})
    file = skill_of(roots.tree)
    (roots.tree / ".claude").rename(tmp_path / "moved")
    (roots.tree / ".claude").symlink_to(outside)
    before = read_back(outside)
    with pytest.raises(SpecFault, match=r"plain folders; \.claude is a link"):
        write_memory(roots, [file], {file.path: "x"})
    with pytest.raises(SpecFault, match="a link out of it"):
        find_memory_files(CLAUDE, roots.tree)
    assert read_back(outside) == before


def test_a_memory_folder_lies_in_the_home_under_the_name_of_the_work_tree(roots, tmp_path):
    folder = lay_out(tmp_path / "memory", {"MEMORY.md": "- [tea](tea.md)\n", "tea.md": "Pour first.\n"})
    files = read_memory_folder(CLAUDE, folder)
    assert [file.path for file in files] == ["MEMORY.md", "tea.md"]
    write_memory(roots, files, show_intact(files))
    place = locate_memory(roots, files[1])
    assert place.read_text() == "Pour first.\n"
    assert place.is_relative_to(roots.home / ".claude/projects")
    assert place.parent.parent.name == str(roots.tree).replace("/", "-").replace("_", "-")
    write_memory(roots, files, {})
    assert list(place.parent.iterdir()) == []
    with pytest.raises(SpecFault, match="codex keeps no folder of memory"):
        read_memory_folder(CODEX, folder)
    with pytest.raises(SpecFault, match=r"end in \.md"):
        read_memory_folder(CLAUDE, roots.home)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"\xff", "is not; convert it"),
        (b"x" * (LARGEST + 1), "is larger"),
        (b"Read @AGENTS.md first.", "imports AGENTS.md"),
    ],
)
def test_a_memory_file_that_cannot_be_put_on_trial_is_refused_in_one_line(roots, text, line):
    (roots.tree / "CLAUDE.md").write_bytes(text)
    with pytest.raises(SpecFault, match=line) as refused:
        find_memory_files(CLAUDE, roots.tree)
    assert "\n" not in str(refused.value)


def test_a_skill_without_front_matter_and_a_text_of_no_file_are_refused(roots):
    (roots.tree / ".claude/skills/brew/SKILL.md").write_text("---\nname: brew\n")
    with pytest.raises(SpecFault, match="front matter"):
        find_memory_files(CLAUDE, roots.tree)
    files = find_memory_files(CODEX, roots.tree)
    before = read_back(roots.tree)
    with pytest.raises(SpecFault, match="got other"):
        write_memory(roots, files, {"other": "x"})
    assert read_back(roots.tree) == before


def test_memory_above_the_work_tree_is_seen(roots):
    above = roots.tree.parent / "CLAUDE.md"
    assert above not in find_above(CLAUDE, roots.tree)
    above.write_text("x")
    assert above in find_above(CLAUDE, roots.tree)
    assert find_above(replace(CLAUDE, read_above=()), roots.tree) == ()
