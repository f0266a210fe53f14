"""Assay sensitivity: whether this run could have seen content at work at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.reserved_names import ALL

_BLIND = (
    "insensitive: the drop lies within the margin, but so would it if memory never reached the agent: "
    "not even the positive control, whose content is known to hold the answer, is load-bearing in this run"
)


def apply_positive_control(
    estimates: Sequence[Estimate], plan: AnalysisPlan
) -> tuple[tuple[Estimate, ...], tuple[str, ...]]:
    """Withdraw `inert` where no backbone shows the positive control at work; other words stay.

    A backbone whose own control fails while another's works keeps its verdicts: the injection is sound,
    and that this model does not use memory is a finding about it. The notes say so.

    Returns:
        the estimates, and notes for the reader of the run.

    Source: ICH E10, assay sensitivity.
    """
    name = plan.positive_control
    named = [e for e in estimates if e.estimand == "drop" and e.backbone != ALL]
    drops = [e for e in named if e.arm == name and e.n_tasks > 0]
    if not drops:
        note = "no positive control was run: `inert` cannot be told from memory that never took effect"
        return tuple(estimates), (note,)
    # without a damage to meaning in the plan, any damage has to serve
    telling = [e for e in drops if e.condition in plan.semantic] or drops
    works = {e.backbone for e in telling if e.verdict == "load-bearing"}
    if not works:
        note = f"the positive control {name!r} is load-bearing for no backbone: no verdict `inert` is given"
        return tuple(_withdrawn(e) for e in estimates), (note,)
    fails = dict.fromkeys(e.backbone for e in telling if e.backbone not in works)
    return tuple(estimates), tuple(
        f"{backbone}: its own positive control {name!r} is not load-bearing, while that of "
        f"{', '.join(sorted(works))} is; its verdicts stand, but may say more about the model than the memory"
        for backbone in fails
    )


def _withdrawn(estimate: Estimate) -> Estimate:
    if estimate.verdict != "inert":
        return estimate
    return replace(estimate, verdict="insensitive", reason=_BLIND)
