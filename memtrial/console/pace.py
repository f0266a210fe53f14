"""A stretch of work: how much of it is done, and at what pace."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

MARKS = 64
"""About so many moments of a stretch are remembered."""


@dataclass
class Stretch:
    """One stretch of work and its pace; `clock` tells seconds and only goes forward.

    `marks` are moments of its later half, and of one before, with the steps that were done by then.
    """

    name: str
    total: int
    clock: Callable[[], float]
    done: int = 0
    errors: int = 0
    begun: float = field(init=False)
    marks: deque[tuple[float, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.begun = self.clock()
        self.marks = deque([(self.begun, 0)])

    def step(self, steps: int = 1, failed: int = 0) -> None:
        """Count what was done, and how much of it ended as an error."""
        self.done, self.errors = self.done + steps, self.errors + failed
        now = self.clock()
        if now - self.marks[-1][0] >= (now - self.begun) / MARKS:
            self.marks.append((now, self.done))
        while len(self.marks) > 1 and self.marks[1][0] <= (self.begun + now) / 2:
            self.marks.popleft()

    def per_s(self) -> float | None:
        """Steps a second over the later half of the time so far, and once all is done over the whole of it.

        What was quick at first, or came from the cache, says nothing of what is left. None where nothing is
        known yet.
        """
        since, before = (self.begun, 0) if self.done >= self.total else self.marks[0]
        took = self.clock() - since
        return (self.done - before) / took if took > 0 and self.done > before else None
