"""Memory that is one text for each task, set before the first trial."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.plugins.given_memory import GivenMemory
from memtrial.worlds.world import State, Task


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """By the id of the task; nothing is learnt."""

    texts: Mapping[str, str]

    async def write(self, trajectory: Trajectory) -> None:
        """Nothing: it stays as it was set."""

    async def recall(self, task: Task, state: State) -> Slot:  # noqa: ARG002
        """The whole text as one item; nothing where it is blank."""
        text = self.texts[task.id].strip("\n")
        return Slot("", (text,)) if text.strip() else NOTHING


def give_texts(texts: Mapping[str, str]) -> GivenMemory:
    """These texts as the memory of an arm."""
    written = json.dumps(dict(texts), sort_keys=True)
    return GivenMemory(lambda: TaskTexts(texts), sha256(written.encode()).hexdigest(), False)
