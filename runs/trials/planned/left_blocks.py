"""What is left to play of blocks: each is laid out when it is its turn."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memtrial.runs.trials.trials import Block, Trial

LeftBlock = tuple[Block, tuple[tuple[Trial, ...], ...]]
"""A block, and the trials of it that are left, in groups that share an episode."""


def group_alike(block: Block, finished: frozenset[str]) -> tuple[tuple[Trial, ...], ...]:
    """What is left of a block: those with the same prompts together, of which the first is played."""
    alike: dict[str, list[Trial]] = {}
    for trial in block.trials:
        if trial.key not in finished:
            alike.setdefault(trial.prompts or trial.key, []).append(trial)
    return tuple(map(tuple, alike.values()))


@dataclass
class LeftBlocks:
    """The blocks of which something is left, one after the other; `finished` are keys of trials that are not
    played again. It is true while there is one."""

    blocks: Sequence[Block]
    finished: frozenset[str]
    _laid: deque[LeftBlock] = field(default_factory=deque)
    _rest: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self._rest = iter(range(len(self.blocks)))

    def __bool__(self) -> bool:
        return bool(self._laid) or self._lay_next()

    def first(self) -> LeftBlock:
        """The next one, which stays the next. Raises IndexError: there is none."""
        if not self._laid:
            self._lay_next()
        return self._laid[0]

    def popleft(self) -> LeftBlock:
        """The next one. Raises IndexError: there is none."""
        if not self._laid:
            self._lay_next()
        return self._laid.popleft()

    def count(self, most: int) -> int:
        """Episodes that are left, of so many at most."""
        n = sum(len(groups) for _, groups in self._laid)
        while n < most and self._lay_next():
            n += len(self._laid[-1][1])
        return min(n, most)

    def lay(self, position: int) -> LeftBlock | None:
        """What is left of the block of a position; None where nothing is."""
        block = self.blocks[position]
        groups = group_alike(block, self.finished)
        return (block, groups) if groups else None

    def _lay_next(self) -> bool:
        for position in self._rest:
            if (left := self.lay(position)) is not None:
                self._laid.append(left)
                return True
        return False
