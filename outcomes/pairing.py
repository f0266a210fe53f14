"""Whether a table's outcomes can be compared at all: on one task, in two cells that belong together."""

from __future__ import annotations

from loadbearing.outcomes.cells import Cells
from loadbearing.outcomes.column_roles import Taken, option
from loadbearing.outcomes.outcomes import WITHOUT, Outcomes
from loadbearing.outcomes.reserved_names import INSTRUCTED, INTACT
from loadbearing.outcomes.table_fault import TableFault


def refuse_unpaired(outcomes: Outcomes, taken: Taken, cells: Cells) -> None:
    """Some task was played in two cells, and of these one is intact.

    Raises:
        TableFault: nothing is paired, or what is paired answers no question.
    """
    tables = [outcomes.cells(backbone) for backbone in outcomes.backbones]
    if not any((table.trials > 0).sum(axis=1).max() > 1 for table in tables):
        what = "two arms" if not cells.conditioned else "two arms or conditions"
        raise TableFault(
            f"column {taken.get('task')!r} was taken for the task, and no task was played under {what}, so "
            f"nothing is paired; {option('task')} names the column that arms share"
        )
    for table in tables:
        played = dict(zip(table.cells, (table.trials > 0).T, strict=True))
        for whole in played:
            if whole[1] not in (INTACT, INSTRUCTED):
                continue
            others = (cell for cell in played if cell != whole and cell[0] in (whole[0], WITHOUT[0]))
            if any((played[whole] & played[other]).any() for other in others):
                return
    if not cells.conditioned:
        raise TableFault(
            f"no task was played both with {cells.reference!r} and with another arm on the same backbone, so "
            "there is nothing to compare; --reference names another arm"
        )
    column = taken.get("condition")
    raise TableFault(
        f"column {column!r} was taken for the condition, and no arm was played on one task both intact and "
        "damaged, or intact where an agent without memory was, so there is nothing to compare; "
        f"{option('arm')} {column} takes it for the arm"
    )
