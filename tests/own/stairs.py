"""A world of one's own: climb so many stairs. `settings` are the arguments."""

from memtrial.worlds.world import Outcome, State, Task, Truth


class Stairs:
    rules = "You climb stairs. The actions are: up, rest."

    def __init__(self, steps=3, n=4):
        self.steps, self.n = steps, n

    def tasks(self, split):
        return [
            Task(f"{split}-{i}", f"Climb the {split} stairs number {i}.", f"family {i % 2}", "stairs", split)
            for i in range(self.n)
        ]

    def step_limit(self, task):
        return self.steps + 2

    def reset(self, task):
        self.at = 0
        return State("You stand on stair 0.", ("up", "rest"))

    def step(self, action):
        known = action in ("up", "rest")
        self.at = min(self.steps, self.at + (action == "up"))
        return State(f"You stand on stair {self.at}.", ("up", "rest"), self.at == self.steps, not known)

    def outcome(self):
        return Outcome(self.at == self.steps, self.at / self.steps)

    def ground_truth(self, task):
        return Truth("When you stand on a stair, up.", ("up",) * self.steps)
