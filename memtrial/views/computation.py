"""A computation whose value is asked for later: by then another process may have done it."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from memtrial.protocols import LedgerStore

Value = TypeVar("Value")
OpenRows = Callable[[], AbstractContextManager[LedgerStore]]
"""Opens the rows of a ledger, the same in whatever process it is called."""


class Begin(Protocol):
    """Begins a computation, a function of a module with its arguments; what it returns gives the value.

    The value is the same wherever it is made. It is asked for once; whoever asks waits.
    """

    def __call__(self, compute: Callable[[], Value], /) -> Callable[[], Value]: ...


def compute_late(compute: Callable[[], Value], /) -> Callable[[], Value]:
    """Nothing is begun: the computation is done in this process when its value is asked for."""
    return compute


def compute_all(computations: Iterable[Callable[[], Value]]) -> tuple[Value, ...]:
    """The values of several computations, in their order: as one, they are begun together."""
    return tuple(compute() for compute in computations)
