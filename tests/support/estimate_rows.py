"""Estimates made by hand, for tests of what is done with them."""

from memtrial.analysis.result import Estimate


def estimate(
    p: float | None = 0.5,
    verdict: str = "inconclusive",
    family: str = "hypotheses",
    arm: str = "artifact",
    versus: str = "control",
    condition: str = "corrupt_invert",
    value: float = 0.1,
    half: float = 0.05,
    backbone: str = "b",
) -> Estimate:
    """A contrast over 60 tasks."""
    return Estimate(
        estimand="contrast", backbone=backbone, arm=arm, versus=versus, condition=condition, share=None,
        family=family, n_tasks=60, n_clusters=60, n_missing=0, n_informative=40, estimate=value,
        low=value - half, high=value + half, low_family=None, high_family=None, sd=0.2, p=p, p_adjusted=p,
        p_equivalence=0.5, p_equivalence_adjusted=0.5, tasks_to_settle=100, same_text=0.0, n_errors=0,
        worst_low=None, worst_high=None, verdict=verdict, reason="said alone", freedom=59.0,
    )  # fmt: skip
