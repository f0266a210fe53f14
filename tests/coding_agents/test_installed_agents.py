"""Which agents are installed: programs of ours stand for them."""

import json
import subprocess
import sys

import pytest

from memtrial.coding_agents.installed_agents import look_up
from memtrial.coding_agents.shipped_agents import find_agent

CODEX = find_agent("codex")


def install(folder, body, name="codex"):
    program = folder / name
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    ("body", "version", "state"),
    [
        ("echo codex-cli 0.169.0", "0.169.0", "pinned"),
        ("echo This is version 0.169.0.", "0.169.0", "pinned"),
        ("echo 0.170.1-beta", "0.170.1", "newer"),
        ("echo 0.99.7", "0.99.7", "older"),
        ("echo hello 1.2", "", "unreadable"),
        ("exit 3", "", "unreadable"),
    ],
)
def test_its_version_is_read_and_compared(tmp_path, body, version, state):
    agent = look_up(CODEX, install(tmp_path, body))
    assert (agent.version, agent.state) == (version, state)
    assert bool(agent.warning) == (state != "pinned")
    assert state in ("pinned", "unreadable") or f"is {state} than 0.169.0" in agent.warning


def test_what_is_not_there_is_absent(tmp_path):
    agent = look_up(CODEX, str(tmp_path))
    assert (agent.state, agent.version, agent.warning) == ("absent", "", "")


def test_it_is_asked_in_a_home_of_its_own_without_the_users_variables(tmp_path):
    inside = f'/usr/bin/env > "{tmp_path}/variables"; echo 0.169.0'
    assert look_up(CODEX, install(tmp_path, inside)).state == "pinned"
    lines = [line.partition("=") for line in (tmp_path / "variables").read_text().splitlines()]
    variables = {name: value for name, _, value in lines}
    assert variables.keys() <= {"HOME", "PATH", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"}
    assert variables["HOME"] == variables["PWD"]


def test_the_verb_lists_every_agent_and_warns_of_a_newer_one(tmp_path):
    path = install(tmp_path, "echo codex-cli 9.0.0")
    done = subprocess.run(
        [sys.executable, "-m", "memtrial", "agents", "--json"],
        env={"PATH": path, "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    states = {name: row["state"] for name, row in rows.items()}
    assert states == {"claude": "absent", "codex": "newer", "opencode": "absent", "mini-swe-agent": "absent"}
    assert "9.0.0 is newer than 0.169.0" in rows["codex"]["warning"]
    assert rows["mini-swe-agent"]["files"] == []
