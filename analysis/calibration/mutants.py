"""The instrument, and instruments that are wrong on purpose: a calibration that they pass is worthless."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.analyse import analyse
from loadbearing.analysis.calibration.experiments import Measure, Measured, Trials, measure, outcomes
from loadbearing.analysis.calibration.participants import DAMAGED, INTACT
from loadbearing.analysis.inference.sign_flip import flip_test
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Analysis
from loadbearing.analysis.sequential.e_process import anytime_p, log_e
from loadbearing.outcomes.outcomes import Cell

Floats = NDArray[np.float64]
Units = NDArray[np.int64]
Weights = tuple[float, ...]

Judge = Callable[[Trials, tuple[Cell, ...], Units, AnalysisPlan], Analysis]
"""Scores of one experiment, shape (n_cells, n_tasks, n_repeats); its cells; units of its tasks; the rules."""

Adjust = Callable[[Floats, Units, int, np.random.Generator], Floats]
"""Contrasts of a family, shape (n_tasks, n_columns); units; flips; rng → adjusted p-value of each column."""

Watch = Callable[[Floats], float]
"""One contrast a task, in the order of play → a p-value that may be read after each of them."""


def max_t(contrasts: Floats, unit: Units, flips: int, rng: np.random.Generator) -> Floats:
    """The p-values on which verdicts rest."""
    return flip_test(contrasts, unit, flips, rng).p_adjusted


def e_process(contrasts: Floats) -> float:
    """The evidence on display while a run is going on."""
    return anytime_p(log_e(contrasts))


@dataclass(frozen=True, slots=True)
class Instrument:
    """What is calibrated: one contrast in many experiments, the whole analysis of one, a family, a watch."""

    name: str
    measure: Measure
    judge: Judge
    adjust: Adjust = max_t
    watch: Watch = e_process


def judge(trials: Trials, cells: tuple[Cell, ...], unit: Units, plan: AnalysisPlan) -> Analysis:
    """The analysis that every run gets, on one experiment."""
    return analyse(outcomes(trials, cells, unit), plan)


REAL = Instrument("the instrument", measure, judge)


def _split(trials: Trials) -> tuple[Trials, Units]:
    """Every repeat as a task of its own, and its unit."""
    *others, n_tasks, repeats = trials.shape
    return trials.reshape(*others, n_tasks * repeats, 1), np.arange(n_tasks * repeats)


def _repeats_as_tasks(trials: Trials, weights: Weights, _: Units, plan: AnalysisPlan) -> Measured:
    flat, unit = _split(trials)
    return measure(flat, weights, unit, plan)


def _judge_repeats(trials: Trials, cells: tuple[Cell, ...], _: Units, plan: AnalysisPlan) -> Analysis:
    flat, unit = _split(trials)
    return judge(flat, cells, unit, plan)


def _swapped(trials: Trials, weights: Weights, unit: Units, plan: AnalysisPlan) -> Measured:
    """The two sides of every contrast have traded places."""
    return measure(trials, tuple(-weight for weight in weights), unit, plan)


def _judge_swapped(trials: Trials, cells: tuple[Cell, ...], unit: Units, plan: AnalysisPlan) -> Analysis:
    other = {INTACT: DAMAGED, DAMAGED: INTACT}
    return judge(trials, tuple(other.get(cell, cell) for cell in cells), unit, plan)


def _one_sided(trials: Trials, weights: Weights, unit: Units, plan: AnalysisPlan) -> Measured:
    """Only a loss is looked for, with the whole alpha on that side."""
    seen = measure(trials, weights, unit, plan)
    return replace(seen, p=np.where(seen.estimate > 0, seen.p / 2, 1 - seen.p / 2))


MUTANTS: tuple[Instrument, ...] = (
    Instrument("repeats-as-tasks", _repeats_as_tasks, _judge_repeats),
    Instrument("arms-swapped", _swapped, _judge_swapped),
    Instrument("one-sided-p", _one_sided, judge),
)
"""Members are listed by value; `--mutant NAME` finds them."""
