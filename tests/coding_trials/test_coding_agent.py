"""One trial of a coding agent: what it is shown, what it came to, and what is an error, not a failure."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtrial.agents.episode import AgentFault, Episode
from memtrial.agents.play import play
from memtrial.agents.slot import Slot
from memtrial.arms.arm import PREPEND
from memtrial.coding_trials.agent_starter import CommandStarter
from memtrial.coding_trials.carried_memory import carry_for_command
from memtrial.coding_trials.coding_agent import CodingAgent, TrialTerms
from memtrial.coding_trials.work_records import read_work_records
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.transport import SpentFault
from memtrial.models.client.types import ModelFault
from memtrial.proxy.upstreams import Upstream, Upstreams
from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.workspace import CheckTerms
from memtrial.worlds.given.task_rows import read_tasks
from memtrial.worlds.given.world import GivenTasks
from memtrial.worlds.world import WorldFault
from tests.support.made_repository import mine_in
from tests.support.scripted import Scripted, caller_of
from tests.support.tried_agent import KEY, MINING, NOTES, answered, command, make_library, texts_in


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("tried") / "library", 1)


@pytest.fixture(scope="module")
def task(library: Path) -> CodingTask:
    return mine_in(library, 1, MINING).tasks[0]


def play_one(library: Path, task: CodingTask, run: Path, words: str, **more: Any) -> Episode:
    return asyncio.run(playing(library, task, run, words, **more))


async def playing(
    library: Path,
    task: CodingTask,
    run: Path,
    words: str,
    shown: str = NOTES,
    url: str = "http://127.0.0.1:9",
    timeout_s: float = 20.0,
    max_usd: float | None = None,
    checks: CheckTerms = MINING.terms,
) -> Episode:
    run.mkdir(exist_ok=True)
    starter = CommandStarter(words, library, carry_for_command(words, library / "AGENTS.md"))
    openai = Upstream("openai", f"{url}/v1", {"authorization": f"Bearer {KEY}"})
    upstreams = Upstreams({"openai": openai})
    terms = TrialTerms(timeout_s, checks, upstreams, shipped_prices(), max_usd, run)
    (posed,) = read_tasks([{"id": task.id, "query": task.instructions}])
    agent = CodingAgent(starter, {task.id: task}, terms)
    items = (shown.strip(),) if shown else ()
    carrier = PREPEND(Slot("Notes:", items), ())
    caller = caller_of(Scripted(()))
    return await play(agent, GivenTasks((posed,)), posed, caller, carrier, items)


def test_memory_is_shown_solved_with_counted_and_kept_and_no_key_is_in_what_is_kept(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    with answered() as (url, answers):
        episode = play_one(library, task, tmp_path, command("reads"), url=url)
    assert (episode.outcome.success, episode.outcome.cause) == (True, "")
    assert [seen.texts for seen in episode.seen] == [(NOTES.strip(),)]
    (record,) = read_work_records(tmp_path)
    assert (record.solved, record.calls, record.carried) == (True, 1, 1)
    assert record.input_tokens > 0
    assert record.usd
    (folder,) = (tmp_path / "work").iterdir()
    assert "+value 1" in (folder / "patch.diff").read_text()
    assert not any(KEY.encode() in text or b"sk-memtrial" in text for text in texts_in(tmp_path))
    assert [message.text for message in answers.requests[0].messages if message.role == "system"] == [NOTES]


def test_without_memory_there_is_no_file_and_no_trace_of_it(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    with answered() as (url, answers):
        episode = play_one(library, task, tmp_path, command("reads"), shown="", url=url)
    assert (episode.outcome.success, episode.outcome.cause) == (False, "check failed")
    assert [seen.texts for seen in episode.seen] == [()]
    assert NOTES not in str(answers.requests)
    status = "git status --porcelain; git log --format=%s; ls; echo ${MEMTRIAL_TASK-unset}; exit 1"
    of_folder = replace(task, folder=library)
    play_one(library, of_folder, tmp_path / "second", status, shown="")
    printed = next((tmp_path / "second").glob("work/*/printed.txt")).read_text()
    assert printed.split() == ["start", "README.md", "copy.md", "tests", "unset"]


def test_memory_that_a_client_drops_is_seen_to_be_missing(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    with answered() as (url, _):
        episode = play_one(library, task, tmp_path, command("drops"), url=url)
    assert episode.outcome.success
    assert [seen.texts for seen in episode.seen] == [()]


def test_memory_that_is_shown_although_it_was_taken_away_is_an_error(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    with answered() as (url, _), pytest.raises(AgentFault, match=r"AGENTS\.md was taken away, and its text"):
        play_one(library, task, tmp_path, command("peeps"), shown="", url=url)


def test_too_long_is_the_agents_failure_and_leaves_nothing_running(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    with answered() as (url, _):
        episode = play_one(library, task, tmp_path, command("sleeps"), url=url, timeout_s=1.0)
    assert (episode.outcome.success, episode.outcome.cause) == (False, "time limit")


def test_who_interrupts_a_trial_ends_the_agent_and_its_work_tree_first(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    words = f"echo $$ $PWD > {place}; sleep 60 & sleep 60"

    async def interrupt() -> None:
        trial = asyncio.create_task(playing(library, task, tmp_path, words, timeout_s=60.0))
        async with asyncio.timeout(20):
            while not (place.exists() and place.read_text().strip()):
                await asyncio.sleep(0.02)
        trial.cancel()
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(20):
                await trial

    asyncio.run(interrupt())
    process, tree = place.read_text().split()
    assert not Path("/proc", process).exists()
    assert not Path(tree).exists()
    assert not read_work_records(tmp_path), "it counts as not played"


def test_no_answer_no_start_and_no_money_are_errors_and_no_failures(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    with pytest.raises(ModelFault, match=r"none of 1 requests of agent\.py was answered; the last: .*"):
        play_one(library, task, tmp_path / "1", command("reads"))
    with pytest.raises(AgentFault, match=r"no-such-program cannot be started: .*not found"):
        play_one(library, task, tmp_path / "2", "no-such-program {task_file}")
    with answered() as (url, _), pytest.raises(SpentFault, match="budget of"):
        play_one(library, task, tmp_path / "3", command("reads"), url=url, max_usd=0.0)


def test_a_run_folder_that_cannot_be_written_is_the_worlds_fault(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    (tmp_path / "work").write_text("a file")
    with pytest.raises(WorldFault, match="files of a trial cannot be written"):
        play_one(library, task, tmp_path, "true")
