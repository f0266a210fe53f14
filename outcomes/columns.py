"""Trials as columns: each text is stored once, its rows as whole numbers, so that a million trials fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_WIDEST = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of text: the distinct texts, and for each row its index among them, shape (n_rows,)."""

    codes: NDArray[np.int64]
    values: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Coded:
        """Number the texts in the order in which they first appear."""
        place: dict[str, int] = {}
        codes = np.fromiter((place.setdefault(text, len(place)) for text in texts), dtype=np.int64)
        return cls(codes, tuple(place))

    @classmethod
    def same(cls, text: str, n_rows: int) -> Coded:
        """One text in every row."""
        return cls(np.zeros(n_rows, dtype=np.int64), (text,))

    def where(self, text: str) -> NDArray[np.bool_]:
        """Rows that hold a text, shape (n_rows,)."""
        return np.equal(self.codes, self.values.index(text) if text in self.values else -1)

    def texts(self) -> tuple[str, ...]:
        """The texts that some row holds, in the order in which they first appear."""
        return tuple(self.values[code] for code in self.codes[first_rows(self.codes)])


_NO_TEXTS = Coded.of(())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Columns:
    """Trials as columns of equal length, shape (n_rows,).

    Args:
        score: in [0, 1]; NaN is an error of the infrastructure.
        cluster: empty text where a task is independent, as it does everywhere unless given.
        repeat: zero everywhere unless given.
        slot: digest of the text shown; empty text where it is not known, as everywhere unless given.
        empty_slot: whether the record held no items; false everywhere unless given.

    Raises:
        ValueError: columns differ in length.
    """

    backbone: Coded
    arm: Coded
    condition: Coded
    task: Coded
    score: NDArray[np.float64]
    cluster: Coded = _NO_TEXTS
    repeat: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    slot: Coded = _NO_TEXTS
    empty_slot: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def __post_init__(self) -> None:
        n = len(self.score)
        for name in ("cluster", "slot", "repeat", "empty_slot"):
            given = getattr(self, name)
            if not len(given.codes if isinstance(given, Coded) else given):
                rest = Coded.same("", n) if isinstance(given, Coded) else np.zeros(n, dtype=given.dtype)
                object.__setattr__(self, name, rest)
        texts = (self.backbone, self.arm, self.condition, self.task, self.cluster, self.slot)
        lengths = {n, len(self.repeat), len(self.empty_slot), *(len(column.codes) for column in texts)}
        if len(lengths) > 1:
            raise ValueError(f"columns of one table are of one length, got {sorted(lengths)}")

    def place(self, row: int) -> tuple[str, str, str, str, int]:
        """Backbone, arm, condition, task and repeat of one row, as an error names it."""
        texts = (self.backbone, self.arm, self.condition, self.task)
        backbone, arm, condition, task = (column.values[column.codes[row]] for column in texts)
        return backbone, arm, condition, task, int(self.repeat[row])


def first_rows(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row in which each distinct code first appears, in order."""
    return np.sort(np.unique(codes, return_index=True)[1])


def joint(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """One number for each combination, which sorts like the columns from left to right.

    Args:
        parts: columns of whole numbers, each of shape (n_rows,), at least one.
    """
    key, size = np.zeros(len(parts[0]), dtype=np.int64), 1
    for part in parts:
        more, width = part.astype(np.int64), int(part.max(initial=0)) + 1
        # small numbers stay as they are: sorting them takes the most time
        if part.min(initial=0) < 0 or width > 2 * len(part) + 64:
            found, more = np.unique(part, return_inverse=True)
            width = len(found)
        if size * width > _WIDEST:
            found, key = np.unique(key, return_inverse=True)
            size = len(found)
        key, size = key * width + more, size * width
    return key


def refuse_doubled(columns: Columns) -> None:
    """Every trial stands once.

    Raises:
        ValueError: some stand more than once; the message names the first of them and counts the others.
    """
    texts = (columns.backbone, columns.arm, columns.condition, columns.task)
    key = joint([*(column.codes for column in texts), columns.repeat])
    ranked = np.sort(key)
    doubled = np.unique(ranked[1:][ranked[1:] == ranked[:-1]])
    if not len(doubled):
        return
    row = int(np.flatnonzero(np.isin(key, doubled))[0])
    more = f", and {len(doubled) - 1} more have several" if len(doubled) > 1 else ""
    raise ValueError(
        f"backbone, arm, condition, task, repeat = {columns.place(row)!r} has {(key == key[row]).sum()} rows"
        f"{more}; a trial has one"
    )


def cluster_of_each_task(task: Coded, cluster: Coded) -> dict[str, str]:
    """The cluster of every task; a task without one is its own.

    Raises:
        ValueError: a task carries two clusters; the message names the first.
    """
    found: dict[str, str] = {}
    for row in first_rows(joint([task.codes, cluster.codes])):
        name = task.values[task.codes[row]]
        mine = cluster.values[cluster.codes[row]] or name
        if found.setdefault(name, mine) != mine:
            raise ValueError(f"task {name!r} belongs to one cluster, got {sorted((found[name], mine))}")
    return found
