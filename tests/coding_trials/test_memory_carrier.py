"""Where a memory file goes: into its own place where the agent reads it there, else into the first."""

from contextlib import chdir
from pathlib import Path

import pytest

from memtrial.coding_agents.shipped_agents import find_agent
from memtrial.coding_trials.carried_memory import carry_for_command, carry_for_record
from memtrial.faults import SpecFault

SKILL = "---\nname: tea\ndescription: How tea is made\n---\nPour the water first.\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("agent", "path", "way", "place"),
    [
        ("claude", "CLAUDE.md", "file", "CLAUDE.md"),
        ("claude", "AGENTS.md", "file", "CLAUDE.md"),
        ("claude", ".claude/rules/tea.md", "file", ".claude/rules/tea.md"),
        ("claude", "notes/tea.md", "file", "CLAUDE.md"),
        ("codex", "notes/tea.md", "file", "AGENTS.md"),
        ("mini-swe-agent", "AGENTS.md", "prompt", "the task"),
    ],
)
def test_the_place_of_a_memory(agent: str, path: str, way: str, place: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    carrier = carry_for_record(find_agent(agent), write(tmp_path / path, "Pour the water first.\n"))
    assert (carrier.way, carrier.file.path, carrier.file.text) == (way, place, "Pour the water first.\n")


def test_of_a_skill_the_body_is_on_trial(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = write(tmp_path / ".claude/skills/tea/SKILL.md", SKILL)
    file = carry_for_record(find_agent("claude"), path).file
    assert (file.path, file.text) == (".claude/skills/tea/SKILL.md", "Pour the water first.\n")


def test_a_command_gets_it_where_it_lies_in_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    carrier = carry_for_command("run", write(tmp_path / "docs/AGENTS.md", "x\n"))
    assert (carrier.way, carrier.file.path) == ("file", "docs/AGENTS.md")


@pytest.mark.parametrize(
    ("agent", "path", "place"),
    [
        ("claude", "notes/CLAUDE.md", "CLAUDE.md"),
        ("claude", "notes/.claude/rules/tea.md", ".claude/rules/tea.md"),
        ("claude", "notes/tea.md", "CLAUDE.md"),
        ("codex", "notes/AGENTS.md", "AGENTS.md"),
    ],
)
def test_where_tasks_have_no_repository_the_nearest_place_counts(
    agent: str, path: str, place: str, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    carrier = carry_for_record(find_agent(agent), write(tmp_path / path, "Pour the water first.\n"), False)
    assert (carrier.way, carrier.file.path) == ("file", place)


def test_a_command_gets_it_as_it_lies_below_the_current_folder_where_tasks_have_no_repository(
    tmp_path: Path,
) -> None:
    (tmp_path / ".git").mkdir()
    path = write(tmp_path / "mine/docs/AGENTS.md", "x\n")
    assert carry_for_command("run", path, False).file.path == "AGENTS.md"
    with chdir(tmp_path / "mine"):
        assert carry_for_command("run", path, False).file.path == "docs/AGENTS.md"
        assert carry_for_command("run", path).file.path == "mine/docs/AGENTS.md"


@pytest.mark.parametrize(
    ("content", "why"), [(None, "is not there"), (b" \n", "is blank"), (b"\xff\xfe", "is not; convert it")]
)
def test_what_is_no_memory_is_refused(content: bytes | None, why: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "AGENTS.md").write_bytes(content)
    with pytest.raises(SpecFault, match=f"memory is a text file in UTF-8; .*{why}"):
        carry_for_command("run", tmp_path / "AGENTS.md")
