"""Effects that cancel between tasks: a mean drop near zero is no absence of effect where they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Bools, Floats, Ints, Rng
from memtrial.analysis.behaviour.relabelled_tasks import permute, relabel
from memtrial.analysis.drawn_p import state_p

Weighted = tuple[float, Floats]
"""Weight of a cell, and its scores, shape (n_tasks, repeats); NaN for a trial that is missing or an error."""

_MOST_DRAWS = 1_999  # the p-value is only held against alpha


@dataclass(frozen=True, slots=True)
class Cancellation:
    """Whether an effect differs between tasks.

    Args:
        p: of the hypothesis that every task has the same effect; None where no task has two trials a cell.
        spread_sd: standard deviation of the effect between tasks, in points of score; None without p.
        mean_abs_high: upper end of the 1 - alpha interval for the mean size of the effect, whichever its
            sign; None with fewer than two units.
        n_tasks: tasks on which p rests.
        verdict: `ruled out`: effects of the margin's size are excluded even without their sign; `present`:
            they differ between tasks; `not above chance`: no more than repeats of one cell do.
        reason: one sentence.
    """

    p: float | None
    spread_sd: float | None
    mean_abs_high: float | None
    n_tasks: int
    verdict: Literal["ruled out", "not above chance", "present", "not measurable"]
    reason: str


def cancellation(cells: Sequence[Weighted], units: Ints, plan: AnalysisPlan, rng: Rng) -> Cancellation:
    """Test whether a contrast varies between tasks, and bound its mean size.

    Per task (d - mean d)^2 n/(n-1) - w, where w is the variance of d estimated from the repeats of its
    cells: its mean is the variance of the effect between tasks, whatever the effect's mean and however the
    variances differ. It is divided by its standard error.

    Of two cells, the figure is compared with the same one after labels were permuted inside each task: exact
    where damage does nothing at all, and right in large samples where it does the same everywhere (a drop
    changes the variance of a binary score, which the figure without its standard error would take for
    heterogeneity, or hide it). In a contrast of four cells no relabelling leaves the common difference alone,
    so it is held against Student's t, one-sided. That errs on the safe side: .02 to .04 false alarms at .05
    for 30 to 185 tasks, 2 to 5 repeats, base rates .5 to .95 (1,000 tables each).

    The bound needs no repeats: E|d| is at least the mean size of the effect. Of two cells with repeats,
    d^2 - w bounds the mean square as well, and the smaller of the two bounds counts.

    Args:
        cells: each cell of the contrast once, all on the same tasks; of two, weight 1 before weight -1.
        units: index of the unit (task or cluster) of each task, shape (n_tasks,), over which the bound goes.
        plan: margin, alpha and number of relabellings. With several draws, trials of one repeat share a
            bank: labels then trade places inside these pairs alone, and w is the variance of the repeats'
            contrasts.

    Source: STATISTICS 0c.3; studentised permutation: Janssen 1997, Chung & Romano 2013.
    """
    paired, two = plan.draws > 1, len(cells) == 2
    if paired and two:  # a trial whose partner is missing tells nothing
        lacking = np.any([np.isnan(scores) for _, scores in cells], axis=0)
        cells = [(w, np.where(lacking, np.nan, scores)) for w, scores in cells]
    known = np.all([(~np.isnan(scores)).any(axis=1) for _, scores in cells], axis=0)
    cells, units = [(w, scores[known]) for w, scores in cells], units[known]
    if len(np.unique(units)) < 2:
        return _judge_spread(None, None, None, 0, plan)
    draws = min(plan.rules.flips, _MOST_DRAWS) if two else 0
    reach = max(sum(w for w, _ in cells if w > 0), -sum(w for w, _ in cells if w < 0))
    d = np.sum([w * np.nanmean(scores, axis=1) for w, scores in cells], axis=0)
    high = _mean_high(np.abs(d) / reach, units, plan.rules.alpha) * reach
    noise, repeated = _noise(cells, paired)
    if two and repeated.all():
        high = min(high, sqrt(max(0.0, _mean_high(d**2 - noise, units, plan.rules.alpha))))
    n = int(repeated.sum())
    if n < 2:
        return _judge_spread(None, None, high, n, plan)
    if two:
        groups = relabel(cells[0][1][repeated], cells[1][1][repeated], rng, paired)
        p, variance = permute(groups, n, draws, rng)
    else:
        p, variance = _against_t(d[repeated], noise[repeated])
    return _judge_spread(p, sqrt(max(0.0, variance)), high, n, plan, draws)


def _judge_spread(
    p: float | None, spread: float | None, high: float | None, n: int, plan: AnalysisPlan, draws: int = 0
) -> Cancellation:
    """The verdict on a test of spread, and its sentence; `draws`: on which p rests, 0 of Student's t."""
    if high is not None and high < plan.rules.margin:
        bound = f"effects average at most {high:.3f} in size, whichever their sign"
        return Cancellation(
            p, spread, high, n, "ruled out", f"{bound}, which is under {plan.rules.margin:.2f}"
        )
    if p is None:
        reason = (
            "whether effects cancel between tasks cannot be measured: at least two tasks with two trials "
            "in each of the two cells are needed"
        )
        return Cancellation(p, spread, high, n, "not measurable", reason)
    figures = f"(standard deviation {spread:.2f}, {state_p(p, draws) if draws else f'p = {p:.3g}'})"
    if p <= plan.rules.alpha:
        reason = f"effects differ between tasks {figures}, so that a mean near zero may hide gains and losses"
        return Cancellation(p, spread, high, n, "present", f"{reason} that cancel")
    left = "" if high is None else f"; that they average up to {high:.2f} in size is not excluded"
    reason = f"effects differ between tasks by no more than repeats of one cell do {figures}{left}"
    return Cancellation(p, spread, high, n, "not above chance", reason)


def _noise(cells: Sequence[Weighted], paired: bool) -> tuple[Floats, Bools]:
    """Variance of each task's contrast over its repeats, and the tasks that have two of them."""
    if paired:
        cells = ((1.0, np.sum([w * scores for w, scores in cells], axis=0)),)
    repeated = np.all([(~np.isnan(scores)).sum(axis=1) > 1 for _, scores in cells], axis=0)
    total = np.zeros(len(repeated))
    for w, scores in cells:
        rows = scores[repeated]
        total[repeated] += w**2 * np.nanvar(rows, axis=1, ddof=1) / (~np.isnan(rows)).sum(axis=1)
    return total, np.asarray(repeated)


def _against_t(d: Floats, noise: Floats) -> tuple[float, float]:
    """One-sided p of the studentised variance between tasks, and the variance itself."""
    from scipy.special import stdtr  # what `scipy.stats.t` calls, at a tenth of its time

    n = len(d)
    each = (d - d.mean()) ** 2 * (n / (n - 1)) - noise
    variance, error = float(each.mean()), float(each.std(ddof=1)) / sqrt(n)
    p = float(stdtr(n - 1, -variance / error)) if error > 1e-12 else float(variance <= 1e-12)
    return p, variance


def _mean_high(values: Floats, units: Ints, alpha: float) -> float:
    """Upper end for the mean of values of at most 1, with two pseudo tasks, 0 and 1, each a unit of its own.

    They take the place of the +1/R and -1/R of the primary interval: sizes have one sign, and none seen in n
    tasks does not exclude a rare one of size 1.
    """
    from scipy.special import stdtrit

    labels, unit = np.unique(units, return_inverse=True)
    size = np.append(np.bincount(unit, minlength=len(labels)), [1.0, 1.0])
    sums = np.append(np.bincount(unit, weights=values, minlength=len(labels)), [0.0, 1.0])
    n_units, total = len(size), size.sum()
    mean = sums.sum() / total
    rest = sums - size * mean
    error = sqrt(n_units / (n_units - 1) * float((rest**2).sum())) / total
    return float(mean + stdtrit(n_units - 1, 1 - alpha / 2) * error)
