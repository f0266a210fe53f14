"""The words of parts: what matters is shown on fresh trials, what can go is shown to change nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from memtrial.analysis.arrays import Floats
from memtrial.analysis.screening.part_confirmation import ConfirmedPart
from memtrial.analysis.screening.part_screening import ScreenedParts
from memtrial.analysis_rules import AnalysisRules

PartWord = Literal["helps", "harms", "can go", "not settled"]
Stage = Literal["screening", "confirmation"]
STAGES = 2
"""Both may call a part one that can go, and share its error rate."""


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """One part of the file and what is known of it.

    Args:
        stage: whose trials tell; `confirmation` of those that were chosen alone.
        low, high: with 1 - alpha for all parts at once that its stage may tell of.
        p: adjusted for all that may be chosen; 1 of a part that was not.
        p_equivalence: adjusted for all parts and both stages.
    """

    stage: Stage
    effect: float
    low: float
    high: float
    p: float
    p_equivalence: float
    word: PartWord


def judge(
    screened: ScreenedParts | None,
    confirmed: Mapping[int, ConfirmedPart],
    family: int,
    room: bool,
    rules: AnalysisRules,
) -> tuple[JudgedPart, ...]:
    """A word for each part, in the order of the file.

    `helps` and `harms` keep their error over as many parts as may be chosen, a number that is fixed before
    the first trial, by Holm's steps; where fewer were chosen the others count as tested. `can go` keeps its
    own error over all parts, each counted twice, as it may have been tested in both stages. A part that helps
    or harms by less than the margin is called by that.

    Args:
        screened: None where there were so few parts that all were confirmed.
        confirmed: by number of the part, from 0.
        family: how many parts may be chosen.
        room: the score with the whole file is high enough to fall by more than twice the margin; where it is
            not, nothing is shown to be of no use.
    """
    n_parts = len(confirmed) if screened is None else len(screened.effect)
    alone = np.ones(n_parts) if screened is None else screened.p_equivalence(rules.margin)
    for part, fresh in confirmed.items():
        alone[part] = fresh.p_equivalence
    equal = step_down(STAGES * alone)
    spare = [1.0] * (family - len(confirmed))
    adjusted = step_down([*(fresh.p for fresh in confirmed.values()), *spare])
    tested = dict(zip(confirmed, adjusted.tolist(), strict=False))
    judged = []
    for part in range(n_parts):
        absent, p = bool(equal[part] <= rules.alpha) and room, tested.get(part, 1.0)
        if part in confirmed:
            fresh = confirmed[part]
            stage: Stage = "confirmation"
            effect, low, high = fresh.effect, fresh.low, fresh.high
        else:
            assert screened is not None
            stage, effect = "screening", float(screened.effect[part])
            low, high = screened.interval(part, rules.alpha / n_parts)
        word: PartWord = "can go" if absent else "not settled"
        if p <= rules.alpha:
            word = "helps" if effect > 0 else "harms"
        judged.append(JudgedPart(stage, effect, low, high, p, float(equal[part]), word))
    return tuple(judged)


def step_down(p: Floats | Sequence[float]) -> Floats:
    """Holm's adjusted p-values. Source: Holm 1979."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    left = np.arange(len(values), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * left), 1.0)
    return adjusted
