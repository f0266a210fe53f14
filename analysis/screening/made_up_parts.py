"""Made-up files of which the effect of every part is set: what the two stages find in them, by simulation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Rng
from memtrial.analysis.screening.half_fractions import draw_halves, lay_out_few
from memtrial.analysis.screening.part_confirmation import confirm
from memtrial.analysis.screening.part_screening import ScreeningRules, choose, screen
from memtrial.analysis.screening.part_words import JudgedPart, judge
from memtrial.analysis.screening.stage_sizes import StageSizes
from memtrial.analysis_rules import AnalysisRules


@dataclass(frozen=True, slots=True, eq=False)
class MadeUpParts:
    """How tasks answer to what stands in the file; chances add up and none leaves [0, 1].

    Args:
        effects: of each part on the chance of success in each task, shape (n_tasks, n_parts).
        ease: chance of success of a task where nothing stands that changes it, shape (n_tasks,).
    """

    effects: Floats
    ease: Floats

    def chance(self, standing: Bools) -> Floats:
        """Of success, by what stands, shape (n_tasks, ..., n_parts)."""
        add = np.einsum("i...k,ik->i...", standing.astype(np.float64), self.effects)
        chances: Floats = np.clip(self.ease.reshape(-1, *(1,) * (add.ndim - 1)) + add, 0.0, 1.0)
        return chances


def make_up_parts(
    n_tasks: int, means: Sequence[float], spread: float, rng: Rng, base: float = 0.4, icc: float = 0.5
) -> MadeUpParts:
    """Tasks in which a part's effect is its mean plus or minus `spread`, each in half of the tasks.

    Args:
        means: effect of each part.
        base, icc: of the ease, Beta distributed over what the effects leave of [0, 1].
    """
    centre = np.asarray(means, dtype=np.float64)
    effects = np.empty((n_tasks, len(centre)))
    for part, mean in enumerate(centre):
        ways = np.where(np.arange(n_tasks) % 2, 1.0, -1.0)
        effects[:, part] = mean + spread * rng.permutation(ways) * (mean != 0)
    size = 1 / icc - 1
    least = np.minimum(effects, 0.0).sum(axis=1)
    room = 1 - np.maximum(effects, 0.0).sum(axis=1) + least
    ease = -least + room * rng.beta(base * size, (1 - base) * size, size=n_tasks)
    return MadeUpParts(effects, ease)


def play_stages(
    tasks: MadeUpParts, size: StageSizes, screening: ScreeningRules, rules: AnalysisRules, rng: Rng
) -> tuple[JudgedPart, ...]:
    """Screen, choose, confirm and judge one made-up experiment, with as many trials as a real one has."""
    n_tasks, n_parts = tasks.effects.shape

    def draw(texts: Bools, repeats: int) -> Floats:
        scores: Floats = rng.binomial(repeats, tasks.chance(texts)) / repeats
        return scores

    screened, few = None, tuple(range(n_parts))
    if n_parts > screening.most:
        halves = draw_halves(n_tasks, size.pairs, n_parts, rng)
        screened = screen(halves, draw(np.stack([halves, ~halves], axis=2), size.repeats))
        if screened is None:
            raise ValueError("too few pairs to tell the parts apart")
        few = choose(screened, screening)
    family = min(screening.most, n_parts)
    if not few:
        return judge(screened, {}, family, room=True, rules=rules)
    first, repeats = lay_out_few(len(few)), size.fresh_repeats(len(few))
    texts = np.ones((n_tasks, len(first), 2, n_parts), dtype=np.bool_)
    texts[..., 0, list(few)], texts[..., 1, list(few)] = first, ~first
    scores = draw(texts, repeats)
    confirmed = dict(zip(few, confirm(first, scores, repeats, family, rules), strict=True))
    room = float(scores[:, 0, 0].mean()) > 2 * rules.margin
    return judge(screened, confirmed, family, room, rules)
