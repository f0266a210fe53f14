"""A memory store as a user writes it: a card for each success, found by the words it shares with a task."""

from memtrial.memory.stored_item import MemoryFault, StoredItem


class CardBox:
    def __init__(self):
        self.cards = {}

    async def write(self, trajectory):
        if trajectory.outcome == "success":
            self.cards[trajectory.trace_id] = (
                f"{trajectory.query} {[step.action for step in trajectory.steps]}"
            )

    def read(self, task, state, k):
        wanted = set(task.query.lower().split())
        items = [
            StoredItem(name, text, len(wanted & set(text.lower().split())) / len(wanted))
            for name, text in self.cards.items()
        ]
        return sorted(items, key=lambda item: -item.score)[:k]

    def list(self):
        return [StoredItem(name, text) for name, text in self.cards.items()]

    def replace(self, id, text):
        if id not in self.cards:
            raise MemoryFault(f"no card is named {id!r}")
        self.cards[id] = text
