"""What is known of a judge of success: a part of the results."""

from loadbearing.analysis.failures.agreement import Agreement, JudgeRates
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
    """With the lower limit of the rates; empty where that is no better than chance."""


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
    """Share on which judge and world agree: a judge that is blind errs alike in all conditions."""
    agreement: tuple[Agreement, ...]
    """With the world; and on the sample with itself, and with the other wording."""
    moved: tuple[MovedRow, ...]
