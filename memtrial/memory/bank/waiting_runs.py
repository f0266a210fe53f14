"""Sessions that ended, queued where they are safe, and distilled by whoever works the queue.

The queue is the log itself: an episode that was judged and has no record waits. Queueing it is one durable
batch, and so is all that it taught: a process that is killed in between loses nothing, and two that work at
once keep nothing twice.

Source: seeds/001 (a session ends, a worker distils it); REQUIREMENTS C-05.
"""

from collections.abc import Iterator

from memtrial.memory.bank.distillation.distil import AskText
from memtrial.memory.bank.earlier_runs import labelled_of
from memtrial.memory.bank.events.bank_events import Cause, EpisodeAdded, VerdictGiven
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.episode_queries import list_waiting
from memtrial.memory.bank.events.kept_episode import EpisodeSource, make_episode
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
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
        made, compared = distil_as_set(bank, ask, run.trajectory, held_as=held.episode.id)
        cause = Cause("worker", f"learnt from a session, {bank.settings.learn}")
        kept = bank.keep_of(made.items, (run,), cause, held.episode.id, beside=compared)
        yield Taught(kept, made, len(compared))
