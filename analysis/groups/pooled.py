"""Several backbones on the tasks they share: their mean inside each task."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from loadbearing.outcomes.outcomes import CellTable


def pooled(tables: Mapping[str, CellTable]) -> CellTable | None:
    """The cells that every backbone played, averaged over backbones; None with fewer than two.

    Backbones are a fixed, named set on shared tasks, so that the task stays the unit and the ordinary
    inference holds. A task that one backbone is missing in a cell is missing there.

    Source: STATISTICS 9.
    """
    several = tuple(tables.values())
    if len(several) < 2:
        return None
    first = several[0]
    cells = tuple(cell for cell in first.cells if all(cell in table.cells for table in several))
    places = [[table.cells.index(cell) for cell in cells] for table in several]
    pairs = list(zip(several, places, strict=True))
    return replace(
        first,
        cells=cells,
        single=first.single.clear(),  # trials of several backbones are no repeats of one another
        means=np.mean([table.means[:, at] for table, at in pairs], axis=0),
        trials=np.sum([table.trials[:, at] for table, at in pairs], axis=0),
        errors=np.sum([table.errors[:, at] for table, at in pairs], axis=0),
    )
