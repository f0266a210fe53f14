"""The whole try with the real Claude Code, whose model is scripted: the answer is known beforehand."""

import shutil
from pathlib import Path

import pytest

import memtrial as mt
from memtrial.coding_agents.shipped_agents import find_agent
from memtrial.models.scripted.coding.coding_answers import CodingAnswers
from memtrial.models.scripted.coding.dispositions import FileEdit, ScriptedTask, read_all
from memtrial.models.scripted.scripted_server import Script, serve_script
from tests.support.tried_agent import KEY, LESSON, MINING, make_library, texts_in


@pytest.mark.skipif(shutil.which("claude") is None, reason=f"not here: {find_agent('claude').install}")
def test_claude_code_that_reads_its_memory(tmp_path: Path) -> None:
    library = make_library(tmp_path / "library", 1)
    task = ScriptedTask(
        prompt="Give part 1 its value",
        solution=(FileEdit("lib/part_1.txt", "value 1"),),
        wrong=(FileEdit("notes.txt", "?"),),
        lesson=LESSON,
    )
    with serve_script(Script(CodingAnswers((task,), read_all))) as server:
        options = mt.TryOptions(
            out=tmp_path / "run", conditions=("filler",), base_urls=(f"anthropic={server.url}",),
            environment={"ANTHROPIC_API_KEY": KEY}, report=False,
        )  # fmt: skip
        end = mt.try_agent("claude", library / "AGENTS.md", "git:1", library, options, MINING)
    solved = {cost.condition: cost.solved for cost in end.costs}
    assert solved == {"without": 0.0, "intact": 1.0, "filler": 0.0}
    assert end.run.results is not None
    delivery = end.run.results.delivery
    assert delivery is not None
    assert (delivery.undelivered, delivery.handed) == (0, 0)
    assert delivery.carrying >= 2
    tokens = {cost.condition: cost.tokens for cost in end.costs}
    assert tokens["intact"] > tokens["without"] > 0
    assert not any(KEY.encode() in text for text in texts_in(tmp_path / "run"))
