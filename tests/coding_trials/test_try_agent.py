"""`mt.try_agent`: a memory file that is read and one that is not, from tasks to the last sentence."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import memtrial as mt
from memtrial.api.coding.try_agent import TryEnd, prepare_try
from memtrial.coding_trials.work_records import read_work_records
from memtrial.faults import SpecFault
from memtrial.reports.render.markdown_report import render_markdown
from memtrial.reports.text.reading import SIMULATED
from tests.support.made_repository import TESTS
from tests.support.tried_agent import KEY, MINING, answered, command, make_library, mining_in

FEW = ("irrelevant_generic", "filler")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("tried") / "library", 2)


@pytest.fixture
def provider() -> Iterator[str]:
    with answered() as (url, _):
        yield url


def options_of(url: str, out: Path, **more: Any) -> mt.TryOptions:
    # figures would take most of the time
    given = {"out": out, "conditions": FEW, "base_urls": (f"openai={url}/v1",), "report": False}
    return mt.TryOptions(**given | {"environment": {"OPENAI_API_KEY": KEY}} | more)


def try_it(library: Path, url: str, out: Path, disposition: str, **more: Any) -> TryEnd:
    words, options = command(disposition, library), options_of(url, out, **more)
    return mt.try_agent(words, library / "AGENTS.md", "git:2", library, options, mining_in(library))


def test_a_memory_that_is_read_counts_and_the_same_call_goes_on_where_it_stopped(
    library: Path, provider: str, tmp_path: Path
) -> None:
    first = try_it(library, provider, tmp_path / "run", "reads", limit=1)
    assert first.answer is not None
    assert first.answer.next_step.startswith("It is not finished: progress is saved")
    assert len(read_work_records(tmp_path / "run")) == 4
    end = try_it(library, provider, tmp_path / "run", "reads", report=True)
    assert len(read_work_records(tmp_path / "run")) == 8, "no trial was played twice"
    results = end.run.results
    assert results is not None
    assert results.delivery is not None
    assert (results.delivery.carrying, results.delivery.undelivered, results.delivery.handed) == (6, 0, 0)
    by_condition = {cost.condition: cost for cost in end.costs}
    assert [by_condition[name].solved for name in ("without", "intact", *FEW)] == [0.0, 1.0, 0.0, 0.0]
    against = by_condition["without"].versus_tokens
    assert against is not None
    assert against.ratio > 1
    assert by_condition["intact"].usd
    assert (
        "100.0 % of the trials are solved with it, 0.0 % without" in end.answer.sentence if end.answer else ""
    )
    assert mt.load(tmp_path / "run").cost_ratios == end.costs
    kept = json.loads((tmp_path / "run" / "results.json").read_text())["cost_ratios"]
    assert kept[0]["versus_tokens"]["ratio"] == against.ratio
    report = (tmp_path / "run" / "report.md").read_text()
    assert "| intact uses, in tokens" in report
    assert end.as_json()["simulated"], "a scripted server answered"
    assert SIMULATED in report
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {"ledger.sqlite", "report.html", "work"}


def test_the_forecast_knows_what_was_played_and_what_that_took(
    library: Path, provider: str, tmp_path: Path
) -> None:
    words, memory = command("reads", library), library / "AGENTS.md"
    options = options_of(provider, tmp_path / "run")
    before = prepare_try(words, memory, "git:2", library, options, mining_in(library)).forecast
    assert (before.trials, before.left, before.rehearsal.usd) == (8, 8, None)
    assert any(line.startswith("Cost: unknown until the first trial") for line in before.lines())
    assert any(line.startswith("Sandbox: ") for line in before.lines())
    assert any(line.startswith("A scripted server answers") for line in before.lines())
    assert not (tmp_path / "run").exists(), "nothing was written"
    try_it(library, provider, tmp_path / "run", "reads", limit=1)
    after = prepare_try(words, memory, "git:2", library, options, mining_in(library)).forecast
    assert (after.left, after.rehearsal.trials) == (4, 4)
    assert after.rehearsal.usd is not None
    assert any(line.startswith("Cost: about $") for line in after.lines())
    asked = replace(options, conditions=(), out=tmp_path / "other")
    every = prepare_try(words, memory, "git:2", library, asked, mining_in(library)).forecast
    assert set(every.damage.inapplicable) | {*every.conditions} >= {"counter", "paraphrase", "intact"}


def test_memory_that_its_client_drops_is_an_alarm(library: Path, provider: str, tmp_path: Path) -> None:
    end = try_it(library, provider, tmp_path / "run", "drops", limit=1)
    assert end.run.results is not None
    assert any("MEMORY TEXT DID NOT REACH THE PROMPT" in note for note in end.run.results.notes)


def test_an_agent_without_a_model_is_said_to_be_unseen(library: Path, provider: str, tmp_path: Path) -> None:
    end = try_it(library, provider, tmp_path / "run", "silent", limit=1, conditions=("filler",))
    assert end.run.results is not None
    delivery = end.run.results.delivery
    assert delivery is not None
    assert (delivery.carrying, delivery.handed, delivery.undelivered) == (2, 2, 0)
    assert all(cost.versus_tokens is None for cost in end.costs)
    assert any(note.startswith("Sandbox: ") for note in end.run.results.notes)
    assert "intact uses" not in render_markdown(end.run.results)


def test_what_changed_needs_another_folder_and_what_cannot_be_used_is_a_line(
    library: Path, provider: str, tmp_path: Path
) -> None:
    try_it(library, provider, tmp_path / "run", "silent", limit=1, conditions=("filler",))
    with pytest.raises(SpecFault, match="changed: "):
        try_it(library, provider, tmp_path / "run", "silent", limit=1, conditions=("filler",), timeout_s=9.0)
    other = options_of(provider, tmp_path / "run", conditions=("filler",), seed=3)
    with pytest.raises(SpecFault, match=r"changed: seed \(0 -> 3\)"):  # before anybody is asked
        prepare_try(
            command("silent", library), library / "AGENTS.md", "git:2", library, other, mining_in(library)
        )
    with pytest.raises(SpecFault, match="agents with a record are claude, codex"):
        mt.try_agent("nobody", library / "AGENTS.md", "git:1", library)
    with pytest.raises(SpecFault, match="--model names the model that codex works with"):
        mt.try_agent("codex", library / "AGENTS.md", "git:1", library)
    failing = replace(MINING, check="false", test_globs=TESTS)
    with pytest.raises(SpecFault, match="git:1 gives no task to be tried: 0 tasks of 3 commits"):
        mt.try_agent(command("silent", library), library / "AGENTS.md", "git:1", library, mining=failing)


def test_tasks_of_a_folder_have_the_memory_at_their_root_even_below_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    notes = tmp_path / "mine" / "AGENTS.md"
    task = tmp_path / "mine" / "lamps" / "lamp"
    task.mkdir(parents=True)
    notes.write_text("When the lamp is red, press the green button.\n")
    (task / "prompt.md").write_text("The lamp is red.\n")
    (task / "check.sh").write_text("grep -q green done.txt\n")
    options = mt.TryOptions(out=tmp_path / "run", conditions=("filler",), environment={}, report=False)
    end = mt.try_agent("cp AGENTS.md done.txt", notes, str(task.parent), task, options, MINING)
    solved = {cost.condition: cost.solved for cost in end.costs}
    assert solved == {"without": 0.0, "intact": 1.0, "filler": 0.0}
