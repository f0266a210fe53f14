"""Rows of evidence beside the estimates: methods, banks, families, a judge, what arms show and items did."""

from dataclasses import dataclass
from typing import Literal

from memtrial.analysis.behaviour.energy_distance import Divergence
from memtrial.analysis.estimands.contrast import Estimand
from memtrial.analysis.failures.agreement import Agreement, JudgeRates
from memtrial.analysis.hypothesis_families import FamilyRow
from memtrial.analysis.inference.bank_spread import BankSpread
from memtrial.analysis.sensitivity.method import Scale
from memtrial.result_record import ResultRecord


class OfContrast(ResultRecord):
    """Whose numbers a row holds."""

    estimand: Estimand
    backbone: str
    arm: str
    versus: str
    condition: str


class DifferenceRow(OfContrast):
    """How a contrast is spread over tasks: a row of `differences`."""

    exact: bool
    """False: more than 201 different values, given by 201 quantiles."""
    values: tuple[tuple[float, float], ...]
    """A task's difference, and the number of tasks with it."""

    @property
    def total(self) -> float:
        """How many tasks there are."""
        return sum(count for _, count in self.values)

    @property
    def mean(self) -> float:
        """Of the tasks."""
        return sum(value * count for value, count in self.values) / self.total


class SensitivityRow(OfContrast):
    """A contrast by another method: a row of `sensitivity`."""

    method: str
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    note: str
    scale: Scale
    least_p: float | None = None
    """The least p that the method's draws can show; None where it draws nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BankRow(BankSpread):
    """How far a contrast moves with the draw of the bank: a row of `banks`."""

    estimand: Estimand
    backbone: str
    arm: str
    versus: str
    condition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DivergenceRow(Divergence):
    """How far damage moved what the agent did: a row of `divergence` (STATISTICS 6)."""

    backbone: str
    arm: str
    condition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFamily(FamilyRow):
    """A family of tests and what it may claim: confirmatory, exploratory or secondary."""

    claim: str


class Multiplicity(ResultRecord):
    """How many tests there are, in which order, and which of them count."""

    primary: str | None
    """The family of the declared hypotheses; None where none was declared."""
    alpha: float
    looks: int
    order: tuple[str, ...]
    gatekeeping: str
    families: tuple[ListedFamily, ...]
    exploratory: tuple[str, ...]
    """What is outside all families, and unadjusted."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One way in which the first requests of two arms differ in the same block: a row of `audit`.

    Args:
        what: `memory text`, which is the treatment, or something that is not.
        only_in: the arm in whose requests the excerpt stands; empty where both have something of their own.
        words, characters: by how much `arm` has more, in the mean; of a text that only one has, its size.
            None where a text is not written yet.
        blocks, of_blocks: how many of the blocks that were looked at differ so.
    """

    backbone: str
    arm: str
    versus: str
    what: str
    only_in: str
    words: float | None
    characters: float | None
    blocks: int
    of_blocks: int
    excerpt: str


class FunnelRow(ResultRecord):
    """How many items went how far, in the intact trials of one arm: a row of `funnel`.

    Each stage counts those of the stage before; `cited` counts those of `shown` and is none of them.
    """

    backbone: str
    arm: str
    retrieved: int
    """Items in the slots of all trials: one item in three trials counts three times."""
    shown: int
    """Its text stood in a request."""
    fired: int
    """Its moment came: its Trigger held, or what its text asks for stood there."""
    acted: int
    """What it advises was done from then on; an agent may have done so without it."""
    mattered: int
    """And the trial scored more than the one without memory in the same block."""
    cited: int
    """A thought quotes or names it."""


class ExposedRow(ResultRecord):
    """An effect among the blocks in which a Trigger held, and among the others: a row of `per_exposure`.

    Which blocks these are was decided after the fact, by the firings in the episode without memory; the
    estimates of the run count every block (intention to treat).
    """

    backbone: str
    arm: str
    condition: str
    """The damage whose drop this is; `without` for the utility."""
    blocks: Literal["fired", "not fired"]
    n_tasks: int
    estimate: float
    low: float | None
    high: float | None
    """Unadjusted."""


class MovedRow(ResultRecord):
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


class JudgeAudit(ResultRecord):
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
