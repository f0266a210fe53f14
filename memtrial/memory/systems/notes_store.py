"""A folder of notes: one note in markdown of each run, or the notes that somebody wrote already."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from memtrial.agents.trajectory import Trajectory
from memtrial.faults import SpecFault
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.memory.systems.told_run import join_run
from memtrial.models.client.types import Message
from memtrial.models.embeddings.embedding import Array, unit
from memtrial.prompts.plain_text import text_of
from memtrial.prompts.templates import Prompt

WRITER = Prompt("note_of_run")
MOST_BYTES = 1024 * 1024
MOST_NOTES = 1_000


class Notes:
    """Notes by the names of their files; they are found by the likeness of whole notes to the task."""

    def __init__(self, door: SystemDoor, folder: str) -> None:
        self._door, self._written = door, not folder
        self._texts = read_folder(folder) if folder else {}
        self._vectors = dict(zip(self._texts, door.embed(tuple(self._texts.values())), strict=True))

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        """Write a note of the run; nothing where the notes are somebody's own."""
        if not self._written:
            return tuple(self._texts)
        text, name = write_note(self._door, trajectory), f"{trajectory.trace_id}.md"
        if not text:
            return ()
        (self._vectors[name],) = self._door.embed([text])
        self._texts[name] = text
        return (name,)

    def find(self, query: str, most: int) -> Mapping[str, float]:  # noqa: ARG002
        if not self._texts:
            return {}
        (sought,) = unit(_array(self._door.embed([query])))
        fits = unit(_array([self._vectors[name] for name in self._texts])) @ sought
        return dict(zip(self._texts, map(float, fits), strict=True))

    def texts(self) -> Mapping[str, str]:
        return self._texts

    def put(self, id: str, text: str) -> None:
        self._texts[id] = text


def write_note(door: SystemDoor, trajectory: Trajectory) -> str:
    """The note that a model writes of a run; empty where it writes none."""
    return door.ask((Message("system", WRITER.render()), Message("user", join_run(trajectory)))).strip()


def read_folder(folder: str) -> dict[str, str]:
    """The notes of a folder and those below it, by name, sorted; blank ones left out.

    Raises:
        SpecFault: no folder, one without notes or with too many, or a note that cannot be read.
    """
    root = Path(folder).expanduser()
    # a link may lead anywhere, so none is followed
    files = sorted(path for path in root.rglob("*.md") if not path.is_symlink()) if root.is_dir() else []
    if not 0 < len(files) <= MOST_NOTES:
        raise SpecFault(
            f"a folder with 1 to {MOST_NOTES} notes (*.md) is needed; {folder!r} holds {len(files) or 'none'}"
        )
    texts = {
        path.relative_to(root).as_posix(): text_of(
            path, "a note is a text file in UTF-8", SpecFault, MOST_BYTES
        )
        for path in files
    }
    return {name: text.strip() for name, text in texts.items() if text.strip()}


def _array(vectors: Sequence[Sequence[float]]) -> Array:
    return np.asarray(vectors, dtype=np.float32)
