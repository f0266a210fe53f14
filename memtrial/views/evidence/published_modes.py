"""Published failure modes, to stand beside those of a run: counts behind Table 1 of arXiv 2601.22436v3.

The table prints percentages of each cell; `published_modes.csv` holds the least whole numbers that give them.
Its cells are web tasks (WebArena) solved without memory and failed with a ReasoningBank.
"""

import csv
from functools import cache
from importlib.resources import files

from memtrial.views.evidence.failure_modes import rows_of_counts
from memtrial.views.rows.failure_rows import FailureRow

SOURCE = "arXiv 2601.22436, Table 1"
MODES = ("distraction", "reliance", "premature")


@cache
def published_modes() -> tuple[FailureRow, ...]:
    """A row a backbone and website, with simultaneous intervals as ours have them."""
    text = (files("memtrial.views.evidence") / "published_modes.csv").read_text(encoding="utf-8")
    counts = {
        (row["backbone"], row["domain"], "", ""): {mode: int(row[mode]) for mode in MODES}
        for row in csv.DictReader(text.splitlines())
    }
    return rows_of_counts(counts)
