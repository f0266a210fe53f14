"""A table as it was read: named columns, each text once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.columns import Coded


@dataclass(frozen=True, slots=True)
class Sheet:
    """Columns of text, in the order of the file.

    Args:
        columns: by name; what was a number is its shortest text, what was missing is an empty text.
        unread: columns that hold lists or objects.
        notes: what was done to read it.
    """

    columns: Mapping[str, Coded]
    unread: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """Rows below the header."""
        return len(next(iter(self.columns.values())).codes) if self.columns else 0

    def keep(self, rows: NDArray[np.bool_]) -> Sheet:
        """Some of the rows."""
        kept = {name: Coded(column.codes[rows], column.values) for name, column in self.columns.items()}
        return Sheet(kept, self.unread, self.notes)


def held(column: Coded) -> tuple[str, ...]:
    """The texts that some row holds, in the order in which they first appear."""
    return tuple(column.values[code] for code in column.appearing())


def same_parting(one: Coded, other: Coded) -> bool:
    """Whether two columns part the rows alike, whatever their texts."""
    pairs = np.unique(np.stack([one.codes, other.codes]), axis=1)
    return len(held(one)) == len(held(other)) == len(pairs.T)


def listed(names: tuple[str, ...] | list[str], most: int = 8) -> str:
    """Names in quotes, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
