"""The GitHub Action at the top: its inputs, and the command that its script gives to the option parser."""

import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from memtrial.cli.app import application
from memtrial.reports.text.memory_meanings import MEANINGS
from tests.house.test_house import ROOT

GIVEN = {
    "agent": 'sh "$HOME"/a.sh {task_file}; `id`',
    "memory": "notes of ours.md",
    "max-cost": "2.5",
}
EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    read = yaml.safe_load(text)
    assert isinstance(read, dict)
    return read


def parse(action: dict[str, Any], folder: Path, given: dict[str, str]) -> dict[str, Any]:
    """What the verb is called with, where a workflow gives these inputs."""
    values = {name: str(declared.get("default", "")) for name, declared in action["inputs"].items()} | given
    (step,) = (step for step in action["runs"]["steps"] if 'memtrial" try' in step.get("run", ""))
    shown = {
        name: EXPRESSION.sub(lambda match: values[match[1].removeprefix("inputs.")], text)
        for name, text in step["env"].items()
    }
    # what is begun in its place leaves its arguments, each ended by a zero
    stand_in = folder / "memtrial-venv" / "bin" / "memtrial"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
    stand_in.chmod(stat.S_IRWXU)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={"PATH": "/usr/bin:/bin", "RUNNER_TEMP": str(folder), **shown},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    verb, *words = done.stdout.split("\0")[:-1]
    assert verb == "try"
    command = typer.main.get_group(application(verb)).commands[verb]
    return command.make_context(verb, words).params


def test_each_input_is_declared_explained_and_used(action: dict[str, Any]) -> None:
    declared = action["inputs"]
    used = set(re.findall(r"\binputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == {*declared}
    assert all(about["description"] for about in declared.values())
    assert {name for name, about in declared.items() if about.get("required")} == {*GIVEN}
    assert all(word in declared["fail-on"]["description"] for word in MEANINGS)


def test_what_a_workflow_gives_reaches_the_options_as_it_is(action: dict[str, Any], tmp_path: Path) -> None:
    told = parse(action, tmp_path, GIVEN | {"model": "sonnet", "fail-on": "harms, costs", "tasks": "git:4"})
    assert (told["agent"], told["memory"]) == (GIVEN["agent"], GIVEN["memory"])
    assert (told["model"], told["tasks"], told["max_cost"]) == ("sonnet", "git:4", 2.5)
    assert (told["fail_on"], told["yes"], told["dry_run"]) == ("harms, costs", True, False)
    uploaded = next(step for step in action["runs"]["steps"] if "upload-artifact" in step.get("uses", ""))
    assert uploaded["if"] == "always()"
    folder = EXPRESSION.sub(
        lambda match: {"runner.temp": str(tmp_path), "inputs.artifact": "memtrial-try"}[match[1]],
        uploaded["with"]["path"],
    )
    assert [Path(line).name for line in folder.split()] == ["report.html", "report.md", "results.json"]
    assert {Path(line).parent for line in folder.split()} == {told["out"]}


def test_what_is_not_given_is_as_at_the_command_line(action: dict[str, Any], tmp_path: Path) -> None:
    told = parse(action, tmp_path / "first", GIVEN)
    assert (told["model"], told["tasks"], told["fail_on"]) == ("", "git:10", "harms")
    assert parse(action, tmp_path / "second", GIVEN | {"fail-on": ""})["fail_on"] is None
    with pytest.raises(typer.TyperException) as refused:  # no trial without a bound
        parse(action, tmp_path / "third", GIVEN | {"max-cost": ""})
    assert "--max-cost" in refused.value.format_message()


def test_no_input_stands_in_the_text_of_a_script(action: dict[str, Any]) -> None:
    scripts = [step for step in action["runs"]["steps"] if "run" in step]
    assert len(scripts) == 2
    assert all("${{" not in step["run"] and step["shell"] == "bash" for step in scripts)
