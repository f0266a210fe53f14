"""Rows that say of a contrast what its estimate does not: differences, other methods, backbones, banks."""

from __future__ import annotations

from loadbearing.analysis.behaviour.energy import Word
from loadbearing.analysis.estimands.contrast import Estimand
from loadbearing.analysis.sensitivity.method import Scale
from loadbearing.reports.model.record import Record


class OfContrast(Record):
    """Whose numbers a row holds."""

    estimand: Estimand
    backbone: str = ""
    """Empty where the row is about all of them."""
    arm: str
    versus: str
    condition: str


class DifferenceRow(OfContrast):
    """How a contrast is spread over tasks: a row of `differences`."""

    exact: bool
    """False: more than 201 different values, given by 201 quantiles."""
    values: tuple[tuple[float, float], ...]
    """A task's difference, and the number of tasks with it."""


class SensitivityRow(OfContrast):
    """A contrast by another method: a row of `sensitivity`."""

    method: str
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    note: str
    scale: Scale


class HeterogeneityRow(OfContrast):
    """Whether the backbones differ in a contrast: a row of `heterogeneity`."""

    n_clusters: int
    statistic: float | None
    """Hotelling's T²; None where there is no test."""
    p: float | None
    note: str


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


class DivergenceRow(Record):
    """How far damage moved what the agent did: a row of `divergence` (STATISTICS 6)."""

    backbone: str
    arm: str
    condition: str
    n_tasks: int
    delta: float | None
    across: float | None
    aa: float | None
    p: float | None
    p_adjusted: float | None
    placebo_delta: float | None
    placebo_p: float | None
    word: Word
    reason: str
    ratio: float | None
    """`across` over `aa`; None where the latter is zero."""
    first_action_delta: float | None
    """Of the coarser distance that looks at the first action alone."""
    first_action_p: float | None


class ListedFamily(Record):
    """A family of tests and what it may claim."""

    name: str
    role: str
    order: int | None
    confirmatory: bool
    members: tuple[str, ...]
    tested: int
    rejected: int
    adjusted_by: str
    claim: str
    """confirmatory, exploratory or secondary."""


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
