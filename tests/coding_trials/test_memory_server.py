"""`try` with a memory server: a command that asks it, real agents with a scripted model, what breaks."""

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import memtrial as mt
from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.agents.slot import Slot
from memtrial.api.coding.try_agent import TryEnd, prepare_try
from memtrial.arms.arm import PREPEND
from memtrial.coding_agents.shipped_agents import find_agent
from memtrial.coding_trials.agent_starter import CommandStarter
from memtrial.coding_trials.carried_memory import carry_for_server
from memtrial.coding_trials.coding_agent import CodingAgent, TrialTerms
from memtrial.coding_trials.work_records import MemoryReading, read_work_records
from memtrial.commands.sandbox import Sandbox, find_sandbox
from memtrial.delivery.tool_delivery import AskedMemory
from memtrial.faults import SpecFault
from memtrial.memory_relay.relay_plan import PLACE
from memtrial.memory_relay.server_description import read_server
from memtrial.models.client.prices import shipped_prices
from memtrial.models.scripted.coding.coding_answers import CodingAnswers
from memtrial.models.scripted.coding.dispositions import FileEdit, ScriptedTask, read_all
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.proxy.upstreams import Upstream, Upstreams
from memtrial.repositories.coding_task import CodingTask
from memtrial.worlds.given.task_rows import read_tasks
from memtrial.worlds.given.world import GivenTasks
from memtrial.worlds.world import WorldFault
from tests.support.left_processes import left
from tests.support.made_repository import mine_in
from tests.support.memory_servers import describe
from tests.support.scripted import Scripted, caller_of
from tests.support.tried_agent import KEY, MINING, answered, make_library, mining_in, texts_in

ASKING = Path(__file__).parents[1] / "support" / "asking_agent.py"
LESSON = "Write what a part is worth into its own file."
SANDBOX = find_sandbox("auto")
ITEMS = (LESSON, "Keep each piece below the others.", "Read the parts that came before.")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("tried") / "library", 1)


@pytest.fixture(scope="module")
def task(library: Path) -> CodingTask:
    return mine_in(library, 1, mining_in(library)).tasks[0]


def try_server(library: Path, out: Path, disposition: str, conduct: str = "", **more: Any) -> TryEnd:
    described = describe(out / "server", conduct, ITEMS, **more)
    words = f"python -I -S {ASKING} {{task_file}} {{mcp_config}} {disposition}"
    with answered() as (url, _):
        options = mt.TryOptions(
            out=out / "run", conditions=("filler",), base_urls=(f"openai={url}/v1",), report=False,
            environment={"OPENAI_API_KEY": KEY},
        )  # fmt: skip
        return mt.try_agent(words, f"mcp:{described}", "git:1", library, options, mining_in(library))


def test_memory_that_is_asked_for_counts_where_it_stood_in_a_request(library: Path, tmp_path: Path) -> None:
    end = try_server(library, tmp_path, "writes")
    assert {cost.condition: cost.solved for cost in end.costs} == {
        "without": 0.0,
        "intact": 1.0,
        "filler": 0.0,
    }
    assert end.readings is not None
    assert (dict(end.readings.shown), dict(end.readings.without)) == ({"given": 2}, {"nothing read": 1})
    assert (end.readings.writes, end.run.ending.how) == (3, "done")
    assert end.run.results is not None
    assert end.run.results.delivery is not None
    assert (end.run.results.delivery.carrying, end.run.results.delivery.undelivered) == (2, 0)
    assert end.run.results.delivery.words == {"given": 2}
    assert json.loads((tmp_path / "server/notes.json").read_text()) == list(ITEMS), "nothing was written"
    assert next(iter(end.readings.lines())) == (
        "Activation: memory was read in 2 of 2 trials that had it, and asked for in 1 of 1 without; in 0 it"
        " was never activated, in 0 never given."
    )
    assert not left(str(tmp_path))


def play_one(
    library: Path,
    task: CodingTask,
    run: Path,
    disposition: str,
    conduct: str = "",
    sandbox: Sandbox = Sandbox(),
) -> Episode:
    """One trial; `conduct` is the server's, once it was asked for its items."""
    server, words = run / "server", f"python -I -S {ASKING} {{task_file}} {{mcp_config}} {disposition}"
    carrier = carry_for_server(None, describe(server, "", ITEMS), {}, sandbox)
    assert carrier.server is not None
    turned = read_server(describe(server, conduct, ITEMS), {})
    carrier = replace(carrier, server=replace(carrier.server, server=turned))
    (posed,) = read_tasks([{"id": task.id, "query": task.instructions}])
    checks = replace(MINING.terms, sandbox=sandbox)
    with answered() as (url, _):
        openai = Upstream("openai", f"{url}/v1", {"authorization": f"Bearer {KEY}"})
        terms = TrialTerms(30.0, checks, Upstreams({"openai": openai}), shipped_prices(), None, run)
        agent = CodingAgent(CommandStarter(words, library, carrier), {task.id: task}, terms)
        told = PREPEND(Slot("", ITEMS), ())
        return asyncio.run(play(agent, GivenTasks((posed,)), posed, caller_of(Scripted(())), told, ITEMS))


def reading_of(run: Path) -> MemoryReading:
    (record,) = read_work_records(run)
    assert record.reading is not None
    return record.reading


def test_an_agent_that_never_asks_is_no_failed_delivery(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    episode = play_one(library, task, tmp_path, "idles")
    assert episode.asked == AskedMemory(0, ()), "nothing is due"
    assert reading_of(tmp_path).verdict == "never activated"


def test_memory_that_was_asked_for_and_stood_in_no_request_was_never_given(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    episode = play_one(library, task, tmp_path, "drops")
    assert episode.asked == AskedMemory(1, (ITEMS[0], ITEMS[2])), "what the search gave is due"
    assert [seen.texts for seen in episode.seen] == [(), ()]
    assert reading_of(tmp_path).verdict == "never given"


@pytest.mark.skipif(not SANDBOX.program, reason=SANDBOX.why)
def test_where_all_else_is_hidden_the_relay_and_its_server_are_not(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    hidden = replace(SANDBOX, home=PLACE)
    play_one(library, task, tmp_path, "asks", sandbox=hidden)
    assert reading_of(tmp_path).verdict == "given"


@pytest.mark.parametrize(
    ("conduct", "why"),
    [
        ("dies", "ended with code 3: no database"),
        ("floods", "sent a message of more than 4 MiB"),
    ],
)
def test_a_server_that_breaks_makes_the_trial_an_error_and_nothing_of_it_is_left(
    library: Path, task: CodingTask, tmp_path: Path, conduct: str, why: str
) -> None:
    before = {path: path.read_bytes() for path in library.rglob("*") if path.is_file()}
    with pytest.raises(WorldFault, match=f"^mcp:notes: the memory server {why}$"):
        play_one(library, task, tmp_path, "asks", conduct=conduct)
    assert not left(str(ASKING))
    assert {path: path.read_bytes() for path in library.rglob("*") if path.is_file()} == before


def test_what_a_server_forks_is_ended_with_the_trial(library: Path, task: CodingTask, tmp_path: Path) -> None:
    play_one(library, task, tmp_path, "asks", conduct="forks")
    assert not [line for line in left("notes_server.py") if "forks" in line]


def test_who_cannot_carry_it_is_told_before_anything_is_spent(library: Path, tmp_path: Path) -> None:
    described = describe(tmp_path, "", ITEMS)
    options = mt.TryOptions(model="m", environment={"OPENAI_API_KEY": KEY})
    for agent, why in (
        ("mini-swe-agent", "mini-swe-agent carries memory by prompt, marker; got mcp; name one of these"),
        ("python agent.py {task_file}", r"a command gets the memory server by \{mcp_config\}, a file as"),
    ):
        with pytest.raises(SpecFault, match=why):
            prepare_try(agent, f"mcp:{described}", "git:1", library, options, mining_in(library))


@pytest.mark.parametrize(("agent", "provider"), [("claude", "anthropic"), ("codex", "openai")])
def test_real_agents_ask_by_their_own_clients(
    agent: str, provider: str, library: Path, task: CodingTask, tmp_path: Path
) -> None:
    if shutil.which(agent) is None:
        pytest.skip(f"not here: {find_agent(agent).install}")
    task = ScriptedTask("", (), (), LESSON, topic="part", recall="search_notes")
    tasks = tuple(
        replace(
            task, prompt=f"Give part {number} its value", wrong=(FileEdit("notes.txt", "?"),),
            solution=(FileEdit(f"lib/part_{number}.txt", f"value {number}"),),
        )
        for number in (1,)
    )  # fmt: skip
    described = describe(tmp_path / "server", "", ITEMS)
    with serve_script(Script(CodingAnswers(tasks, read_all))) as server:
        url = server.url if provider == "anthropic" else f"{server.url}/v1"
        options = mt.TryOptions(
            model="" if agent == "claude" else "gpt-scripted", out=tmp_path / "run", conditions=("filler",),
            base_urls=(f"{provider}={url}",), report=False,
            environment={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY},
        )  # fmt: skip
        end = mt.try_agent(agent, f"mcp:{described}", "git:1", library, options, mining_in(library))
    assert {cost.condition: cost.solved for cost in end.costs} == {
        "without": 0.0,
        "intact": 1.0,
        "filler": 0.0,
    }
    assert end.readings is not None
    assert (dict(end.readings.shown), dict(end.readings.without)) == ({"given": 2}, {"nothing read": 1})
    assert len(read_work_records(tmp_path / "run")) == 3
    assert not any(KEY.encode() in text for text in texts_in(tmp_path / "run"))
