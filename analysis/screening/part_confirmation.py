"""The confirmation: the few parts that were chosen, on fresh trials in which all others stand."""

from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Bools, Floats
from memtrial.analysis.inference.interval import p_equivalence, p_zero, t_interval, unit_sample
from memtrial.analysis_rules import AnalysisRules

FEWEST_TASKS = 2


@dataclass(frozen=True, slots=True)
class ConfirmedPart:
    """What a part adds.

    Args:
        effect: the score where it stands less that where it does not, mean over tasks and over the texts of
            the other few.
        low, high: with 1 - alpha for all that may be chosen at once (Bonferroni).
        p, p_equivalence: of this part alone, against no effect, and against one at or beyond the margin.
    """

    effect: float
    low: float
    high: float
    p: float
    p_equivalence: float


def confirm(
    first: Bools, scores: Floats, repeats: int, family: int, rules: AnalysisRules
) -> tuple[ConfirmedPart, ...]:
    """Test each part of the few, paired by task, by Student's t.

    Every trial tells of every part, so that one part more costs no trials. The whole file against the file
    without one part would take twice as many (`bench/part_trials.py`), and of two parts that say the same it
    would call either useless.

    Args:
        first: which of them stand in the first text of each pair, shape (n_pairs, n_few), from
            `lay_out_few`; the second is the mirror of it.
        scores: mean of each text in each task, shape (n_tasks, n_pairs, 2); NaN where none was scored.
        repeats: trials behind each.
        family: how many parts may be chosen.

    Returns:
        one a part; none where fewer than two tasks were played whole.
    """
    signs = np.where(first, 1.0, -1.0)
    apart = scores[..., 0] - scores[..., 1]
    apart = apart[~np.isnan(apart).any(axis=1)]
    if len(apart) < FEWEST_TASKS:
        return ()
    units, confirmed = np.arange(len(apart)), []
    for column in (apart @ signs / len(signs)).T:
        sample = unit_sample(column, units, repeats * len(signs), (-1.0, 1.0))
        low, high = t_interval(sample, rules.alpha / family)
        equal = float(p_equivalence(sample, rules.margin))
        confirmed.append(ConfirmedPart(float(sample.mean), low, high, float(p_zero(sample)), equal))
    return tuple(confirmed)
