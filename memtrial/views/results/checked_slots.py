"""What the checks of all damaged slots say, as many as trials: they are read and let go."""

from dataclasses import dataclass

from memtrial.analysis.verdicts.facts import Place
from memtrial.ledger.trial_cells import Cell
from memtrial.protocol.masking import Mask
from memtrial.views.computation import OpenRows
from memtrial.views.results import preparation
from memtrial.views.rows.play_rows import ManipulationRow


@dataclass(frozen=True, slots=True)
class CheckedSlots:
    """What the checks of all damaged slots say together.

    Args:
        damaged: what each damage did, `shown` under the names that may be shown.
        fluent: the places whose damaged texts read no more oddly than the intact ones.
        inapplicable: the places that were never to be played, with the reason.
        fitting: the cells to whose slots their damage applies.
    """

    damaged: tuple[ManipulationRow, ...]
    shown: tuple[ManipulationRow, ...]
    fluent: frozenset[Place]
    inapplicable: dict[Place, str]
    fitting: frozenset[Cell]


def read_checks(rows: OpenRows, mask: Mask) -> CheckedSlots:
    """What the checks among these rows say, with the arms under the names that may be shown."""
    with rows() as ledger:
        checks = tuple(ledger.checks())
    masked = mask.rows(checks)
    shown = preparation.manipulation_rows(masked)
    return CheckedSlots(
        damaged=preparation.manipulation_rows(checks) if mask else shown,
        shown=shown,
        fluent=preparation.fluent_places(masked),
        inapplicable=preparation.inapplicable(masked),
        fitting=frozenset((check.arm, check.condition) for check in masked if check.applicable),
    )
