"""Estimands: linear contrasts of task x cell means, one number a task."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadbearing.analysis.arrays import Floats
from loadbearing.outcomes.outcomes import WITHOUT, Cell, CellTable, Outcomes

Estimand = Literal[
    "utility",
    "drop",
    "contrast",
    "retention",
    "content",
    "beyond placebo",
    "instructed",
    "dose",
    "factorial",
    "follow",
]
Weights = tuple[tuple[Cell, float], ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A weighted sum of cells whose weights add up to zero.

    Args:
        estimand: utility (intact - without), drop (intact - perturbed), contrast of two drops, or one of
            secondary.py.
        arm: for a contrast the treatment.
        versus: arm `none` for a utility, `intact` for a drop, the control arm for a contrast.
        condition: `without` for a utility, else the perturbation.
        weights: each cell once, none with weight zero.
        share: retention only: the share of the utility that the drop is compared with.
    """

    estimand: Estimand
    arm: str
    versus: str
    condition: str
    weights: Weights
    share: float | None = None

    def per_task(self, table: CellTable) -> Floats:
        """The contrast of each task, shape (n_tasks,); NaN where one of its cells has no score."""
        total = np.zeros(len(table.tasks))
        for cell, weight in self.weights:
            total = total + weight * table.mean(cell)
        return total

    def per_repeat(self, table: CellTable) -> Floats:
        """The contrast of each task in each repeat, shape (n_tasks, n_repeats); NaN without a score."""
        total = np.zeros((len(table.tasks), table.repeats))
        for cell, weight in self.weights:
            total = total + weight * table.scores(cell)
        return total

    def repeats(self, table: CellTable) -> int:
        """Trials per cell on a typical task, at least 1: the median over tasks, of the cell with fewest."""
        tasks = ~np.isnan(self.per_task(table))
        if not tasks.any():
            return 1
        rows = (table.trials[tasks, table.cells.index(cell)] for cell, _ in self.weights)
        return max(1, int(min(float(np.median(one)) for one in rows)))

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible contrast of one task, with scores in [0, 1]."""
        weights = [weight for _, weight in self.weights]
        return sum(min(w, 0.0) for w in weights), sum(max(w, 0.0) for w in weights)

    def errors(self, table: CellTable) -> int:
        """Number of infrastructure errors among the trials of this contrast's cells."""
        played = [table.cells.index(cell) for cell, _ in self.weights if cell in table.cells]
        return int(table.errors[:, played].sum())

    def worst_case(self, table: CellTable) -> tuple[float, float] | None:
        """The lowest and the highest estimate if each error is scored 0 or 1; None without a common task."""
        low, high = np.zeros(len(table.tasks)), np.zeros(len(table.tasks))
        for cell, weight in self.weights:
            least, most = table.bounds(cell)
            low = low + weight * (least if weight > 0 else most)
            high = high + weight * (most if weight > 0 else least)
        known = ~np.isnan(low)
        return (float(low[known].mean()), float(high[known].mean())) if known.any() else None


def utility(arm: str) -> Contrast:
    """What the arm's memory adds to an agent without any."""
    return Contrast("utility", arm, WITHOUT[0], WITHOUT[1], net(((arm, "intact"), 1), (WITHOUT, -1)))


def drop(arm: str, condition: str) -> Contrast:
    """What the score loses when the arm's memory is damaged.

    Source: faithfulness as causal dependence, arXiv 2601.22436, section 3.
    """
    return Contrast("drop", arm, "intact", condition, drop_weights(arm, condition, 1))


def drops_apart(treatment: str, control: str, condition: str) -> Contrast:
    """The treatment's drop minus the control's, for each task."""
    weights = net(*drop_weights(treatment, condition, 1), *drop_weights(control, condition, -1))
    return Contrast("contrast", treatment, control, condition, weights)


def same_text(outcomes: Outcomes, backbone: str, contrast: Contrast) -> float | None:
    """Share of tasks on which both arms showed the same damaged text; None if no task has both texts.

    On such tasks the damaged cells are alike, so the contrast only compares the two utilities.
    """
    if contrast.condition == WITHOUT[1]:
        return 1.0  # both arms showed nothing
    treated = outcomes.slots(backbone, (contrast.arm, contrast.condition))
    control = outcomes.slots(backbone, (contrast.versus, contrast.condition))
    both = treated.keys() & control.keys()
    return sum(treated[task] == control[task] for task in both) / len(both) if both else None


def drop_weights(arm: str, condition: str, sign: float) -> Weights:
    """The weighted cells of a drop, times `sign`."""
    damaged = WITHOUT if condition == WITHOUT[1] else (arm, condition)
    return (((arm, "intact"), sign), (damaged, -sign))


def net(*terms: tuple[Cell, float]) -> Weights:
    """Sum the weights of each cell, and leave out cells whose weights cancel."""
    total: dict[Cell, float] = {}
    for cell, weight in terms:
        total[cell] = total.get(cell, 0) + weight
    return tuple((cell, weight) for cell, weight in total.items() if weight)
