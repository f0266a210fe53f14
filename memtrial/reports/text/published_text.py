"""Published failure modes beside those of a run: whose rows they are, and what sets them apart."""

from dataclasses import replace

from memtrial.outcomes.reserved_names import INTACT
from memtrial.reports.text.failure_text import mode_table, shown_rows
from memtrial.reports.text.text_table import TextTable
from memtrial.views.evidence.published_modes import SOURCE, published_modes
from memtrial.views.rows.failure_rows import FailureModes, FailureRow

PUBLISHED = f"Published beside ours: {SOURCE}"
APART = (
    "Published rows are failures with a ReasoningBank on web tasks, coded by a model, every one in one of"
    " three modes; the counts are the least that give the printed percentages. Rows of this run are of its"
    " intact memories; other is what its coder did not decide. Agents, tasks and coders differ, so that a"
    " difference between the two says nothing of memory alone."
)


def rows_beside(modes: FailureModes | None) -> tuple[FailureRow, ...]:
    """The published rows and those of a run's intact memories; none where the run has too few failures."""
    own = () if modes is None else tuple(row for row in shown_rows(modes) if row.condition in ("", INTACT))
    if not own:
        return ()
    theirs = (row.model_copy(update={"arm": "published"}) for row in published_modes())
    return (*theirs, *own)


def published_table(modes: FailureModes) -> TextTable:
    """Both in one table."""
    table = mode_table(FailureModes(rows=rows_beside(modes)))
    return replace(table, caption=f"{PUBLISHED}. {table.caption} {APART}")
