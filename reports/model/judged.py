"""What is known of a judge of success: a part of the results."""

from loadbearing.analysis.sensitivity.misjudged import JudgeRates
from loadbearing.reports.model.record import Record


class MovedRow(Record):
    """A main verdict, and what it is if the judge is wrong at the measured rates."""

    backbone: str
    estimand: str
    arm: str
    versus: str
    condition: str
    estimate: float | None
    verdict: str
    corrected: float | None
    low: float | None
    high: float | None
    """The estimate in points of true success, with its interval."""
    verdict_then: str
    verdict_worst: str
    """With the lower limit of the rates."""


class Regraded(Record):
    """One pair of readings of the sample that was judged again."""

    what: str
    cases: int
    differing: int
    kappa: float | None
    low: float | None
    high: float | None


class JudgeAudit(Record):
    """A judge of success, audited."""

    grader: str
    judged: int
    """Trials with a reading."""
    unreadable: int
    """Readings of the sample that could not be read; one that decides makes its trial an error."""
    against_world: JudgeRates | None
    """None where the world's outcome is not to be asked."""
    by_condition: dict[str, float]
    """Share on which judge and world agree, by condition: a judge that is blind errs alike in all."""
    again: tuple[Regraded, ...]
    moved: tuple[MovedRow, ...]

    @property
    def line(self) -> str:
        """The audit in one sentence."""
        rates = self.against_world
        if rates is None or rates.sensitivity is None or rates.specificity is None:
            return f"Success was judged by {self.grader}; no world's outcome to hold it against."
        changed = sum(one.verdict != one.verdict_then for one in self.moved)
        solved, failed = (f"{100 * one[0]:.0f} %" for one in (rates.sensitivity, rates.specificity))
        return (
            f"Success was judged by {self.grader}, blind to the arm: it sees {solved} of the solved and"
            f" {failed} of the failed trials; at these rates {changed} of {len(self.moved)} main verdicts"
            " change."
        )
