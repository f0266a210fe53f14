"""`try --probe`: sessions with the memory intact, whose requests are asked again with it changed."""

import json
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import memtrial as mt
from memtrial.api.coding.try_probe import (
    PreparedSessions,
    TryProbeOptions,
    play_out_sessions,
    prepare_try_probe,
)
from memtrial.api.probe.probe import ask_prepared
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.coding_agents.shipped_agents import find_agent
from memtrial.faults import RunFault, SpecFault
from memtrial.models.client.types import Request
from memtrial.models.scripted.coding.coding_answers import CodingAnswers
from memtrial.models.scripted.coding.dispositions import FileEdit, ScriptedTask, ignore, read_all
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.views.rows.probe_rows import ProbeResults
from tests.support.tried_agent import KEY, LESSON, MINING, command, make_library, texts_in

TASKS = tuple(
    ScriptedTask(
        prompt=f"Give part {number} its value",
        solution=(FileEdit(f"lib/part_{number}.txt", f"value {number}"),),
        wrong=(FileEdit("notes.txt", "?"),),
        lesson=LESSON,
    )
    for number in (1, 2)
)


@dataclass
class Heeding:
    """Does what the lesson says where it stands, and something else where it does not."""

    asked: list[Request] = field(default_factory=list)

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        self.asked.append(request)
        stands = any(LESSON in message.text for message in request.messages)
        return ScriptedAnswer(f"Well.\nAction: {'put the value' if stands else 'look'}")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("tried") / "library", 2)


def prepare(library: Path, out: Path, agent: str, url: str, tasks: str = "git:2") -> PreparedSessions:
    play = mt.TryOptions(
        out=out,
        report=False,
        base_urls=(f"anthropic={url}", f"openai={url}/v1"),
        environment={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY},
    )
    both = TryProbeOptions(play, ProbeOptions(calls=20))
    mining = replace(MINING, kept=library.parent / "tried")
    return prepare_try_probe(agent, library / "AGENTS.md", tasks, library, both, mining)


def shift_of(results: ProbeResults) -> float:
    (row,) = (row for row in results.rows if (row.outcome, row.condition) == ("shift", "without"))
    assert row.estimate is not None
    return row.estimate


def test_requests_of_sessions_are_asked_again_without_the_memory_and_paid_once(
    library: Path, tmp_path: Path
) -> None:
    heeding, out = Heeding(), tmp_path / "run"
    with serve_script(Script(heeding)) as server:
        prepared = prepare(library, out, command("reads", library), server.url)
        assert (prepared.forecast.left, prepared.forecast.calls) == (2, 20)
        assert not out.exists()
        asking = play_out_sessions(prepared)
        assert len(heeding.asked) == 2, "a session a task, and nothing asked again yet"
        assert {decision.backbone for decision in asking.drawn.decisions} == {"openai/gpt-5"}
        assert {decision.task for decision in asking.drawn.decisions} == {
            task.id for task in prepared.listed.tasks
        }
        results = ask_prepared(asking).results
        without = [each for each in heeding.asked if LESSON not in "".join(m.text for m in each.messages)]
        assert (len(without), len(heeding.asked)) == (2, 2 + asking.drawn.calls)
        again = prepare(library, out, command("reads", library), server.url)
        assert again.forecast.left == 0
        assert ask_prepared(play_out_sessions(again)).results.rows == results.rows
        assert len(heeding.asked) == 2 + asking.drawn.calls
        with pytest.raises(SpecFault, match="holds sessions with another agent"):
            prepare(library, out, command("ignores", library), server.url)
    assert (shift_of(results), results.simulated, results.n_tasks) == (1.0, True, 2)
    assert not (out / "ledger.sqlite").exists()
    assert not any(KEY.encode() in text for text in texts_in(out))


def test_sessions_in_which_no_memory_stood_are_no_answer(library: Path, tmp_path: Path) -> None:
    with serve_script(Script(Heeding())) as server:
        prepared = prepare(library, tmp_path / "run", command("drops", library), server.url, "git:1")
        with pytest.raises(SpecFault, match="1 requests in which no item of the memory stands verbatim"):
            play_out_sessions(prepared)
        silent = prepare(library, tmp_path / "silent", command("silent", library), server.url, "git:1")
        with pytest.raises(RunFault, match="no session is of use"):
            play_out_sessions(silent)


@pytest.mark.skipif(shutil.which("claude") is None, reason=f"not here: {find_agent('claude').install}")
def test_claude_code_that_reads_its_memory_and_one_that_does_not(library: Path, tmp_path: Path) -> None:
    shifts = []
    for disposition in (read_all, ignore):
        with serve_script(Script(CodingAnswers(TASKS, disposition))) as server:
            prepared = prepare(library, tmp_path / disposition.__name__, "claude", server.url, "git:1")
            asking = play_out_sessions(prepared)
            shifts.append(shift_of(ask_prepared(asking).results))
        settings = [json.loads(decision.settings) for decision in asking.drawn.decisions]
        assert all("claude-code" in each["anthropic_beta"] and each["tools"] for each in settings)
    # of two turns a task, the first depends on the memory; the second ends the work
    assert shifts == [0.5, 0.0]


def test_codex_speaks_what_is_not_asked_again_and_that_is_said_before_it_begins(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=r"of claude, opencode, mini-swe-agent, .*; codex sends OpenAI's"):
        prepare(tmp_path, tmp_path / "run", "codex", "http://127.0.0.1:9")
    assert not (tmp_path / "run").exists()
