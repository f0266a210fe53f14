"""A command is filled in word by word, or refused; a changed script is another agent."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.coding_trials.agent_starter import (
    CommandStarter,
    ProxyAccess,
    StartPlaces,
    refuse_command,
)
from memtrial.coding_trials.carried_memory import carry_for_command
from memtrial.faults import SpecFault
from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_trees import FolderTree

ACCESS = ProxyAccess("http://127.0.0.1:1", "token", {"OPENAI_API_KEY": "token"})


def task_in(folder: Path) -> CodingTask:
    tree = FolderTree(folder / "none")
    return CodingTask("a", "Don't stop; $(rm x)", "sh check", "", tree, tree, tests=("t.sh",))


def starter(command: str, base: Path) -> CommandStarter:
    (base / "AGENTS.md").write_text("Notes.\n")
    return CommandStarter(command, base, carry_for_command(command, base / "AGENTS.md"))


def places(folder: Path) -> StartPlaces:
    made = StartPlaces(folder / "tree", folder / "home", folder / "given files")
    for path in (made.tree, made.home, made.given):
        path.mkdir()
    return made


def test_placeholders_are_quoted_and_own_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "run me").mkdir()
    base = tmp_path / "run me"
    (base / "agent.js").write_text("1")
    there = places(tmp_path)
    made = starter("node agent.js --task {task_file} {prompt} other.js {folder} {proxy}", base)
    line = made.prepare(task_in(tmp_path), "shown", there, ACCESS)
    words = shlex.split(line.command)
    assert words == [
        "node", str(base / "agent.js"), "--task", str(there.given / "task.json"),
        task_in(tmp_path).instructions, "other.js", str(there.tree), ACCESS.url,
    ]  # fmt: skip
    assert line.variables == ACCESS.variables
    assert (made.name, (there.given / "memory.md").read_text()) == ("agent.js", "")
    assert "These tests must pass:\n- t.sh" in (there.given / "task.json").read_text().replace("\\n", "\n")


def test_memory_beside_the_tree_where_the_command_names_it(tmp_path: Path) -> None:
    there = places(tmp_path)
    made = starter("run {memory_file}", tmp_path)
    assert made.carrier.way == "file beside"
    made.prepare(task_in(tmp_path), "shown\n", there, ACCESS)
    assert (there.given / "memory.md").read_text() == "shown\n"


def test_a_changed_script_is_another_agent(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    made = starter("python a.py", tmp_path)
    before = made.digests
    (tmp_path / "a.py").write_text("2")
    assert made.digests != before
    assert replace(made, command="python  a.py").digests != made.digests


@pytest.mark.parametrize("command", ["", "  ", "run {tests}"])
def test_what_stands_for_nothing_is_refused(command: str) -> None:
    with pytest.raises(SpecFault, match=r"got nothing|\{tests\} stands for nothing in an agent's command"):
        refuse_command(command)
