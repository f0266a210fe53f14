"""A user's memory store that composes what it shows, a rating before each note; damage is done in it.

What it does otherwise with a text that is replaced: it `drops` the note, gives the notes in `turned` order,
`signs` the text, keeps the text that it had (`deaf`), or rates it up, which cannot be put back (`sticks`).
"""

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.stored_item import StoredItem, replace_text
from memtrial.worlds.world import State, Task


class Shelf:
    takes_damage = True

    def __init__(self, conduct: str = "") -> None:
        self.conduct = conduct
        self.notes: dict[str, str] = {}
        self.queries: dict[str, str] = {}
        self.was: dict[str, str] = {}
        self.rating = 1

    def write(self, trajectory: Trajectory) -> None:
        if trajectory.outcome == "success":
            actions = "; then ".join(step.action for step in trajectory.steps)
            self.notes[trajectory.trace_id] = f"In '{trajectory.query}' this worked: {actions}."
            self.queries[trajectory.trace_id] = trajectory.query
            self.was = dict(self.notes)

    def read(self, task: Task, state: State, k: int) -> list[StoredItem]:
        words = set(task.query.lower().split())
        changed = self.notes != self.was
        items = [
            StoredItem(
                id, f"[rated {self.rating}] {text}", len(words & set(self.queries[id].lower().split()))
            )
            for id, text in self.notes.items()
        ]
        items = sorted(items, key=lambda item: -item.score)[:k]
        if changed and self.conduct == "drops":
            return items[1:]
        return items[::-1] if changed and self.conduct == "turned" else items

    def list(self) -> list[StoredItem]:
        return [StoredItem(id, text) for id, text in self.notes.items()]

    def replace(self, id: str, text: str) -> None:
        if self.conduct == "deaf":
            return
        signed = self.conduct == "signs" and text != self.was[id]
        replace_text(self.notes, id, text.swapcase() if signed else text)
        self.rating += self.conduct == "sticks"
