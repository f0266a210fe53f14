"""Rows that say of a contrast what its estimate does not: differences, other methods, banks."""

from dataclasses import dataclass

from loadbearing.analysis.behaviour.energy import Divergence
from loadbearing.analysis.estimands.contrast import Estimand
from loadbearing.analysis.families import FamilyRow
from loadbearing.analysis.inference.contrast_inference import FamilyEffect
from loadbearing.analysis.sensitivity.method import Scale
from loadbearing.reports.model.record import Record


class OfContrast(Record):
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


@dataclass(frozen=True, slots=True)
class FamilyDrop(FamilyEffect):
    """A drop within one family of tasks: a row of `task_families` (STATISTICS 0d.7)."""

    backbone: str
    arm: str
    condition: str


class BankRow(OfContrast):
    """How far a contrast moves with the draw of the bank: a row of `banks`."""

    by_draw: tuple[float | None, ...]
    """Mean over tasks with each bank."""
    estimate: float | None
    n_tasks: int
    sd: float | None
    """Between banks, beyond what chance gives."""
    sd_high: float | None
    p: float | None
    """Of the banks being alike."""
    low: float | None
    """Lower end of the interval for other banks on these tasks."""
    high: float | None
    low_both: float | None
    """Lower end of the interval for other banks and other tasks."""
    high_both: float | None


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


class Multiplicity(Record):
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
