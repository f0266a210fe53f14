"""The bench: participants play many experiments of a set size, and an instrument measures each of them."""

from dataclasses import dataclass, fields, replace
from functools import lru_cache

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Bools, Floats, Rng
from memtrial.analysis.calibration.experiments import (
    Instrument,
    MeasuredContrast,
    Played,
    play,
    units,
    with_replies,
)
from memtrial.analysis.calibration.known_participants import (
    CONTROL,
    DAMAGE,
    DROP,
    MEMORY,
    KnownParticipant,
    TrueContrast,
    truth,
)
from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.verdicts.facts import NOTHING_KNOWN, RunFacts
from memtrial.ledger.random_streams import named_generator
from memtrial.outcomes.outcomes import WITHOUT, Cell

RULES = AnalysisPlan((CONTROL, MEMORY), (DAMAGE,), positive_control=None)
"""The rules by which one contrast is measured, with the margin and the alpha of every run."""
_SCORES_AT_ONCE = 4_000_000
SHARE_KNOWN = 5
"""A run with all its conditions is judged so many times less often: its analysis takes longer."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The size of one experiment."""

    tasks: int
    repeats: int

    def __str__(self) -> str:
        return f"{self.tasks} tasks x {self.repeats}"


@dataclass(frozen=True, slots=True)
class Effort:
    """How many experiments: for a check of one contrast, of a family, of verdicts; and of which sizes."""

    name: str
    experiments: int
    families: int
    judged: int
    flips: int
    settings: tuple[Setting, ...]


FEWEST = Setting(4, 1)
TINY, SMALL, MIDDLE, LARGE = Setting(12, 1), Setting(30, 1), Setting(60, 3), Setting(100, 3)
LOOKED_AT, LOOKS = Setting(150, 3), 5
"""Size of a run that is looked at before its end, and how often."""
_SIZES = (TINY, Setting(20, 3), SMALL, MIDDLE, Setting(100, 1), Setting(100, 5), Setting(200, 3))
FAST = Effort("fast", 4_000, 2_000, 100, 499, (SMALL, MIDDLE))
FULL = Effort("full", 10_000, 4_000, 600, 999, _SIZES)


@dataclass(frozen=True, slots=True)
class Bench:
    """An instrument, how much it is tried, and the seed of every experiment."""

    instrument: Instrument
    effort: Effort
    seed: int = 0

    @property
    def plan(self) -> AnalysisPlan:
        return replace(RULES, rules=replace(RULES.rules, flips=self.effort.flips, seed=self.seed))

    def rng(self, *question: object) -> Rng:
        """The stream of one question, so that no question shifts another's."""
        return named_generator(self.seed, repr(question))


@dataclass(frozen=True, slots=True)
class ContrastCase:
    """One contrast of one participant, at one size; with `by_task`, units are tasks whatever they share."""

    who: KnownParticipant
    contrast: Contrast
    setting: Setting
    by_task: bool = False

    def __str__(self) -> str:
        return f"{self.who.name}, {self.contrast.estimand}, {self.setting}"

    @property
    def true(self) -> TrueContrast:
        """What the contrast really is. Raises ValueError where repeats or tasks depend on each other."""
        return truth(self.who, self.contrast.weights)


@lru_cache(maxsize=64)
def measure_case(bench: Bench, case: ContrastCase) -> MeasuredContrast:
    """The case in many experiments; several checks read one of them."""
    who, setting = case.who, case.setting
    cells, weights = zip(*case.contrast.weights, strict=True)
    unit = np.arange(setting.tasks) if case.by_task else units(who, setting.tasks)
    rng = bench.rng(who.name, case.contrast.estimand, case.contrast.share, str(setting))
    at_once = max(1, _SCORES_AT_ONCE // (len(cells) * setting.tasks * setting.repeats))
    parts = []
    for start in range(0, bench.effort.experiments, at_once):
        size = min(at_once, bench.effort.experiments - start)
        trials = play(who, cells, setting.tasks, setting.repeats, size, rng)
        parts.append(bench.instrument.measure(trials, weights, unit, bench.plan))
    return MeasuredContrast(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(MeasuredContrast))
    )


@lru_cache(maxsize=8)
def family_p(
    bench: Bench,
    who: KnownParticipant,
    family: tuple[Contrast, ...],
    setting: Setting = MIDDLE,
    mid: bool = False,
) -> Floats:
    """Adjusted p-values of the family, or mid-p, shape (n_experiments, n_contrasts)."""
    cells, weights = _weights(family)
    rng = bench.rng("family", who.name, *(() if setting == MIDDLE else (str(setting),)))
    trials = play(who, cells, setting.tasks, setting.repeats, bench.effort.families, rng)
    contrasts = np.einsum("ecn,cf->enf", trials.mean(axis=3), weights)
    adjust = bench.instrument.adjust_mid if mid else bench.instrument.adjust
    return np.array(
        [adjust(column, units(who, setting.tasks), bench.plan.rules.flips, rng) for column in contrasts]
    )


@lru_cache(maxsize=8)
def family_absence(
    bench: Bench, who: KnownParticipant, family: tuple[Contrast, ...], setting: Setting
) -> Floats:
    """Adjusted p-values of equivalence in each experiment, shape (n_experiments, n_contrasts)."""
    cells, weights = _weights(family)
    rng = bench.rng("absences", who.name, len(family))
    trials = play(who, cells, setting.tasks, setting.repeats, bench.effort.families, rng)
    unit = np.arange(setting.tasks)
    seen = [
        bench.instrument.measure(trials, tuple(column), unit, bench.plan) for column in weights.T.tolist()
    ]
    alone = np.column_stack([result.p_equivalence for result in seen])
    df = np.full(len(family), setting.tasks - 1.0)
    return np.array([bench.instrument.absence(p, df, RULES.rules.alpha) for p in alone])


def _weights(family: tuple[Contrast, ...]) -> tuple[tuple[Cell, ...], Floats]:
    """The cells of a family, and the weight of each in each contrast, shape (n_cells, n_contrasts)."""
    cells = tuple(dict.fromkeys(cell for contrast in family for cell, _ in contrast.weights))
    return cells, np.array([[dict(contrast.weights).get(cell, 0.0) for contrast in family] for cell in cells])


@lru_cache(maxsize=8)
def path(bench: Bench, who: KnownParticipant) -> tuple[Floats, Bools]:
    """|z| of the drop at each look, shape (n_experiments, n_looks); whether the e-process ever fires."""
    from scipy.stats import norm, t

    cells, weights = zip(*DROP.weights, strict=True)
    rng = bench.rng("looks", who.name)
    trials = play(who, cells, LOOKED_AT.tasks, LOOKED_AT.repeats, bench.effort.families, rng)
    drops = np.einsum("ecn,c->en", trials.mean(axis=3), np.array(weights))
    z = []
    for look in range(1, LOOKS + 1):
        n = LOOKED_AT.tasks * look // LOOKS
        so_far = drops[:, :n]
        spread = so_far.std(axis=1, ddof=1)
        score = np.abs(so_far.mean(axis=1)) / np.where(spread > 0, spread, np.inf) * np.sqrt(n)
        z.append(norm.isf(t.sf(score, n - 1)))
    ever = np.array([bench.instrument.watch(drop) <= RULES.rules.alpha for drop in drops])
    return np.column_stack(z), ever


@dataclass(frozen=True, slots=True)
class Stage:
    """What a participant is shown for its verdicts; the drops of two arms are compared.

    `known`: a run whose texts are known, and none as fluent as a rewording; else scores for no text.
    """

    who: KnownParticipant
    conditions: tuple[str, ...] = (DAMAGE,)
    arms: tuple[str, ...] = (MEMORY,)
    known: bool = False

    @property
    def cells(self) -> tuple[Cell, ...]:
        return (WITHOUT, *((arm, name) for arm in self.arms for name in ("intact", *self.conditions)))

    def __str__(self) -> str:
        return self.who.name


Said = frozenset[tuple[str, str, str]]
"""Estimand, condition and verdict of every row of an analysis."""


@lru_cache(maxsize=32)
def judge_stage(bench: Bench, stage: Stage) -> tuple[Said, ...]:
    """What the whole analysis says of each experiment."""
    rng = bench.rng("verdicts", stage.who.name)
    size = max(1, bench.effort.judged // (SHARE_KNOWN if stage.known else 1))
    trials = play(stage.who, stage.cells, LARGE.tasks, LARGE.repeats, size, rng)
    run = RunFacts(fluent=frozenset()) if stage.known else NOTHING_KNOWN
    plan = replace(bench.plan, arms=stage.arms, conditions=stage.conditions)
    plan = replace(plan, pairs=(stage.arms,) if len(stage.arms) == 2 else ())
    verdicts = []
    for played_trials in trials:
        played = with_replies(
            stage.who, Played(stage.cells, units(stage.who, LARGE.tasks), played_trials, run=run), rng
        )
        drawn = replace(plan, rules=replace(plan.rules, seed=int(rng.integers(2**31))))
        rows = bench.instrument.judge(played, drawn).estimates
        verdicts.append(frozenset((row.estimand, row.condition, row.verdict) for row in rows))
    return tuple(verdicts)
