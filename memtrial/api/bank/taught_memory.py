"""Lets sessions teach a bank in a folder: queued as they end, distilled by a worker, written anew by task."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from memtrial.agents.traces import TraceFault, read_traces
from memtrial.api.bank.bank_embedder import HASHING, hash_for
from memtrial.api.bank.kept_bank import open_bank
from memtrial.api.given_spec import client_of, done_by
from memtrial.call_purpose import Purpose
from memtrial.faults import SpecFault, refused
from memtrial.memory.bank.bank_config import BankConfig
from memtrial.memory.bank.bank_settings import BankSettings
from memtrial.memory.bank.distillation.distil import AskText
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.project_scope import cascade
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.rewritten_clusters import DirtyCluster, list_dirty, rewrite_cluster
from memtrial.memory.bank.taught_runs import Taught
from memtrial.memory.bank.waiting_runs import queue_run, work_queue
from memtrial.memory.stored_item import MemoryFault
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.client import Caller
from memtrial.models.embeddings.embedding import Array
from memtrial.models.embeddings.provider import open_embedder
from memtrial.outcomes.given_path import path_of
from memtrial.protocols import Embedder

T = TypeVar("T")
GivenPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class WriterChoice:
    """Who writes items, and for whom.

    Args:
        writer: a model, provider/name.
        embedder: the one that made the bank's vectors.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
        project: whose sessions, as `org/team/project`; empty: those of no project.
        config: how it writes; None: as document 003 does, and nothing is consolidated.
    """

    writer: str
    embedder: str = HASHING
    base_urls: tuple[str, ...] = ()
    project: str = ""
    config: BankConfig | None = None

    @property
    def settings(self) -> BankSettings:
        """The bank's."""
        if self.config is not None:
            return self.config.settings(project=self.project)
        return replace(BankConfig().settings(project=self.project), consolidate=None)


@dataclass(frozen=True, slots=True)
class QueuedSessions:
    """How many sessions wait now that did not before, and how many the bank had."""

    added: int
    known: int


def queue_sessions(folder: GivenPath, traces: GivenPath, project: str = "") -> QueuedSessions:
    """Put sessions that ended into the bank of a folder, made where there is none, to be distilled later.

    Args:
        traces: JSON lines, a session each, as `condense` reads them.

    Raises:
        SpecFault: the file holds no sessions, or the bank cannot be written.
    """
    with refused(TraceFault, MemoryFault):
        cascade(project)
        sessions = read_traces(path_of(traces, "a file of sessions", SpecFault))
        with open_bank(path_of(folder, "the folder of a bank", SpecFault), new=True) as log:
            added = sum(queue_run(log, LabelledRun(session), project) for session in sessions)
    return QueuedSessions(added, len(sessions) - added)


def work_memory(folder: GivenPath, choice: WriterChoice) -> tuple[Taught, ...]:
    """Distil every session that waits; each is kept before the next is asked about.

    Raises:
        SpecFault: no bank is there, or the choice does not fit it.
        RunFault: a model gave no answer; what is done is kept, and the rest waits on.
    """

    def work(bank: ReasoningBank, ask: AskText) -> tuple[Taught, ...]:
        made = []
        for taught in work_queue(bank, ask):
            made.append(taught)
            bank.consolidate()
        return tuple(made)

    return _write(folder, choice, work)


def rewrite_memory(folder: GivenPath, choice: WriterChoice) -> tuple[tuple[DirtyCluster, Taught], ...]:
    """Write anew what the runs of a task taught, of each task with runs that its items have not seen: a
    request each, and none where there is no such task. Errors as `work_memory`."""
    return _write(
        folder,
        choice,
        lambda bank, ask: tuple(
            (cluster, rewrite_cluster(bank, ask, cluster)) for cluster in list_dirty(bank)
        ),
    )


def find_dirty(folder: GivenPath, project: str = "") -> tuple[DirtyCluster, ...]:
    """The tasks that `rewrite_memory` would write anew; nothing is asked, and nothing changed."""

    def refuse(texts: Sequence[str]) -> Array:
        raise AssertionError(f"no text is embedded to list tasks; got {len(texts)}")

    with refused(MemoryFault), open_bank(path_of(folder, "the folder of a bank", SpecFault)) as log:
        cascade(project)
        return list_dirty(ReasoningBank(log, refuse, "", BankSettings(project=project)))


def _write(folder: GivenPath, choice: WriterChoice, work: Callable[[ReasoningBank, AskText], T]) -> T:
    path: Path = path_of(folder, "the folder of a bank", SpecFault)
    client = client_of((("condense", choice.writer),), choice.base_urls)
    settings = choice.settings
    caller = Caller(
        client, choice.writer, settings.profile.temperatures.extraction, purpose=Purpose("memory")
    )
    with refused(MemoryFault), open_bank(path) as log:
        cascade(choice.project)
        embedder = _embedder_of(log, choice.embedder, caller)
        door = SystemDoor(caller.ask, embedder)
        bank = ReasoningBank(log, door.embed_array, embedder.space, settings)
        return done_by(
            client, lambda: door.work(lambda: work(bank, door.ask)), lambda: "the rest waits for an answer"
        )


def _embedder_of(log: BankLog, name: str, caller: Caller) -> Embedder:
    """By its name; hashed words have as many numbers as the bank's vectors."""
    return hash_for(log) if name == HASHING else open_embedder(name, caller.model_client)
