"""The audit of a judge of success: agreement with the world and with itself, and how far verdicts move."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean

from loadbearing.analysis.behaviour.kappa import kappa
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.sensitivity.misjudged import JudgeRates, judge_rates
from loadbearing.ledger.rows import GradeEntry, TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.outcomes.reserved_names import ALL
from loadbearing.reports.model.judged import JudgeAudit, MovedRow, Regraded

Analysed = Callable[[float], Sequence[Estimate]]
"""The estimates of the run under another margin."""
MAIN = ("contrast", "drop")
PAIRS = (("the same wording again", (0, 1)), ("the other wording", (1, 0)))


def judge_audit(
    trials: Sequence[TrialRow], plan: RunPlan, found: Sequence[Estimate], analysed: Analysed
) -> JudgeAudit | None:
    """None where the world itself said what a success is.

    Args:
        found: the estimates as they are.
    """
    graded = [one for one in trials if one.grades]
    if not graded:
        return None
    pairs = [(one.oracle, one.grades[0]["label"]) for one in graded if one.oracle]
    rates = judge_rates(pairs) if pairs else None
    agreed: dict[str, list[bool]] = defaultdict(list)
    for one in graded:
        if one.oracle:
            agreed[one.condition].append(one.oracle == one.grades[0]["label"])
    return JudgeAudit(
        grader=plan.grader,
        judged=len(graded),
        unreadable=sum(bool(entry["fault"]) for one in graded for entry in one.grades),
        against_world=rates,
        by_condition={name: round(fmean(same), 4) for name, same in agreed.items()},
        again=tuple(_regraded(what, place, graded) for what, place in PAIRS),
        moved=_moved(found, rates, plan, analysed),
    )


def _regraded(what: str, place: tuple[int, int], graded: Sequence[TrialRow]) -> Regraded:
    """The reading that decided, and another one of the same trials."""

    def other(entries: Sequence[GradeEntry]) -> str:
        return next((e["label"] for e in entries if (e["wording"], e["nth"]) == place), "")

    both = [(one.grades[0]["label"], other(one.grades)) for one in graded]
    both = [pair for pair in both if pair[1]]
    value, low, high = kappa(both) if both else (None, None, None)
    apart = sum(first != second for first, second in both)
    return Regraded(what=what, cases=len(both), differing=apart, kappa=value, low=low, high=high)


def _moved(
    found: Sequence[Estimate], rates: JudgeRates | None, plan: RunPlan, analysed: Analysed
) -> tuple[MovedRow, ...]:
    """The main verdicts under margins as they look through the judge; none where it is no better than chance.

    Shrunken effects are held against a margin that is shrunken as well: that is the verdict on true success.
    """
    if rates is None or rates.kept is None or rates.kept_low is None or rates.kept <= 0:
        return ()
    kept = rates.kept
    then = {one.key: one.verdict for one in analysed(plan.margin * kept)}
    low = max(rates.kept_low, 0.0)
    worst = {one.key: one.verdict for one in analysed(plan.margin * low)} if low else {}

    def points(value: float | None, estimand: str) -> float | None:
        most = 2.0 if estimand == "contrast" else 1.0  # a difference of two drops
        return None if value is None else round(max(-most, min(most, value / kept)), 6)

    return tuple(
        MovedRow(
            backbone=one.backbone, estimand=one.estimand, arm=one.arm, versus=one.versus,
            condition=one.condition, estimate=one.estimate, verdict=one.verdict,
            corrected=points(one.estimate, one.estimand), low=points(one.low, one.estimand),
            high=points(one.high, one.estimand),
            verdict_then=then[one.key], verdict_worst=worst.get(one.key, ""),
        )
        for one in found
        if one.estimand in MAIN and one.backbone != ALL
        if not plan.primary or one.condition in plan.primary
    )  # fmt: skip
