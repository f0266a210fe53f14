"""Given tasks: read from whatever people have, posed as they are, and scored by their agent alone."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import memtrial
from memtrial.agents.episode import AgentFault, Episode
from memtrial.agents.play import play
from memtrial.agents.slot import NOTHING
from memtrial.arms.arm import PREPEND
from memtrial.faults import SpecFault
from memtrial.plugins.own_agent import load_agent
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.given.task_rows import read_tasks
from memtrial.worlds.given.world import GivenTasks
from memtrial.worlds.world import Outcome, Task
from tests.support.carried_out import play_spec
from tests.support.scripted import caller_of, saying
from tests.support.small import write_spec

ROWS = [{"id": 7, "question": "What is red?", "category": "colours", "answer": "the lamp"}, {"prompt": "Go."}]
READ = [("7", "What is red?", "colours", "the lamp"), ("2", "Go.", "", None)]


def as_read(given: object) -> list[tuple[str, str, str, object]]:
    return [(task.id, task.query, task.family, task.row.get("answer")) for task in read_tasks(given)]


def test_rows_are_read_from_lists_frames_files_and_folders(tmp_path: Path) -> None:
    lines, table, folder = tmp_path / "t.jsonl", tmp_path / "t.parquet", tmp_path / "set" / "test"
    lines.write_text("\n".join(map(json.dumps, ROWS)) + "\n\n")
    frame = pl.DataFrame(ROWS)
    frame.write_parquet(table)
    frame.write_csv(table.with_suffix(".csv"))
    folder.mkdir(parents=True)
    frame.write_ipc_stream(folder / "data-00000-of-00001.arrow")
    (folder / "state.json").write_text("{}")
    for given in (ROWS, lines, str(lines), frame, table, table.with_suffix(".csv"), folder.parent):
        assert as_read(given) == READ, given
    assert [task.query for task in read_tasks(pd.DataFrame(ROWS))] == ["What is red?", "Go."]


def test_texts_tasks_and_chats_are_tasks_too() -> None:
    task = Task("mine", "Do it.", "", "", "test")
    chat = {
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}],
        "id": "chat",
    }
    assert [one.query for one in read_tasks(["Go.", task, chat])] == ["Go.", "Do it.", "Be brief.\n\nGo."]
    assert read_tasks(["Go.", task])[1] is task


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([{"answer": "x"}], r"task 1 needs a text under one of query, .*; its fields: answer"),
        ([{"id": 1, "query": "a"}, {"id": "1", "query": "b"}], "each task needs an id of its own; got '1'"),
        ([3], "task 1 is int"),
        ("nowhere.jsonl", "nowhere.jsonl is not there"),
        ({"query": "a"}, "got dict"),
    ],
)
def test_what_holds_no_tasks_is_one_clear_line(given: object, says: str) -> None:
    with pytest.raises(SpecFault, match=says):
        read_tasks(given)


@pytest.mark.parametrize("text", ['{"query": "a"}\n{"query"', "[1]\n", "[" * 5000, "\xff"])
def test_a_file_of_something_else_is_refused_with_its_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(SpecFault, match=r"needed|task 1 is list|not UTF-8"):
        read_tasks(path)


def test_another_row_is_another_world() -> None:
    worlds = [GivenTasks(read_tasks([{"query": "a", "answer": answer}])) for answer in ("x", "y", "x")]
    assert worlds[0].digest == worlds[2].digest != worlds[1].digest


# how an agent plays them


def played(code: str, folder: Path) -> Episode:
    path = folder / "mine.py"
    path.write_text(f"from memtrial.worlds.world import Outcome\n{code}", encoding="utf-8")
    world = GivenTasks(read_tasks(["Go."]))
    agent = load_agent(f"{path}:play", 0)
    caller: Any = caller_of(saying())
    return asyncio.run(play(agent, world, world.tasks("test")[0], caller, PREPEND(NOTHING, ())))


ACTS = "async def play(task, world, memory, ask):\n    state = await world.begin()\n    "


def test_an_agent_of_the_old_form_reports_its_outcome_to_the_stage(tmp_path: Path) -> None:
    episode = played(f"{ACTS}world.report(Outcome(False, 0.25, 'late'))", tmp_path)
    assert (episode.outcome, episode.reported, episode.steps) == (Outcome(False, 0.25, "late"), True, ())


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("pass", "ended without an outcome"),
        ("world.report(Outcome(True, 2.0))", "a score is a number from 0 to 1; got 2.0"),
        ("world.report(Outcome(True, 1.0)); world.report(Outcome(True, 1.0))", "after its episode had ended"),
        ("world.report(Outcome(True, 1.0)); await world.act('x')", "after its episode had ended"),
    ],
)
def test_what_an_agent_may_not_do_is_its_own_error(code: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(AgentFault, match=says):
        played(ACTS + code, tmp_path)


# in a spec

SPEC = """
name: mine
environment: {world: given, tasks: tasks.jsonl}
agent: "mine.py:play"
backbone: own/mine
arms: [none, {name: notes, memory: notes.md}]
conditions: [corrupt_invert]
repeats: 1
analysis: {outcome: score, cluster: task, flips: 199}
"""
CODE = "def play(task, memory):\n    return 'press' in memory.text and 'never' not in memory.text\n"


def test_a_spec_names_the_agent_its_tasks_and_a_text(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODE)
    (tmp_path / "notes.md").write_text("When the lamp is red, press the button.\n")
    (tmp_path / "tasks.jsonl").write_text("".join(f'{{"query": "Lamp {n}."}}\n' for n in range(4)))
    assert play_spec(load_spec(write_spec(tmp_path, SPEC)), tmp_path / "out") == 0
    results = memtrial.load(tmp_path / "out")
    scores = {(cell.arm, cell.condition): cell.score for cell in results.cells}
    assert scores == {("none", "without"): 0.0, ("notes", "intact"): 1.0, ("notes", "corrupt_invert"): 0.0}
    assert any("notes.md" in name for name in results.digests)
    assert results.world == "given"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"mine.py:play"', "react", "world: given is scored by its agent; got agent: react"),
        (
            "{name: notes, memory: notes.md}",
            "control",
            "no training tasks to make memory from, as arm 'control'",
        ),
        (
            "memory: notes.md",
            "memory: notes.pdf",
            r"path/to/module.py:Object is needed, a text file \(.md",
        ),
        ("repeats: 1", "mode: stream", "use mode: frozen"),
    ],
)
def test_a_spec_that_does_not_fit_given_tasks_is_refused(
    old: str, new: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecFault, match=says):
        load_spec(write_spec(tmp_path, SPEC.replace(old, new)))
