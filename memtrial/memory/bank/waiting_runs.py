"""Sessions that ended, queued where they are safe, and distilled by whoever works the queue.

The queue is the log itself: an episode that was judged and has no record waits. Queueing it is one durable
batch, and so is all that it taught: a process that is killed in between loses nothing, and two that work at
once keep nothing twice.

Source: seeds/001 (a session ends, a worker distils it); REQUIREMENTS C-05.
"""

from collections.abc import Iterator
from dataclasses import replace

from memtrial.memory.bank.distillation.distil import AskText
from memtrial.memory.bank.events.bank_events import Cause, EpisodeAdded, VerdictGiven
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.episode_queries import JudgedEpisode, list_waiting
from memtrial.memory.bank.events.kept_episode import EpisodeSource, make_episode, read_trajectory
from memtrial.memory.bank.reasoning_bank import LabelledRun, ReasoningBank
from memtrial.memory.bank.taught_runs import Taught, distil_as_set


def queue_run(log: BankLog, run: LabelledRun, project: str = "") -> bool:
    """Keep a run, on the disk when this returns; False where the bank has it already, and nothing is added.

    Raises:
        MemoryFault: the bank cannot be written.
    """
    ended, episode = run.trajectory, make_episode(run.trajectory, EpisodeSource(project))
    verdict = VerdictGiven(episode.id, ended.outcome, run.judge, run.sure, ended.reason)
    return bool(log.append([EpisodeAdded(episode), verdict], Cause("queue", "a session ended")))


def work_queue(bank: ReasoningBank, ask: AskText) -> Iterator[Taught]:
    """Distil what waits, the first first; each is kept before the next is asked about.

    One whose reply cannot be read is kept without an item, and waits no longer.

    Raises:
        MemoryFault: the bank cannot be written, or an episode of somebody else's holds no trajectory.
    """
    for held in list_waiting(bank.log, bank.settings.project):
        run = labelled_of(held)
        made, compared = distil_as_set(bank, ask, run.trajectory)
        runs = (*(LabelledRun(earlier) for earlier in compared), run)
        cause = Cause("worker", f"learnt from a session, {bank.settings.learn}")
        yield Taught(bank.keep_of(made.items, runs, cause, held.episode.id), made, len(compared))


def labelled_of(held: JudgedEpisode) -> LabelledRun:
    """A run of the bank's own, with the outcome of its last verdict."""
    run = read_trajectory(held.episode)
    ended = replace(run, outcome=held.label) if held.label else run
    return LabelledRun(ended, held.judge, held.confidence)
