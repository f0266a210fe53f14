"""What is done next as shares of actions, and how far two of them lie apart."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

Shares = Mapping[str, float]
"""By action, how likely it is next; they sum to 1."""


@dataclass(frozen=True, slots=True)
class AskedCell:
    """One text of memory in one decision, asked in one or two halves.

    Args:
        halves: shares of each half. Two of the intact memory where replies are drawn, so that what chance
            alone does is seen; one otherwise.
    """

    halves: tuple[Shares, ...]

    @property
    def shares(self) -> dict[str, float]:
        """The mean of the halves."""
        actions = dict.fromkeys(action for half in self.halves for action in half)
        n = len(self.halves)
        return {action: fsum(half.get(action, 0.0) for half in self.halves) / n for action in actions}

    def share_where(self, counts: Callable[[str], bool]) -> float:
        """How likely an action is that counts, in [0, 1]."""
        return fsum(share for action, share in self.shares.items() if counts(action))


def count_shares(actions: Sequence[str]) -> dict[str, float]:
    """Shares of drawn replies, one action each; at least one."""
    return {action: n / len(actions) for action, n in Counter(actions).items()}


def measure_distance(first: Shares, second: Shares) -> float:
    """Total variation, in [0, 1]: the share of decisions that would have to change."""
    actions = dict.fromkeys([*first, *second])
    return fsum(abs(first.get(action, 0.0) - second.get(action, 0.0)) for action in actions) / 2


def measure_shift(intact: AskedCell, other: AskedCell) -> float:
    """How far what is done next moves, less what asking the intact memory again moves it.

    Drawn shares lie apart by chance alone, the more the fewer there are. The distance to each half of the
    intact replies, less that between the two, is zero on average where the texts do the same, and at most the
    total variation elsewhere: it errs on the side of no effect. Of shares that the server itself gave nothing
    is to be taken off.

    Raises:
        ValueError: more than two halves.
    """
    apart = fsum(measure_distance(half, other.shares) for half in intact.halves) / len(intact.halves)
    if len(intact.halves) == 1:
        return apart
    first, second = intact.halves
    return apart - measure_distance(first, second)
