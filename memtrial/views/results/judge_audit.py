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
    trials: Sequence[TrialRow], plan: RunPlan, estimates: Sequence[Estimate], analysed: Analysed
) -> JudgeAudit | None:
    """None where the world itself said what a success is; `found` are the estimates as they are."""
    graded = [trial for trial in trials if trial.grades]
    if not graded:
        return None
    pairs = [(trial, trial.grades[0]["label"]) for trial in graded if trial.oracle]
    agreed: dict[str, list[bool]] = defaultdict(list)
    for trial, label in pairs:
        agreed[trial.condition].append(trial.oracle == label)
    rates = judge_rates([(trial.oracle, label) for trial, label in pairs]) if pairs else None
    return JudgeAudit(
        grader=plan.grader,
        judged=len(graded),
        unreadable=sum(bool(entry["fault"]) for trial in graded for entry in trial.grades),
        against_world=rates,
        by_condition={name: round(fmean(same), 4) for name, same in agreed.items()},
        agreement=_agreement_rows(graded, plan),
        moved=_moved_verdicts(estimates, rates, plan, analysed),
    )


def _agreement_rows(graded: Sequence[TrialRow], plan: RunPlan) -> tuple[Agreement, ...]:
    """Of the reading that decided with the world, with another reading and with the other wording."""
    labels_by: dict[str, dict[str, str]] = {
        WORLD: {trial.key: trial.oracle for trial in graded if trial.oracle}
    }
    for place, name in AGAIN.items():
        labels_by[name] = {
            trial.key: entry["label"]
            for trial in graded
            for entry in trial.grades
            if (entry["wording"], entry["nth"]) == place and entry["label"]
        }
    rng, tasks = generator(plan.seed, Stream.FAILURE_MODES, 3), {trial.key: trial.task for trial in graded}
    others: Mapping[str, Mapping[str, str]] = {
        name: labels for name, labels in labels_by.items() if name != JUDGE and labels
    }
    return tuple(
        agreement({name: labels, JUDGE: labels_by[JUDGE]}, tasks, rng) for name, labels in others.items()
    )


def _moved_verdicts(
    estimates: Sequence[Estimate], rates: JudgeRates | None, plan: RunPlan, analysed: Analysed
) -> tuple[MovedRow, ...]:
    """The main verdicts under margins as they look through the judge; none where it is no better than chance.

    Shrunken effects are held against a margin that is shrunken as well: that is the verdict on true success.
    """
    if rates is None or rates.kept is None or rates.kept_low is None or rates.kept <= 0:
        return ()
    kept, low = rates.kept, rates.kept_low
    then = {row.key: row.verdict for row in analysed(plan.margin * kept)}
    worst = {row.key: row.verdict for row in analysed(plan.margin * low)} if low > 0 else {}

    def points(value: float | None, estimand: str) -> float | None:
        most = 2.0 if estimand == "contrast" else 1.0  # a difference of two drops
        return None if value is None else round(max(-most, min(most, value / kept)), 6)

    return tuple(
        MovedRow(
            backbone=row.backbone, estimand=row.estimand, arm=row.arm, versus=row.versus,
            condition=row.condition, estimate=row.estimate, verdict=row.verdict,
            corrected=points(row.estimate, row.estimand), low=points(row.low, row.estimand),
            high=points(row.high, row.estimand),
            verdict_then=then[row.key], verdict_worst=worst.get(row.key, ""),
        )
        for row in estimates
        if row.estimand in MAIN and row.backbone != ALL
        if not plan.primary or row.condition in plan.primary
    )  # fmt: skip


def judge_sentence(audit: JudgeAudit) -> str:
    """Who judged, how well, and what follows."""
    rates = audit.against_world
    if rates is None or rates.sensitivity is None or rates.specificity is None:
        return f"Success was judged by {audit.grader}; no world's outcome to hold it against."
    solved, failed = (f"{100 * rate[0]:.0f} %" for rate in (rates.sensitivity, rates.specificity))
    changed = sum(row.verdict != row.verdict_then for row in audit.moved)
    moved = f"{changed} of {len(audit.moved)} main verdicts change"
    return (
        f"Success was judged by {audit.grader}, blind to the arm: it sees {solved} of the solved and"
        f" {failed} of the failed trials; at these rates {moved}."
    )
