"""Guards of the run as a whole: did the experiment take place, could it see content, may it decide by now?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from loadbearing.analysis.families import HYPOTHESES
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.sequential.interim import place_of
from loadbearing.analysis.verdicts.facts import Facts
from loadbearing.outcomes.reserved_names import ALL


def not_delivered(row: Estimate, facts: Facts) -> Estimate:
    """Against memory text that did not stand in the prompt. Takes any word that rests on such an arm."""
    requests = sum(n for place, n in facts.run.lost.items() if row.rests_on(*place))
    return row.given("untestable", Reason.NOT_DELIVERED, {"requests": requests}) if requests else row


def not_applicable(row: Estimate, facts: Facts) -> Estimate:
    """Against damage that applies to no slot of an arm. Takes any word on that damage and arm."""
    for (backbone, arm, condition), why in facts.run.inapplicable.items():
        if condition == row.condition and row.rests_on(backbone, arm):
            return row.given("untestable", Reason.NOT_APPLICABLE, {"arm": arm, "why": why})
    return row


def advice_check(row: Estimate, facts: Facts) -> Estimate:
    """Against damage that leaves the advice as it was, and a placebo that changes it. Takes any word."""
    for (backbone, arm, condition), why in facts.run.advice.items():
        if row.rests_on(backbone, arm) and condition in row.condition.split("+") and why:
            return row.given("untestable", Reason.ADVICE_CHECK, {"why": why})
    return row


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
    own = (one for one in rows if one.arm == plan.positive_control and one.backbone != ALL)
    drops = [one for one in own if one.estimand == "drop" and one.n_tasks > 0]
    return [one for one in drops if one.condition in plan.semantic] or drops


def interim(row: Estimate, facts: Facts) -> Estimate:
    """Against reading a locked run before its end. Takes any word of a hypothesis."""
    looks = facts.run.looks
    if looks is None or looks.complete or row.family != HYPOTHESES:
        return row
    return row.given("inconclusive", Reason.INTERIM, {"when": looks.when})


def boundaries(row: Estimate, facts: Facts) -> Estimate:
    """Against deciding a hypothesis more often than its error rate allows, over the looks that were taken.

    p becomes the one over all looks, the interval estimate +- boundary * standard error of the last look,
    so that all of a run's intervals hold at once. It takes `load-bearing` and `reversed` where no boundary
    was reached, and `inert` where the run stopped early: such a stop was planned for effects, not for
    equivalence. What was decided at a look stays decided: then `inert` and `inconclusive` give way to it.

    Source: Jennison & Turnbull 1999, chapter 9 (repeated confidence intervals).
    """
    looks = facts.run.looks
    if looks is None or not looks.in_force or row.family != HYPOTHESES:
        return row
    overall, at = looks.overall(place_of(row))
    low, high = row.low, row.high
    if row.low is not None and row.high is not None and row.n_clusters >= 2:
        # the plus-two interval has one degree of freedom more than it has units
        low, high = looks.repeated_interval(row.low, row.high, row.n_clusters + 1)
    row = replace(row, p_adjusted=overall, low=low, high=high, low_family=None, high_family=None)
    crossed = looks.crossed(place_of(row))
    if row.verdict in ("load-bearing", "reversed") and not crossed:
        return row.given("inconclusive", Reason.NO_BOUNDARY)
    if row.verdict in ("inert", "inconclusive") and crossed:
        word = "load-bearing" if (crossed[0].estimate or 0.0) > 0 else "reversed"
        return row.given(word, Reason.BOUNDARY, {"look": at})
    if row.verdict == "inert" and looks.last < looks.planned:
        return row.given("inconclusive", Reason.STOPPED_EARLY)
    return row
