"""How a task went, by what its command left: never a failure where nobody knows."""

import os
from pathlib import Path

import pytest

from memtrial.commands.command_outcome import (
    outcome_of_check,
    outcome_of_exit,
    outcome_of_result,
    read_result,
)
from memtrial.commands.process_order import TIME_LIMIT, CommandFault, ProcessEnd
from memtrial.worlds.world import Outcome, Usage

LATE = ProcessEnd(None, TIME_LIMIT, "", 0, 1.0)


def ended(code: int | None, stopped: str = "", tail: str = "words\nlast") -> ProcessEnd:
    return ProcessEnd(code, stopped, tail, len(tail), 1.0)


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        (b'{"success": true}', Outcome(True, 1.0)),
        (b'{"success": false, "cause": "no\\n idea"}', Outcome(False, 0.0, "no idea")),
        (b'{"score": 0.25}', Outcome(False, 0.25)),
        (b'{"score": 1}', Outcome(True, 1.0)),
        (b'{"score": 0.5, "success": true, "more": []}', Outcome(True, 0.5)),
        (
            b'{"score": 0, "usage": {"input_tokens": 9, "output_tokens": 2, "usd": 1}}',
            Outcome(False, 0.0, "", Usage(9, 2, 1.0)),
        ),
        (b'{"score": 0, "usage": {}}', Outcome(False, 0.0, "", Usage(0, 0, None))),
    ],
)
def test_a_result_is_read(content: bytes, outcome: Outcome) -> None:
    assert read_result(content) == outcome


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is no JSON"),
        (b"\xff{}", "it is no JSON"),
        (b"[" * 100_000, "it is no JSON"),
        (b"[1]", "got list"),
        (b'{"solved": true}', "its fields: solved"),
        (b'{"success": 1}', "got success: 1"),
        (b'{"score": true}', "got score: True"),
        (b'{"score": NaN}', "got score: nan"),
        (b'{"score": 1e999}', "got score: inf"),
        (b'{"score": -0.1}', "got score: -0.1"),
        (b'{"score": "1"}', "got score: '1'"),
        (b'{"score": 1, "usage": 3}', "usage is"),
        (b'{"score": 1, "usage": {"input_tokens": -1}}', "usage is"),
        (b'{"score": 1, "usage": {"usd": NaN}}', "got usd: nan"),
    ],
)
def test_what_is_no_result_is_one_line_of_what_was_needed(content: bytes, says: str) -> None:
    with pytest.raises(CommandFault, match=says) as raised:
        read_result(content)
    assert "result.json" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("made", ["nothing", "link", "pipe", "folder", "large"])
def test_a_result_that_is_no_small_plain_file_is_refused(tmp_path: Path, made: str) -> None:
    path, secret = tmp_path / "result.json", tmp_path / "secret"
    secret.write_text('{"success": true}')
    if made == "link":
        path.symlink_to(secret)
    elif made == "pipe":
        os.mkfifo(path)
    elif made == "folder":
        path.mkdir()
    elif made == "large":
        with path.open("wb") as file:
            file.truncate(100 * 1024 * 1024)
    with pytest.raises(CommandFault, match=r"needed|result.json holds") as raised:
        outcome_of_result(ended(3), tmp_path)
    if made == "nothing":
        assert "ended with code 3, and what it printed: last" in str(raised.value)


def test_the_result_counts_whatever_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"success": true}')
    assert outcome_of_result(ended(1), tmp_path) == Outcome(True, 1.0)
    assert outcome_of_result(LATE, tmp_path) == Outcome(False, 0.0, TIME_LIMIT), "too late is not solved"


def test_an_exit_code_is_solved_or_not() -> None:
    assert outcome_of_exit(ended(0)) == Outcome(True, 1.0)
    assert outcome_of_exit(ended(2)) == Outcome(False, 0.0, "exit code 2")
    assert outcome_of_exit(ended(255)).cause == "exit code 255"
    assert outcome_of_exit(LATE) == Outcome(False, 0.0, "time limit")


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (ended(-11), "the command was ended by SIGSEGV; what it printed: last"),
        (ended(-40), "ended by signal 40"),
        (ended(137), "ended by SIGKILL"),
        (
            ended(127, tail="sh: 1: claude: not found"),
            r"could not be carried out \(code 127\).*claude: not found",
        ),
        (ended(126, tail=""), "it printed nothing"),
        (ended(None, "more than 9 bytes printed"), "the command was ended: more than 9 bytes printed"),
    ],
)
def test_a_crash_is_an_error_and_no_failure(end: ProcessEnd, says: str, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"success": true}')
    for read in (outcome_of_exit, lambda end: outcome_of_result(end, tmp_path)):
        with pytest.raises(CommandFault, match=says):
            read(end)


def test_the_line_that_names_the_error_is_told_where_it_is_not_the_last() -> None:
    trace = "TypeError: fetch failed\n    at main (agent.js:6)\n\nNode.js v20.20.2\n"
    assert ended(1, tail=trace).telling_line == "TypeError: fetch failed"
    assert (ended(1).telling_line, ended(1, tail="").telling_line) == ("last", "it printed nothing")


def test_a_check_that_hangs_or_breaks_on_the_work_is_not_passed() -> None:
    assert outcome_of_check(ended(0)) == Outcome(True, 1.0)
    assert outcome_of_check(ended(1)) == Outcome(False, 0.0, "check failed")
    assert outcome_of_check(LATE) == Outcome(False, 0.0, "check: time limit")
    assert outcome_of_check(ended(-11)) == Outcome(False, 0.0, "check: SIGSEGV")
    for code in (127, -9):
        with pytest.raises(CommandFault, match="the check"):
            outcome_of_check(ended(code))
