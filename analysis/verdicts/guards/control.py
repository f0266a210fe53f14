"""The guard of assay sensitivity: whether this run could have seen content at work at all."""

from __future__ import annotations

from collections.abc import Iterable

from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.verdicts.facts import Facts
from loadbearing.outcomes.reserved_names import ALL


def positive_control(row: Estimate, facts: Facts) -> Estimate:
    """Against a run in which memory may never have taken effect: makes `inert` `insensitive`.

    It acts where no backbone's positive control is load-bearing. A backbone whose own control fails while
    another's works keeps its verdicts: the injection is sound, and that this model does not use memory is a
    finding about it; a note of the run says so. A run without a positive control keeps its verdicts too.

    Source: ICH E10, assay sensitivity.
    """
    if row.verdict != "inert":
        return row
    drops = _telling(facts.rows.values(), facts.plan)
    if not drops or any(one.verdict == "load-bearing" for one in drops):
        return row
    return row.given("insensitive", Reason.CONTROL_FAILED)


def control_notes(rows: Iterable[Estimate], plan: AnalysisPlan) -> tuple[str, ...]:
    """What a reader of the run has to know about its positive control; nothing where it works everywhere."""
    drops = _telling(rows, plan)
    name = plan.positive_control
    if not drops:
        return ("no positive control was run: `inert` cannot be told from memory that never took effect",)
    works = {one.backbone for one in drops if one.verdict == "load-bearing"}
    if not works:
        return (
            f"the positive control {name!r} is load-bearing for no backbone: no verdict `inert` is given",
        )
    return tuple(
        f"{backbone}: its own positive control {name!r} is not load-bearing, while that of "
        f"{', '.join(sorted(works))} is; its verdicts stand, but may say more about the model than the memory"
        for backbone in dict.fromkeys(one.backbone for one in drops)
        if backbone not in works
    )


def _telling(rows: Iterable[Estimate], plan: AnalysisPlan) -> list[Estimate]:
    """The drops of the positive control: those under damage to meaning, or all where there is none."""
    drops = [
        one
        for one in rows
        if one.estimand == "drop"
        and one.backbone != ALL
        and one.arm == plan.positive_control
        and one.n_tasks > 0
    ]
    return [one for one in drops if one.condition in plan.semantic] or drops
