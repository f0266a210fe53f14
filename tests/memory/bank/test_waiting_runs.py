"""The queue of sessions: what waits is distilled once, whoever is killed; and tasks that are written anew."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from memtrial.memory.bank.bank_settings import BankSettings
from memtrial.memory.bank.distillation.distil_messages import Messages
from memtrial.memory.bank.events.bank_events import SignalSeen
from memtrial.memory.bank.events.bank_log import FILE, BankLog
from memtrial.memory.bank.events.episode_queries import list_episodes, list_records, list_waiting
from memtrial.memory.bank.events.item_queries import every_item
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.rewritten_clusters import list_dirty, rewrite_cluster
from memtrial.memory.bank.taught_runs import teach_attempts, teach_run
from memtrial.memory.bank.waiting_runs import queue_run, work_queue
from tests.support.bank_queue import ITEM, open_queue
from tests.support.event_bank import CAUSE, hide_secret, make_trajectory
from tests.support.evolving import bank_in

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("KILLS", "1"))


class Writer:
    """Writes the same item, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, messages: Messages) -> str:
        self.asked.append(messages[-1].text)
        return ITEM


def run_of(task: int, number: int) -> LabelledRun:
    """A run of a task; the numbers of one task tell its runs apart."""
    return LabelledRun(replace(make_trajectory(task, str(number)), trace_id=f"{task}-{number}"))


def test_a_session_waits_until_it_is_distilled_and_then_no_longer(tmp_path: Path) -> None:
    bank, writer = bank_in(tmp_path, BankSettings(project="org")), Writer()
    runs = [LabelledRun(make_trajectory(number), "a/judge", 0.9) for number in range(3)]
    assert [queue_run(bank.log, run, "org") for run in (*runs, runs[0])] == [True, True, True, False]
    assert queue_run(bank.log, LabelledRun(make_trajectory(9)), "other")
    assert [held.episode.task_id for held in list_waiting(bank.log, "org")] == ["task-0", "task-1", "task-2"]
    taught = list(work_queue(bank, writer))
    assert [len(made.item_ids) for made in taught] == [1, 1, 1]
    assert len(writer.asked) == 3
    assert (list_waiting(bank.log, "org"), list(work_queue(bank, writer))) == ((), [])
    items = every_item(bank.log)
    assert [(item.origin.task_id, item.origin.project) for item in items] == [
        (f"task-{number}", "org") for number in range(3)
    ]
    assert items[0].confidence == 0.7 + 0.15 * 0.9
    # what was learnt at once waits for nobody
    assert teach_run(bank, writer, run_of(7, 1)).item_ids
    assert list_waiting(bank.log, "org") == ()
    bank.log.close()


def test_two_workers_keep_nothing_twice(tmp_path: Path) -> None:
    bank, writer = bank_in(tmp_path), Writer()
    queue_run(bank.log, LabelledRun(make_trajectory(1)))
    other = ReasoningBank(
        BankLog(tmp_path / FILE, hide_secret, bank.log.clock), bank.embed, bank.space, bank.settings
    )

    def write_late(messages: Messages) -> str:
        list(work_queue(other, writer))  # another worker was quicker
        return ITEM

    (late,) = work_queue(bank, write_late)
    assert late.item_ids == ()
    assert len(every_item(bank.log)) == len(list_records(bank.log)) == 1
    other.log.close()
    bank.log.close()


def _begin(folder: Path, kind: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.support.bank_queue", str(folder), kind]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def test_killed_at_any_moment_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    rng, promised = random.Random("queue"), 0
    for kill in range(2 * KILLS):
        process = _begin(tmp_path, "queue" if kill % 2 == 0 else "work")
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0, 0.1))
        process.kill()
        rest, _ = process.communicate()
        if kill % 2 == 0:
            promised += 1 + rest.count(b"\n")
    bank = open_queue(tmp_path)
    held = list_episodes(bank.log)
    assert promised <= len(held) <= promised + KILLS
    list(work_queue(bank, Writer()))
    bank.log.check()
    assert list_waiting(bank.log, "") == ()
    times = Counter(item.origin.trajectory_id for item in every_item(bank.log))
    assert set(times.values()) == {1}
    assert len(times) == len(held) == len(list_records(bank.log))
    bank.log.close()


def test_a_request_for_each_task_with_new_runs_and_none_for_the_others(tmp_path: Path) -> None:
    bank, writer = bank_in(tmp_path), Writer()
    for task in (1, 2, 3):
        teach_run(bank, writer, run_of(task, 1))
    teach_attempts(bank, writer, [run_of(4, 1), run_of(4, 2)])
    assert list_dirty(bank) == ()
    for task in (1, 3):
        queue_run(bank.log, run_of(task, 2))
    queue_run(bank.log, run_of(5, 1))
    cited = next(item.id for item in every_item(bank.log) if item.origin.task_id == "task-3")
    bank.log.append([SignalSeen(cited, "cited", "t", "success")], CAUSE)
    dirty = list_dirty(bank)
    assert [(cluster.task_id, len(cluster.runs), cluster.unseen) for cluster in dirty] == [
        ("task-1", 2, 1),
        ("task-3", 2, 1),
        ("task-5", 1, 1),
    ]
    before = len(writer.asked)
    for cluster in dirty:
        assert len(rewrite_cluster(bank, writer, cluster).item_ids) == 1
    assert len(writer.asked) - before == len(dirty)
    assert "# Attempt 2 (Success)" in writer.asked[before]
    assert list_dirty(bank) == ()
    standing = {
        task: [item.standing for item in every_item(bank.log) if item.origin.task_id == task]
        for task in ("task-1", "task-2", "task-3", "task-5")
    }
    # what was cited stays beside what is new
    assert standing == {
        "task-1": ["archived", "active"],
        "task-2": ["active"],
        "task-3": ["active", "active"],
        "task-5": ["active"],
    }
    # a run that was learnt at once, after that, has seen itself alone
    teach_run(bank, writer, run_of(1, 3))
    assert [cluster.task_id for cluster in list_dirty(bank)] == ["task-1"]
    unread = rewrite_cluster(bank, lambda _: "nothing to read here {", list_dirty(bank)[0])
    assert (unread.item_ids, len(list_dirty(bank))) == ((), 1)
    bank.log.close()


def test_a_session_that_waits_is_compared_with_those_before_it_alone(tmp_path: Path) -> None:
    plain = open_queue(tmp_path)
    bank = ReasoningBank(plain.log, plain.embed, plain.space, BankSettings(learn="contrastive"))
    won = make_trajectory()
    lost = replace(won, trace_id="lost", outcome="failure")
    for session in (won, lost, replace(won, trace_id="won again")):
        queue_run(bank.log, LabelledRun(session))
    assert [taught.compared for taught in work_queue(bank, Writer())] == [0, 1, 1]
