"""A command that has its memory by itself and puts it between marks: its model sees the condition's."""

from pathlib import Path
from typing import Any

import pytest

from memtrial.commands.command_spec import read_command
from memtrial.faults import SpecFault
from memtrial.plugins.own_agent import load_command
from tests.api.test_command_agent import NOTES, PYTHON, place, play
from tests.support.plain_provider import PlainProvider, plain_provider

CARRIER = {"marked": "notes.md", "marks": ["<notes>", "</notes>"]}
SENDS = """
notes = Path(sys.argv[1]).read_text()
sys.exit("press it" not in ask(f"Go. <notes>\\n{notes}\\n</notes> Now."))
"""


def answers(said: str) -> tuple[int, str]:
    return 200, "press it" if 'the \\"green\\" button' in said else "no idea"


def play_sender(folder: Path, code: str, **carrier: Any) -> tuple[Any, Any, PlainProvider]:
    place(folder, "agent.py", f"{PYTHON}\n{code}")
    agent = {"command": "python3 -S agent.py {memory_file}", "outcome": "exit", "carrier": CARRIER | carrier}
    with plain_provider(answers) as provider:
        rows, results = play(folder, agent, provider.url, 1)
    return rows, results, provider


def test_it_has_its_memory_in_every_trial_and_its_model_what_the_condition_shows(tmp_path: Path) -> None:
    rows, results, provider = play_sender(tmp_path, SENDS)
    assert {row.condition: row.status for row in rows} == {
        "without": "failure", "intact": "success", "filler": "failure",
    }  # fmt: skip
    assert {row.condition: row.delivery for row in rows} == {
        "without": "",
        "intact": "given",
        "filler": "given",
    }
    assert results.delivery.words == {"given": 2}
    texts = [body["messages"][0]["content"] for body in provider.bodies]
    assert {"Go.  Now.", f"Go. \n{NOTES}\n Now."} < set(texts)
    assert not any("notes>" in text for text in texts)


def test_memory_outside_of_the_marks_is_given_though_without(tmp_path: Path) -> None:
    long = f"ask(notes * 3 + '{'Look twice before you do anything at all. ' * 3}')"
    place(tmp_path, "long.md", f"{NOTES} {'Look twice before you do anything at all. ' * 3}")
    rows, *_ = play_sender(
        tmp_path, f"notes = Path(sys.argv[1]).read_text()\nask(notes)\n{long}", marked="long.md"
    )
    (without,) = [row for row in rows if row.condition == "without"]
    assert without.status == "error"
    assert (
        "given though without: memory that was taken away stood outside of marks in request 1"
        in without.cause
    )


def test_what_cannot_be_followed_is_an_error_in_every_condition(tmp_path: Path) -> None:
    rows, _, provider = play_sender(tmp_path, "ask('<notes> Another. </notes>')")
    assert not provider.bodies
    assert {row.status for row in rows} == {"error"}
    assert all("no item has, there, the line 'Another.'" in row.cause for row in rows)


@pytest.mark.parametrize(
    ("carrier", "text", "why"),
    [
        ({"marks": ["a", "b"]}, "x", "carrier.*a mark has 4 to 100 characters"),
        ({"marked": "none.md"}, "x", r"none\.md"),
        ({}, "x <notes> y", "has marks itself; take them out"),
        ({"marked": "notes.md", "odd": 1}, "x", "no such key"),
    ],
)
def test_what_cannot_be_used_is_refused_at_once(
    carrier: dict[str, Any], text: str, why: str, tmp_path: Path
) -> None:
    place(tmp_path, "notes.md", text)
    with pytest.raises(SpecFault, match=why):
        load_command(read_command({"command": "true", "carrier": CARRIER | carrier, "base": tmp_path}), 0)
