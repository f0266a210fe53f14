"""Which cells of a run are not played, or never called load-bearing, by what its damage did to texts."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from memtrial.analysis.verdicts.facts import Place
from memtrial.analysis.verdicts.undecidable import find_open_cells, open_cell_lines
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.ledger.trial_cells import Cell
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.reserved_names import PLACEBO
from memtrial.protocol.run_cells import planned_cells


def undecidable_notes(
    plan: RunPlan, fitting: Collection[Cell], trials: Sequence[TrialRow], fluent: Iterable[Place]
) -> tuple[str, ...]:
    """One note a reason; empty before a trial was played.

    A damage that fits no memory of an arm is said elsewhere; here it is missing where another cell needs it.

    Args:
        fitting: the cells to whose slots their damage applies.
    """
    unchecked = {(arm, name) for arm, name in planned_cells(plan) if name in ("without", "intact", "empty")}
    cells = [cell for cell in planned_cells(plan) if cell in fitting or cell in unchecked]
    shown = {trial.arm for trial in trials}
    telling = {trial.arm for trial in trials if (trial.did_told, trial.did_avoided) != (None, None)}
    if plan.reported:
        telling = shown  # no act is seen there, so none is asked for
    places = {(arm, name) for _, arm, name in fluent}
    found = find_open_cells(cells, plan.pairs, places, shown - telling, PLACEBO)
    lines = open_cell_lines(found) if trials else ()
    return tuple(f"Never load-bearing in this run, whatever the scores: {line}" for line in lines)


def unplayed_notes(inapplicable: Mapping[Place, str]) -> tuple[str, ...]:
    """A note on each kind of damage that fits no memory of an arm, with the reason; arms with the same reason
    in one."""
    alike = group_by(inapplicable, lambda place: (place[2], inapplicable[place]))
    return tuple(
        f"Not played: {condition} of {', '.join(dict.fromkeys(arm for _, arm, _ in places))}: {why}"
        for (condition, why), places in alike.items()
    )
