"""`gates check`: what it prints of hand-written files, its exit codes, and one line for what is wrong."""

import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import memtrial as mt
from memtrial.faults import SpecFault
from tests.support.refusing import Warm, refused

NOTES = """# Rules

This file provides guidance to agents.

- Commit directly to main.
- Never commit directly to main.
- Read [the guide](guide.md).
- Push back when warranted.

## Stack

- Python 3.11
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "CLAUDE.md").write_text(NOTES)
    return tmp_path


def check(warm: Warm, folder: Path, *words: str):
    return warm.call("gates", "check", *words, cwd=folder, variables={"COLUMNS": "300"})


def test_findings_stand_with_file_line_gate_and_quote(warm: Warm, notes: Path) -> None:
    done = check(warm, notes, "CLAUDE.md")
    assert done.code == 0
    lines = done.out.splitlines()
    assert [line.rpartition('"')[0] for line in lines[:4]] == [
        'CLAUDE.md:3: meta-prose: speaks of the file, and not to an agent at work "This file provides',
        "CLAUDE.md:6: internal-consistency: cannot be followed beside line 5: 'Commit directly to main'"
        ' "Never commit directly to main',
        'CLAUDE.md:7: dead-reference: is not in the tree: name where it is now, or take it out "guide.md',
        "CLAUDE.md:8: refuter: the condition is that the advice is good: say what one sees then"
        ' "when warranted',
    ]
    assert lines[4].startswith(
        f"CLAUDE.md: about {-(-len(NOTES) // 4)} tokens a turn; 6 items, of which 4 tell"
    )
    assert "line 1: Rules" in lines[5]
    assert lines[-2].startswith("1 file, 6 items, about ")
    assert lines[-2].endswith("meta-prose 1, internal-consistency 1, dead-reference 1, refuter 1")


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "about 0 tokens a turn; 0 items"), ("one", "about 1 token a turn; 1 item, of which")],
)
def test_files_of_one_line_and_of_none_are_counted(warm: Warm, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "few.md").write_text(text)
    assert check(warm, tmp_path, "few.md").out.splitlines()[0].startswith(f"few.md: {said}")


@pytest.mark.parametrize(
    ("words", "code"),
    [((), 0), (("warn",), 1), (("fail",), 1), (("refuter",), 1), (("duplicate",), 0)],
)
def test_the_exit_code_is_what_was_asked_for(
    warm: Warm, notes: Path, words: tuple[str, ...], code: int
) -> None:
    options = ("--fail-on", *words) if words else ()
    assert check(warm, notes, "CLAUDE.md", *options).code == code


def test_what_is_said_for_information_fails_nothing(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("Use the appropriate tool.\n")
    done = check(warm, tmp_path, "notes.md", "--fail-on", "warn")
    assert (done.code, "(for information)" in done.out) == (0, True)
    assert check(warm, tmp_path, "notes.md", "--fail-on", "left-open").code == 1


def test_json_holds_the_whole_report_and_the_library_gives_the_same(warm: Warm, notes: Path) -> None:
    body = json.loads(check(warm, notes, "CLAUDE.md", "--json").out)
    report = mt.check_notes(notes / "CLAUDE.md")
    assert body["by_gate"] == report.by_gate
    assert body["tokens_a_turn"] == report.tokens_a_turn
    assert [each["line"] for each in body["findings"]] == [each.line for each in report.findings]
    assert [each["title"] for each in body["files"][0]["sections"]] == ["Rules", "Rules > Stack"]
    with pytest.raises(FrozenInstanceError):
        report.n_asked = 1  # type: ignore[misc]
    with pytest.raises(SpecFault, match="got no path"):
        mt.check_notes([])


def test_a_judge_is_asked_of_each_item_that_advises(warm: Warm, notes: Path) -> None:
    done = check(warm, notes, "CLAUDE.md", "--judge", "simulated/examiner", "--gates", "claim-strength")
    assert done.code == 0
    assert "judge simulated/examiner (simulated): 4 questions" in done.out
    assert done.out.count(": claim-strength: ") >= 1
    assert "(judge)" in done.out
    words = ("--judge", "simulated/examiner", "--gates", "claim-strength", "--fail-on", "claim-strength")
    assert check(warm, notes, "CLAUDE.md", *words).code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "got no path"),
        (("no.md",), "is not there"),
        (("CLAUDE.md", "--fail-on", "never"), "--fail-on takes fail, warn, "),
        (("CLAUDE.md", "--gates", "refuter"), "gates are chosen for a judge"),
        (("CLAUDE.md", "--judge", "examiner"), "--judge takes rules or provider/model"),
        (("CLAUDE.md", "--judge", "simulated/examiner", "--gates", "form-check"), "got form-check"),
        (("CLAUDE.md", "--judge", "simulated/examiner", "--gates", ""), "read a free item by itself"),
    ],
)
def test_what_is_wrong_is_one_line(warm: Warm, notes: Path, words: tuple[str, ...], said: str) -> None:
    assert said in refused(warm, notes, "gates", "check", *words)


def test_other_actions_take_one_name_and_fail_on_nothing(warm: Warm, tmp_path: Path) -> None:
    assert "option of gates check" in refused(warm, tmp_path, "gates", "list", "--fail-on", "warn")
    assert "takes one name" in refused(warm, tmp_path, "gates", "show", "refuter", "duplicate")
