"""Sessions of a coding agent with its memory intact, one of each task, whose requests are kept."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from memtrial.coding_trials.coding_agent import CodingAgent, join_items
from memtrial.coding_trials.work_records import WorkFolder, WorkRecord, find_works
from memtrial.faults import SpecFault
from memtrial.models.client.transport import SpentFault
from memtrial.models.client.types import ModelFault
from memtrial.private_file import read_private, write_whole
from memtrial.repositories.coding_task import CodingTask
from memtrial.worlds.world import WorldFault

KEPT_WITH = "sessions.json"
Sessions = Mapping[str, tuple[WorkRecord, WorkFolder]]
"""By the id of its task, the last session that a model answered."""


class LockedSessions(BaseModel):
    """What all sessions of a folder have in common.

    Args:
        agent: sha256 of each thing that determines what it does, by a name.
        memory: sha256 of the text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: dict[str, str]
    memory: str


def lock_sessions(digests: Mapping[str, str], items: tuple[str, ...]) -> LockedSessions:
    """What sessions of this agent with these items have in common."""
    return LockedSessions(agent=dict(digests), memory=digest_items(items))


def refuse_other_sessions(folder: Path, locked: LockedSessions) -> None:
    """SpecFault where the folder holds sessions of another agent, or with another memory."""
    path = folder / KEPT_WITH
    try:
        before = LockedSessions.model_validate_json(read_private(path))
    except FileNotFoundError:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise SpecFault(
                f"sessions need a folder of their own; {folder} is none; use --out with a new one"
            ) from None
        return
    except (OSError, ValidationError) as fault:
        raise SpecFault(f"{path} cannot be read as what sessions have in common; use --out") from fault
    if before != locked:
        changed = "memory" if before.memory != locked.memory else "agent"
        raise SpecFault(f"{folder} holds sessions with another {changed}; use --out with a new folder")


def write_sessions(folder: Path, locked: LockedSessions) -> None:
    """Write down what they have in common, before the first one."""
    write_whole(folder / KEPT_WITH, locked.model_dump_json(indent=2) + "\n")


def digest_items(items: tuple[str, ...]) -> str:
    """Sha256 of a memory as records of sessions have it."""
    return sha256(join_items(items).encode("utf-8", "surrogateescape")).hexdigest()


def find_sessions(folder: Path, tasks: Sequence[CodingTask], memory: str) -> Sessions:
    """The sessions of these tasks that were played with this memory, and that a model answered."""
    by_digest = {task.digest[:12]: task.id for task in tasks}
    found: dict[str, tuple[WorkRecord, WorkFolder]] = {}
    for record, work in find_works(folder):
        task = by_digest.get(work.path.name.rpartition("-")[0])
        if task is not None and record.memory == memory and record.output_tokens:
            found[task] = record, work
    return found


async def play_sessions(
    agent: CodingAgent,
    tasks: Sequence[str],
    items: tuple[str, ...],
    most: int,
    tick: Callable[[], None],
) -> tuple[str, ...]:
    """Play each of these tasks, so many at a time.

    Returns: why sessions are of no use, a line each; they are played again by the same call.
    Raises: SpentFault, the budget is spent; what was played is kept.
    """
    gate, lost = asyncio.Semaphore(most), list[str]()
    spent: list[SpentFault] = []

    async def play(task: str) -> None:
        async with gate:
            if spent:
                return
            try:
                played, _ = await agent.work(task, items)
                agent.refuse_unusable(played)
            except SpentFault as fault:
                spent.append(fault)
            except (ModelFault, WorldFault) as fault:
                lost.append(f"{task}: {fault}")
            tick()

    await asyncio.gather(*map(play, tasks))
    if spent:
        raise spent[0]
    return tuple(lost)
