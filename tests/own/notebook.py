"""A memory system in 20 lines: it remembers what worked, and shows the most similar success."""


class Notebook:
    def __init__(self):
        self.worked = []

    def observe(self, trajectory):
        if trajectory.outcome == "success":
            actions = "; then ".join(step.action for step in trajectory.steps)
            self.worked.append((trajectory.query, f"In '{trajectory.query}' this worked: {actions}."))

    def recall(self, task, state):
        words = set(task.query.lower().split())
        best = max(self.worked, key=lambda note: len(words & set(note[0].lower().split())), default=None)
        return best[1] if best else None
