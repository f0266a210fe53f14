"""Arms that differ in more than what they remember: an instruction in the cue line, or in every item."""

from memtrial.agents.slot import Slot

ORDER = "Check every answer twice before you give it."


class Cue:
    """A memory system with a cue line of its own."""

    def observe(self, trajectory):
        self.last = trajectory.query

    def recall(self, task, state):
        cue = f"Notes from earlier tasks. {ORDER}"
        return Slot(cue=cue, items=(f"You were asked '{self.last}', and now {task.id}.",))


def footer(trajectory):
    """A condenser that puts the instruction below each item."""
    return [f"In '{trajectory.query}' somebody did {trajectory.steps[-1].action}.\n{ORDER}"]


def plain(trajectory):
    return [f"In '{trajectory.query}' somebody did {trajectory.steps[-1].action}."]
