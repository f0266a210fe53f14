"""The audit of a judge of success: agreement with the world and with itself, and how far verdicts move."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from memtrial.analysis.failures.agreement import Agreement, JudgeRates, agreement, judge_rates
from memtrial.analysis.result import Estimate
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.reserved_names import ALL
from memtrial.views.rows.evidence_rows import JudgeAudit, MovedRow

Analysed = Callable[[float], Sequence[Estimate]]
"""The estimates of the run under another margin."""
MAIN = ("contrast", "drop")
WORLD, JUDGE = "the world", "the judge"
AGAIN = {(0, 0): JUDGE, (0, 1): "the judge again", (1, 0): "the other wording"}
"""Names of the readings, by wording and number."""


def judge_audit(
    trials: Sequence[TrialRow], plan: RunPlan, found: Sequence[Estimate], analysed: Analysed
) -> JudgeAudit | None:
    """None where the world itself said what a success is; `found` are the estimates as they are."""
    graded = [one for one in trials if one.grades]
    if not graded:
        return None
    pairs = [(one, one.grades[0]["label"]) for one in graded if one.oracle]
    agreed: dict[str, list[bool]] = defaultdict(list)
    for one, said in pairs:
        agreed[one.condition].append(one.oracle == said)
    rates = judge_rates([(one.oracle, said) for one, said in pairs]) if pairs else None
    return JudgeAudit(
        grader=plan.grader,
        judged=len(graded),
        unreadable=sum(bool(entry["fault"]) for one in graded for entry in one.grades),
        against_world=rates,
        by_condition={name: round(fmean(same), 4) for name, same in agreed.items()},
        agreement=_agreement(graded, plan),
        moved=_moved(found, rates, plan, analysed),
    )


def _agreement(graded: Sequence[TrialRow], plan: RunPlan) -> tuple[Agreement, ...]:
    """Of the reading that decided with the world, with another reading and with the other wording."""
    said: dict[str, dict[str, str]] = {WORLD: {one.key: one.oracle for one in graded if one.oracle}}
    for place, name in AGAIN.items():
        said[name] = {
            one.key: entry["label"]
            for one in graded
            for entry in one.grades
            if (entry["wording"], entry["nth"]) == place and entry["label"]
        }
    rng, tasks = generator(plan.seed, Stream.FAILURE_MODES, 3), {one.key: one.task for one in graded}
    others: Mapping[str, Mapping[str, str]] = {name: of for name, of in said.items() if name != JUDGE and of}
    return tuple(agreement({name: of, JUDGE: said[JUDGE]}, tasks, rng) for name, of in others.items())


def _moved(
    found: Sequence[Estimate], rates: JudgeRates | None, plan: RunPlan, analysed: Analysed
) -> tuple[MovedRow, ...]:
    """The main verdicts under margins as they look through the judge; none where it is no better than chance.

    Shrunken effects are held against a margin that is shrunken as well: that is the verdict on true success.
    """
    if rates is None or rates.kept is None or rates.kept_low is None or rates.kept <= 0:
        return ()
    kept, low = rates.kept, rates.kept_low
    then = {one.key: one.verdict for one in analysed(plan.margin * kept)}
    worst = {one.key: one.verdict for one in analysed(plan.margin * low)} if low > 0 else {}

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


def judge_sentence(found: JudgeAudit) -> str:
    """Who judged, how well, and what follows."""
    rates = found.against_world
    if rates is None or rates.sensitivity is None or rates.specificity is None:
        return f"Success was judged by {found.grader}; no world's outcome to hold it against."
    solved, failed = (f"{100 * one[0]:.0f} %" for one in (rates.sensitivity, rates.specificity))
    changed = sum(one.verdict != one.verdict_then for one in found.moved)
    moved = f"{changed} of {len(found.moved)} main verdicts change"
    return (
        f"Success was judged by {found.grader}, blind to the arm: it sees {solved} of the solved and"
        f" {failed} of the failed trials; at these rates {moved}."
    )
