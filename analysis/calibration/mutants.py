"""The instrument, and instruments that are wrong on purpose: a calibration that they pass is worthless."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from loadbearing.analysis.analyse import analyse
from loadbearing.analysis.arrays import Floats, Ints, Rng
from loadbearing.analysis.calibration.experiments import Measure, Measured, Played, Trials, measure
from loadbearing.analysis.calibration.participants import DAMAGED, INTACT
from loadbearing.analysis.inference.sign_flip import flip_test, student_max_t
from loadbearing.analysis.interim_looks import anytime_p, log_e
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Analysis
from loadbearing.analysis.verdicts.guards import content
from loadbearing.analysis.verdicts.guards.order import GUARDS, Guard
from loadbearing.analysis.verdicts.multiplicity import stepped_down

Weights = tuple[float, ...]

Judge = Callable[[Played, AnalysisPlan], Analysis]
"""One experiment and the rules → all its rows, with their verdicts."""
Adjust = Callable[[Floats, Ints, int, Rng], Floats]
"""Contrasts of a family, shape (n_tasks, n_columns); units; flips; rng → adjusted p-value of each column."""
Absence = Callable[[Floats, Floats, float], Floats]
"""P-values of equivalence of a family, shape (n_columns,); their degrees of freedom; alpha → adjusted."""
Watch = Callable[[Floats], float]
"""One contrast a task, in the order of play → a p-value that may be read after each of them."""


def mid_p(contrasts: Floats, unit: Ints, flips: int, rng: Rng) -> Floats:
    """The mid-p of sign flips beside them."""
    return flip_test(contrasts, unit, flips, rng).p_adjusted


def e_process(contrasts: Floats) -> float:
    """The evidence on display while a run is going on."""
    return anytime_p(log_e(contrasts))


@dataclass(frozen=True, slots=True)
class Instrument:
    """What is calibrated: one contrast in many experiments, the whole analysis of one, families, a watch."""

    name: str
    measure: Measure
    judge: Judge
    adjust: Adjust = student_max_t
    adjust_mid: Adjust = mid_p
    absence: Absence = stepped_down
    watch: Watch = e_process


def judge(one: Played, plan: AnalysisPlan, guards: Sequence[Guard] = GUARDS) -> Analysis:
    """The analysis that every run gets, on one experiment."""
    acts, readable = (None if trials is None else one.table(trials) for trials in (one.acts, one.readable))
    return analyse(one.table(one.scores), plan, one.run, acts, readable, guards)


REAL = Instrument("the instrument", measure, judge)


def _split(trials: Trials) -> tuple[Trials, Ints]:
    *others, n_tasks, repeats = trials.shape
    return trials.reshape(*others, n_tasks * repeats, 1), np.arange(n_tasks * repeats)


def _repeats_as_tasks(trials: Trials, weights: Weights, _: Ints, plan: AnalysisPlan) -> Measured:
    flat, unit = _split(trials)
    return measure(flat, weights, unit, plan)


def _judge_repeats(one: Played, plan: AnalysisPlan) -> Analysis:
    flat, unit = _split(one.scores)
    acts, readable = (None if trials is None else _split(trials)[0] for trials in (one.acts, one.readable))
    return judge(replace(one, scores=flat, unit=unit, acts=acts, readable=readable), plan)


def _swapped(trials: Trials, weights: Weights, unit: Ints, plan: AnalysisPlan) -> Measured:
    return measure(trials, tuple(-weight for weight in weights), unit, plan)


def _judge_swapped(one: Played, plan: AnalysisPlan) -> Analysis:
    other = {INTACT: DAMAGED, DAMAGED: INTACT}
    return judge(replace(one, cells=tuple(other.get(cell, cell) for cell in one.cells)), plan)


def _one_sided(trials: Trials, weights: Weights, unit: Ints, plan: AnalysisPlan) -> Measured:
    """Only a loss is looked for, with the whole alpha on that side."""
    seen = measure(trials, weights, unit, plan)
    return replace(seen, p=np.where(seen.estimate > 0, seen.p / 2, 1 - seen.p / 2))


def _each_alone(p: Floats, _: Floats, __: float) -> Floats:
    """Absences are not adjusted for their family."""
    return p


def _unguarded(guard: Guard) -> Instrument:
    kept = tuple(one for one in GUARDS if one is not guard)
    return Instrument(f"without-{guard.__name__.replace('_', '-')}", measure, partial(judge, guards=kept))


UNGUARDED = tuple(
    _unguarded(guard)
    for guard in (
        content.no_content_evidence,
        content.oddity,
        content.rewording,
        content.unreadable,
        content.adherence,
        content.presence,
        content.carries_content,
        content.coherence,
    )
)
"""Each lets something else than content pass for content."""
MUTANTS: tuple[Instrument, ...] = (
    Instrument("repeats-as-tasks", _repeats_as_tasks, _judge_repeats),
    Instrument("arms-swapped", _swapped, _judge_swapped),
    Instrument("one-sided-p", _one_sided, judge),
    Instrument("absences-alone", measure, judge, absence=_each_alone),
    *UNGUARDED,
)
"""Members are listed by value; `--mutant NAME` finds them."""
