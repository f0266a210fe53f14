"""Simulated experiments in bulk, the instrument on all of them at once, and instruments wrong on purpose.

A test compares the estimators with the analysis of one table at a time. A calibration that a wrong instrument
passes is worthless.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import polars as pl

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Floats, Ints, Rng
from memtrial.analysis.behaviour.acts import Acts
from memtrial.analysis.calibration.known_participants import DAMAGED, INTACT, KnownParticipant
from memtrial.analysis.hypothesis_families import stepped_down
from memtrial.analysis.inference.interval import ends_at, p_equivalence, p_zero, quantile, unit_sample
from memtrial.analysis.inference.sign_flip import flip_test, student_max_t
from memtrial.analysis.result import Analysis
from memtrial.analysis.sequential.interim import anytime_p, log_e
from memtrial.analysis.verdicts.facts import NOTHING_KNOWN, RunFacts
from memtrial.analysis.verdicts.guards import content, obedience
from memtrial.analysis.verdicts.guards.order import GUARDS, Guard
from memtrial.outcomes.grouping import constant, with_codes
from memtrial.outcomes.outcomes import Cell, Outcomes

Trials = Floats
"""Scores, shape (n_experiments, n_cells, n_tasks, n_repeats)."""

ActsOfTrials = tuple[Trials | None, Trials | None, Trials | None]
"""Three tables of one experiment as in `Acts`."""

BACKBONE = "simulated/known"


def play(
    participant: KnownParticipant, cells: tuple[Cell, ...], n_tasks: int, repeats: int, size: int, rng: Rng
) -> Trials:
    """Scores in `size` experiments with tasks of their own, shape (size, n_cells, n_tasks, repeats)."""
    chances = _chances(participant, cells, n_tasks, size, rng)
    shape = (*chances.shape, repeats)
    if participant.steps > 1:
        scores = rng.binomial(participant.steps, chances[..., None], shape) / participant.steps
    else:
        scores = (rng.random(shape, dtype=np.float32) < chances[..., None]).astype(np.float64)
    if participant.copies:
        copied = rng.random(shape) < participant.copies
        scores = np.where(copied, scores[..., :1], scores)
    return np.asarray(scores, dtype=np.float64)


def _chances(
    participant: KnownParticipant, cells: tuple[Cell, ...], n_tasks: int, size: int, rng: Rng
) -> Floats:
    tasks = participant.tasks
    ease = tasks.low + (tasks.high - tasks.low) * rng.beta(tasks.a, tasks.b, (size, n_tasks))
    kinds = len(participant.kinds)
    kind = rng.integers(0, kinds, (size, n_tasks)) if kinds > 1 else 0
    chances = np.empty((size, len(cells), n_tasks))
    for column, cell in enumerate(cells):
        lines = [participant.line(number, cell) for number in range(kinds)]
        base, slope = np.array([line.base for line in lines]), np.array([line.slope for line in lines])
        chances[:, column] = base[kind] + slope[kind] * ease
    if participant.record_effect and INTACT in cells:
        unit = units(participant, n_tasks)
        way = rng.choice([-1.0, 1.0], (size, int(unit[-1]) + 1))
        chances[:, cells.index(INTACT)] += participant.record_effect * way[:, unit]
    return chances


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """One experiment, as an instrument gets it.

    Args:
        scores: shape (n_cells, n_tasks, n_repeats).
        acts: 1 where the agent did what the intact item advises; where it did what `counter` advises; where
            it did, or left, what the intact item says. None where no item advises.
        readable: the scores, with trials solved that were lost to unreadable replies; None where none was.
    """

    cells: tuple[Cell, ...]
    unit: Ints
    scores: Trials
    acts: ActsOfTrials = (None, None, None)
    readable: Trials | None = None
    run: RunFacts = NOTHING_KNOWN

    def table(self, trials: Trials | None) -> Outcomes:
        return _no_trials() if trials is None else outcomes(trials, self.cells, self.unit)


@cache
def _no_trials() -> Outcomes:
    return Outcomes(())


def with_replies(participant: KnownParticipant, played: Played, rng: Rng) -> Played:
    """The experiment with what the participant did as advised, and what it lost to unreadable replies."""
    readable = None
    told, other, obeyed = (
        _draw(shares, played, rng) for shares in (participant.acts, participant.others, participant.obeys)
    )
    acts = (told, other, told if obeyed is None else obeyed)
    if participant.garbled:
        lost = (played.scores < 1) & (
            rng.random(played.scores.shape) < _by_cell(participant.garbled, played.cells)
        )
        readable = np.where(lost, 1.0, played.scores)
    return replace(played, acts=acts, readable=readable)


def _draw(shares: tuple[tuple[Cell, float], ...], played: Played, rng: Rng) -> Trials | None:
    if not shares:
        return None
    return (rng.random(played.scores.shape) < _by_cell(shares, played.cells)).astype(np.float64)


def _by_cell(shares: tuple[tuple[Cell, float], ...], cells: tuple[Cell, ...]) -> Floats:
    """The share of each cell, 0 where none is named, shape (n_cells, 1, 1)."""
    return np.array([dict(shares).get(cell, 0.0) for cell in cells])[:, None, None]


def units(participant: KnownParticipant, n_tasks: int) -> Ints:
    """Unit of inference of each task: its source record, or the task itself. Shape (n_tasks,)."""
    cycle = participant.records
    rounds = -(-n_tasks // sum(cycle))
    return np.repeat(np.arange(rounds * len(cycle)), cycle * rounds)[:n_tasks]


def outcomes(trials: Trials, cells: tuple[Cell, ...], unit: Ints) -> Outcomes:
    """One experiment, shape (n_cells, n_tasks, repeats), as a table; clusters where units hold several."""
    cell, task, repeat = (index.reshape(-1) for index in np.indices(trials.shape))
    arms, conditions = (_enumerate(names) for names in zip(*cells, strict=True))
    own = len(np.unique(unit)) == trials.shape[1]
    named = _enumerate([f"task {number:04}" for number in range(trials.shape[1])])
    records = _enumerate(["" if own else f"record {number:04}" for number in unit.tolist()])
    columns = {
        "backbone": constant(BACKBONE, trials.size),
        "arm": arms.gather(cell),
        "condition": conditions.gather(cell),
        "task": named.gather(task),
        "cluster": records.gather(task),
        "repeat": repeat,
        "score": trials.reshape(-1),
    }
    return Outcomes(pl.DataFrame(columns))


def _enumerate(names: Sequence[str]) -> pl.Series:
    return with_codes(pl.Series(names))


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredContrast:
    """One contrast in many experiments, shape (n_experiments,) each: mean, 1 - alpha interval, p-values."""

    estimate: Floats
    low: Floats
    high: Floats
    p: Floats
    p_equivalence: Floats


Measure = Callable[[Trials, tuple[float, ...], Ints, AnalysisPlan], MeasuredContrast]
"""Trials, the weight of each cell, the unit of each task (from 0), the rules → what is measured."""


def measure(trials: Trials, weights: tuple[float, ...], unit: Ints, plan: AnalysisPlan) -> MeasuredContrast:
    """Estimate one linear contrast in every experiment: a `Measure`."""
    contrasts = np.einsum("ecn,c->ne", trials.mean(axis=3), np.asarray(weights))
    bounds = sum(min(weight, 0.0) for weight in weights), sum(max(weight, 0.0) for weight in weights)
    sample = unit_sample(contrasts, unit, trials.shape[3], bounds)
    low, high = ends_at(sample, quantile(sample.freedom, plan.rules.alpha))
    return MeasuredContrast(sample.mean, low, high, p_zero(sample), p_equivalence(sample, plan.rules.margin))


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


def judge(played: Played, plan: AnalysisPlan, guards: Sequence[Guard] = GUARDS) -> Analysis:
    """The analysis that every run gets, on one experiment."""
    told, other, obeyed = played.acts
    told_table = played.table(told)
    acts = Acts(told_table, played.table(other), told_table if obeyed is told else played.table(obeyed))
    readable = None if played.readable is None else played.table(played.readable)
    return analyse(played.table(played.scores), plan, played.run, acts, readable, guards)


REAL = Instrument("the instrument", measure, judge)


def _split(trials: Trials) -> tuple[Trials, Ints]:
    *others, n_tasks, repeats = trials.shape
    return trials.reshape(*others, n_tasks * repeats, 1), np.arange(n_tasks * repeats)


def _repeats_as_tasks(trials: Trials, weights: Weights, _: Ints, plan: AnalysisPlan) -> MeasuredContrast:
    flat, unit = _split(trials)
    return measure(flat, weights, unit, plan)


def _judge_repeats(played: Played, plan: AnalysisPlan) -> Analysis:
    flat, unit = _split(played.scores)
    told, other, obeyed, readable = (
        None if trials is None else _split(trials)[0] for trials in (*played.acts, played.readable)
    )
    acts = (told, other, obeyed)
    return judge(replace(played, scores=flat, unit=unit, acts=acts, readable=readable), plan)


def _measure_swapped(trials: Trials, weights: Weights, unit: Ints, plan: AnalysisPlan) -> MeasuredContrast:
    return measure(trials, tuple(-weight for weight in weights), unit, plan)


def _judge_swapped(played: Played, plan: AnalysisPlan) -> Analysis:
    other = {INTACT: DAMAGED, DAMAGED: INTACT}
    return judge(replace(played, cells=tuple(other.get(cell, cell) for cell in played.cells)), plan)


def _one_sided(trials: Trials, weights: Weights, unit: Ints, plan: AnalysisPlan) -> MeasuredContrast:
    """Only a loss is looked for, with the whole alpha on that side."""
    seen = measure(trials, weights, unit, plan)
    return replace(seen, p=np.where(seen.estimate > 0, seen.p / 2, 1 - seen.p / 2))


def _each_alone(p: Floats, _: Floats, __: float) -> Floats:
    """Absences are not adjusted for their family."""
    return p


def _without_guard(guard: Guard) -> Instrument:
    kept = tuple(other for other in GUARDS if other is not guard)
    return Instrument(f"without-{guard.__name__.replace('_', '-')}", measure, partial(judge, guards=kept))


UNGUARDED = tuple(
    _without_guard(guard)
    for guard in (
        content.no_content_evidence,
        content.oddity,
        content.check_rewording,
        content.unreadable,
        obedience.both_halves,
        obedience.adherence,
        content.presence,
        content.carries_content,
        content.coherence,
    )
)
"""Each lets something else than content pass for content."""
MUTANTS: tuple[Instrument, ...] = (
    Instrument("repeats-as-tasks", _repeats_as_tasks, _judge_repeats),
    Instrument("arms-swapped", _measure_swapped, _judge_swapped),
    Instrument("one-sided-p", _one_sided, judge),
    Instrument("absences-alone", measure, judge, absence=_each_alone),
    *UNGUARDED,
)
"""Members are listed by value; `--mutant NAME` finds them."""
