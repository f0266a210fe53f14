"""Guards of the whole run: did memory reach the agent, could content show, is it time to decide?"""

from collections.abc import Iterable
from dataclasses import replace

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.contrast import utility
from memtrial.analysis.hypothesis_families import HYPOTHESES
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.sequential.interim import place_of
from memtrial.analysis.verdicts.facts import Facts
from memtrial.outcomes.reserved_names import ALL, INTACT


def not_delivered(row: Estimate, facts: Facts) -> Estimate:
    """Against memory text that did not reach the prompt, or an agent that took no look at it or never asked
    for it: any verdict on such an arm becomes `untestable`."""
    trials = sum(n for place, n in facts.run.unread.items() if row.rests_on(*place))
    if trials:
        return row.given("untestable", Reason.NEVER_GIVEN, {"trials": trials})
    dormant = sum(n for place, n in facts.run.dormant.items() if row.rests_on(*place))
    if dormant:
        return row.given("untestable", Reason.NEVER_ACTIVATED, {"trials": dormant})
    requests = sum(n for place, n in facts.run.lost.items() if row.rests_on(*place))
    return row.given("untestable", Reason.NOT_DELIVERED, {"requests": requests}) if requests else row


def negative_control(row: Estimate, facts: Facts) -> Estimate:
    """Against a utility that is no effect of memory: a withheld memory that moves the score is `untestable`,
    and any other that moves it the same way, `helps` or `harms`, becomes `inconclusive`.

    Source: Lipsitch, Tchetgen Tchetgen & Cohen 2010 (negative controls).
    """
    if row.estimand != "utility" or row.verdict not in ("helps", "harms"):
        return row
    alpha = facts.plan.rules.alpha
    for arm in facts.plan.withheld:
        control = facts.find(row, utility(arm))
        if control is None or control.effect(alpha) * row.effect(alpha) <= 0:
            continue
        seen = {"effect": control.estimate or 0.0, "p": control.p_adjusted or 0.0}
        if arm == row.arm:
            return row.given("untestable", Reason.WITHHELD_DIFFERS, seen)
        return row.given("inconclusive", Reason.NEGATIVE_CONTROL_MOVES, {"control": arm, **seen})
    return row


def not_applicable(row: Estimate, facts: Facts) -> Estimate:
    """Against damage that applies to no slot of an arm: any verdict on the two becomes `untestable`."""
    for (backbone, arm, condition), why in facts.run.inapplicable.items():
        if condition == row.condition and row.rests_on(backbone, arm):
            return row.given("untestable", Reason.NOT_APPLICABLE, {"arm": arm, "why": why})
    return row


def advice_check(row: Estimate, facts: Facts) -> Estimate:
    """Against damage that keeps the advice, or a placebo that does not: any becomes `untestable`."""
    for (backbone, arm, condition), why in facts.run.advice.items():
        if row.rests_on(backbone, arm) and condition in row.condition.split("+") and why:
            return row.given("untestable", Reason.ADVICE_CHECK, {"why": why})
    return row


def positive_control(row: Estimate, facts: Facts) -> Estimate:
    """Against a run in which memory may never have taken effect: `inert` becomes `insensitive`.

    It acts where no backbone's positive control is load-bearing or followed. A backbone keeps its verdicts,
    with a note, where another's control works or where it is shown to ignore even the control's advice; so
    does a run without a positive control.

    Source: ICH E10, assay sensitivity.
    """
    if row.verdict != "inert":
        return row
    rows = tuple(facts.rows.values())
    drops, followed = _control_drops(rows, facts.plan), _follow_verdicts(rows, facts.plan)
    works = any(row.verdict == "load-bearing" for row in drops) or "follows" in followed.values()
    ignored = followed.get(row.backbone) == "ignores"
    if not drops or works or ignored:
        return row
    return row.given("insensitive", Reason.CONTROL_FAILED)


def control_notes(rows: Iterable[Estimate], plan: AnalysisPlan) -> tuple[str, ...]:
    """Notes about the run's positive control; empty where it works for every backbone."""
    rows, name = tuple(rows), plan.positive_control
    drops, followed = _control_drops(rows, plan), _follow_verdicts(rows, plan)
    if not drops:
        return ("no positive control was run: `inert` may also mean that memory never took effect",)
    works = {row.backbone for row in drops if row.verdict == "load-bearing"}
    works |= {backbone for backbone, word in followed.items() if word == "follows" and backbone != ALL}
    ignored = tuple(
        f"{backbone} is shown to ignore even the advice of the positive control {name!r}: an `inert` of its"
        " own says that this model does not use memory, whatever it holds"
        for backbone, word in followed.items()
        if word == "ignores" and backbone != ALL
    )
    if not works:
        return ignored or (
            f"the positive control {name!r} is load-bearing for no backbone: no verdict `inert` is given",
        )
    idle = [backbone for backbone in dict.fromkeys(row.backbone for row in drops) if backbone not in works]
    if not idle:
        return ()
    return (
        f"The positive control {name!r} is load-bearing for {', '.join(sorted(works))}, not for"
        f" {', '.join(idle)}. Where it is not, verdicts may say more about the model than the memory",
    )


def _control_drops(rows: Iterable[Estimate], plan: AnalysisPlan) -> list[Estimate]:
    """The positive control's drops under semantic damage, or all its drops if there are none."""
    own = (row for row in rows if row.arm == plan.positive_control and row.backbone != ALL)
    drops = [row for row in own if row.estimand == "drop" and row.n_tasks > 0]
    return [row for row in drops if row.condition in plan.semantic] or drops


def _follow_verdicts(rows: Iterable[Estimate], plan: AnalysisPlan) -> dict[str, str]:
    control = plan.positive_control
    return {
        row.backbone: row.verdict
        for row in rows
        if row.estimand == "follow" and (row.arm, row.versus) == (control, INTACT)
    }


def interim(row: Estimate, facts: Facts) -> Estimate:
    """Against reading a locked run before its end: any verdict on a hypothesis becomes `inconclusive`."""
    looks = facts.run.looks
    if looks is None or looks.complete or row.family != HYPOTHESES:
        return row
    return row.given("inconclusive", Reason.INTERIM, {"when": looks.when})


def boundaries(row: Estimate, facts: Facts) -> Estimate:
    """Against a higher error rate of a hypothesis that was looked at several times.

    p becomes the one over all looks, and each arm of the interval as many standard errors longer as the
    boundary of the last look is. `load-bearing` and `reversed` become `inconclusive` where no boundary was
    reached, and `inert` where the run stopped early, which was planned for effects. A decision at a look
    stays, even where the rule now says `inert` or `inconclusive`.

    Source: Jennison & Turnbull 1999, chapter 9 (repeated confidence intervals).
    """
    looks = facts.run.looks
    if looks is None or not looks.in_force or row.family != HYPOTHESES:
        return row
    overall, last_look = looks.overall(place_of(row))
    low, high = row.low, row.high
    wider = looks.widen_by(row.freedom) if row.freedom is not None else None
    if row.low is not None and row.high is not None and row.estimate is not None:
        least, greatest = facts.of(row).bounds
        low = None if wider is None else max(least, row.estimate - wider * (row.estimate - row.low))
        high = None if wider is None else min(greatest, row.estimate + wider * (row.high - row.estimate))
    row = replace(row, p_adjusted=overall, p_adjusted_error=None, low=low, high=high)
    row = replace(row, low_family=None, high_family=None)
    crossed = looks.crossed_looks(place_of(row))
    if row.verdict in ("load-bearing", "reversed") and not crossed:
        return row.given("inconclusive", Reason.NO_BOUNDARY)
    if row.verdict in ("inert", "inconclusive") and crossed:
        word = "load-bearing" if (crossed[0].estimate or 0.0) > 0 else "reversed"
        return row.given(word, Reason.BOUNDARY, {"look": last_look})
    if row.verdict == "inert" and looks.last < looks.n_looks:
        return row.given("inconclusive", Reason.STOPPED_EARLY)
    return row
