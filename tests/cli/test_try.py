"""`try` says what it comes to, asks before it begins, and ends in a sentence."""

import json
import os
from pathlib import Path

import pytest

from tests.support.made_repository import CHECK, TESTS
from tests.support.refusing import Warm, files_in
from tests.support.tried_agent import KEY, answered, command, make_library

HERE = {"PATH": os.environ["PATH"]}
WORDS = (
    *("try", "--agent", command("silent"), "--memory", "AGENTS.md", "--tasks", "git:1"),
    *("--check", CHECK, "--tests", *TESTS, "--check-timeout-s", "20", "--condition", "filler"),
    *("--display", "none", "--out", "run"),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("tried") / "library", 1)


def test_without_a_terminal_it_begins_only_when_told_to(warm: Warm, library: Path) -> None:
    before = files_in(library)
    refused = warm.call(*WORDS, cwd=library, variables=HERE)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "memtrial: try asks before it begins, and there is no terminal to ask at; --yes begins, --dry-run"
        " only says what it comes to\n"
    )
    assert files_in(library) == before


def test_it_says_what_it_comes_to_and_then_does_it(warm: Warm, library: Path) -> None:
    said = warm.call(*WORDS, "--dry-run", cwd=library, variables=HERE)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0].startswith("Memory: AGENTS.md, 6 lines, ")
    assert "Trials: 3: 1 task x 3 conditions x 1 repeat." in lines
    assert any(line.startswith("Time: unknown until the first trial") for line in lines)
    assert any(line.startswith("Cannot show: ") for line in lines)
    assert not (library / "run").exists()
    told = json.loads(warm.call(*WORDS, "--dry-run", "--json", cwd=library, variables=HERE).out)
    assert (told["trials"], told["left"], told["conditions"]) == (3, 3, ["without", "intact", "filler"])
    played = warm.call(*WORDS, "--yes", cwd=library, variables=HERE, within_s=30)
    assert played.code == 0, played.err
    assert "Report, with the figure: run/report.html" in played.out
    assert played.out.splitlines()[-1].startswith("Next: ")
    failing = ("--yes", "--json", "--fail-on")
    again = warm.call(*WORDS, *failing, "harms,none", cwd=library, variables=HERE, within_s=30)
    spared = json.loads(again.out)
    assert (again.code, spared["words"], spared["ending"]) == (0, ["undecided"], "done")
    assert [cost["n_trials"] for cost in spared["costs"]] == [1, 1, 1]
    failed = warm.call(*WORDS, *failing, "harms, undecided", cwd=library, variables=HERE, within_s=30)
    assert (failed.code, json.loads(failed.out)["ending"]) == (1, "done")
    assert failed.err.splitlines()[-1] == (
        "memtrial: --fail-on undecided: AGENTS.md: whether it helps is not decided"
    )


def test_a_probe_says_what_it_comes_to_before_sessions_and_before_calls(warm: Warm, library: Path) -> None:
    with answered() as (url, answers):
        given = ("--probe", "--base-url", f"openai={url}/v1", "--agent", command("reads"), "--out", "asked")
        here = HERE | {"OPENAI_API_KEY": KEY}
        said = warm.call(*WORDS, *given, "--dry-run", cwd=library, variables=here)
        assert (said.code, said.err, answers.requests) == (0, "", [])
        assert "Sessions: 1; each task once, with the memory intact; no score is judged." in said.out
        assert "Cost: unknown until a session was played; --max-cost stops it." in said.out
        assert not (library / "asked").exists()
        done = warm.call(*WORDS, *given, "--yes", cwd=library, variables=here, within_s=30)
        assert done.code == 0, done.err
        assert "held against: filler" in done.out
        assert "Sessions: 1, in " in done.out
        assert "direct effect given the history" in done.out
        assert "Simulated participants" in done.out
        assert done.out.splitlines()[-1].startswith("3 calls: $0.")
        assert len(answers.requests) == 1 + 3


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--memory", "nowhere.md"), "memory is a text file in UTF-8; nowhere.md is not there"),
        (("--agent", "nobody"), "agents with a record are claude, codex"),
        (("--agent", "run {tests}"), "{tests} stands for nothing in an agent's command"),
        (("--tasks", "git:x"), "git:N, as git:10, or a folder of tasks is needed"),
        (("--condition", "nothing"), "nothing"),
        (
            ("--fail-on", "harms,worse"),
            "--fail-on takes harms, none, decoration, costs, undecided, joined by",
        ),
        (("--fail-on", ""), "joined by commas; got ''"),
        (("--sections",), "--sections plays no damage to the file: leave --condition"),
        (("--sections", "--fail-on", "harms"), "--fail-on judges the file as a whole"),
        (("--probe", "--fail-on", "harms"), "--fail-on judges the file as a whole: leave --probe out"),
        (("--probe", "--sections"), "--sections plays trials, and --probe none"),
        (("--probe", "--repeats", "2"), "--probe plays no damage: leave --perturber, --judge, --repeats,"),
        (("--probe", "--calls", "1"), "--calls takes a whole number from 2 to 100,000; got 1"),
        (("--probe", "--condition", "intact"), "the intact memory is always asked"),
        (("--probe", "--memory", "mcp:server.json"), "--probe is of memory that stands in requests"),
    ],
)
def test_what_cannot_be_used_is_a_line(warm: Warm, library: Path, words: tuple[str, ...], line: str) -> None:
    refused = warm.call(*WORDS, *words, "--dry-run", cwd=library, variables=HERE)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert line in refused.err
