"""Estimands: linear contrasts of task x cell means, one number a task."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memtrial.outcomes.outcomes import WITHOUT, Cell, CellTable, Outcomes
from memtrial.outcomes.reserved_names import INSTRUCTED

if TYPE_CHECKING:
    from memtrial.analysis.arrays import Floats

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
    "follow other",
    "polarity",
    "named",
    "mention",
]
Weights = tuple[tuple[Cell, float], ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A weighted sum of cells whose weights add up to zero.

    Args:
        estimand: utility (intact - without), drop (intact - perturbed), contrast of two drops, or one of
            those below.
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
        import numpy as np

        total = np.zeros(len(table.tasks))
        for cell, weight in self.weights:
            total = total + weight * table.mean(cell)
        return total

    def per_repeat(self, table: CellTable) -> Floats:
        """The contrast of each task in each repeat, shape (n_tasks, n_repeats); NaN without a score."""
        import numpy as np

        total = np.zeros((len(table.tasks), table.repeats))
        for cell, weight in self.weights:
            total = total + weight * table.scores(cell)
        return total

    def repeats(self, table: CellTable) -> int:
        """Trials per cell on a typical task, at least 1: the median over tasks, of the cell with fewest."""
        import numpy as np

        tasks = ~np.isnan(self.per_task(table))
        if not tasks.any():
            return 1
        rows = (table.trials[tasks, table.cells.index(cell)] for cell, _ in self.weights)
        return max(1, int(min(float(np.median(counts)) for counts in rows)))

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
        import numpy as np

        low, high = np.zeros(len(table.tasks)), np.zeros(len(table.tasks))
        for cell, weight in self.weights:
            least, most = table.bounds(cell)
            low = low + weight * (least if weight > 0 else most)
            high = high + weight * (most if weight > 0 else least)
        known = ~np.isnan(low)
        return (float(low[known].mean()), float(high[known].mean())) if known.any() else None


def utility(arm: str) -> Contrast:
    """What the arm's memory adds to an agent without any."""
    return Contrast("utility", arm, WITHOUT[0], WITHOUT[1], sum_weights(((arm, "intact"), 1), (WITHOUT, -1)))


def drop(arm: str, condition: str) -> Contrast:
    """What the score loses when the arm's memory is damaged.

    Source: faithfulness as causal dependence, arXiv 2601.22436, section 3.
    """
    return Contrast("drop", arm, "intact", condition, drop_weights(arm, condition, 1))


def drops_apart(treatment: str, control: str, condition: str) -> Contrast:
    """The treatment's drop minus the control's, for each task."""
    return _apart("contrast", drop(treatment, condition), drop(control, condition))


def _apart(estimand: Estimand, first: Contrast, second: Contrast) -> Contrast:
    weights = sum_weights(*first.weights, *((cell, -weight) for cell, weight in second.weights))
    return Contrast(estimand, first.arm, second.arm, first.condition, weights)


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


def sum_weights(*terms: tuple[Cell, float]) -> Weights:
    """Sum the weights of each cell, and leave out cells whose weights cancel."""
    total: dict[Cell, float] = {}
    for cell, weight in terms:
        total[cell] = total.get(cell, 0) + weight
    return tuple((cell, weight) for cell, weight in total.items() if weight)


COUNTER = "counter"
"""The condition in which the advised action is another one that the world accepts."""
INVERTED = "corrupt_invert"
"""The condition in which the advice is turned round: what was to be done is to be avoided."""
FLUENT = (COUNTER, "irrelevant_swap")
"""Damage that reads as fluently as what it replaces: another action in its sentence, whole items."""
ABSENT = ("without", "empty")
"""Damage that leaves no text which could be odd, but no block either."""
CARRIES, PLACEBO = 0.50, 0.25
"""Above the first share of the utility the content carries; below the second the block is a placebo."""
_RUNG = re.compile(r"dose-(\d+)")


def oddity_of(condition: str) -> str:
    """The condition whose slot is as odd as under this damage, and whose advice stands verbatim."""
    return f"oddity+{condition}"


def content_effect(arm: str, condition: str) -> Contrast:
    """The drop less the drop of its own oddity placebo: placebo - perturbed.

    An agent that ignores the content but stumbles over odd text has a drop and no content effect.

    Source: STATISTICS 0d.1.
    """
    odd = oddity_of(condition)
    return Contrast("content", arm, odd, condition, (((arm, odd), 1.0), ((arm, condition), -1.0)))


def contents_apart(treatment: str, control: str, condition: str) -> Contrast:
    """The treatment's content effect minus the control's, for each task."""
    return _apart("content", content_effect(treatment, condition), content_effect(control, condition))


def beyond_placebo(arm: str, condition: str, placebo: str) -> Contrast:
    """The drop less the drop of a rewording that keeps the meaning: placebo - perturbed (STATISTICS 0c.4)."""
    weights = sum_weights(((arm, placebo), 1.0), ((arm, condition), -1.0))
    return Contrast("beyond placebo", arm, placebo, condition, weights)


def retention(arm: str, condition: str, share: float) -> Contrast:
    """The drop beyond `share` of the utility: (intact - perturbed) - share x (intact - without).

    Source: STATISTICS 0c.2.
    """
    beyond = ((arm, "intact"), -share), (WITHOUT, share)
    weights = sum_weights(*drop_weights(arm, condition, 1.0), *beyond)
    return Contrast("retention", arm, "intact", condition, weights, share)


def under_instruction(condition: str) -> str:
    """The condition in which damaged items stand under the plain instruction to follow them."""
    return f"{INSTRUCTED}+{condition}"


def instructed_utility(arm: str) -> Contrast:
    """What the arm's memory adds when the agent is told to follow it (STATISTICS 0c.6)."""
    return Contrast("instructed", arm, *WITHOUT, (((arm, INSTRUCTED), 1.0), (WITHOUT, -1.0)))


def instructed_drop(arm: str, condition: str) -> Contrast:
    """What damage costs when the agent is told to follow its memory: instructed - damaged and instructed.

    Load-bearing here but inert without the instruction: usable, but not activated (STATISTICS 0c.6).
    """
    damaged = (arm, under_instruction(condition))
    return Contrast("instructed", arm, INSTRUCTED, condition, (((arm, INSTRUCTED), 1.0), (damaged, -1.0)))


def follow(arm: str) -> Contrast:
    """P(does a | told a) - P(does a | told b), on a table whose score is how often the agent did a.

    Source: STATISTICS 0c.1 and 0e.1.
    """
    return Contrast("follow", arm, "intact", COUNTER, drop_weights(arm, COUNTER, 1.0))


def follow_other(arm: str) -> Contrast:
    """P(does b | told b) - P(does b | told a), on a table whose score is how often the agent did b.

    Source: STATISTICS 0e.1: to stumble over what says b cannot raise it.
    """
    return Contrast("follow other", arm, "intact", COUNTER, drop_weights(arm, COUNTER, -1.0))


def polarity(arm: str) -> Contrast:
    """P(does a | told a) - P(does a | told not a), on a table whose score is how often the agent obeyed.

    An agent to which it only matters that an action is named does it as often under both.

    Source: STATISTICS 0e.3 and 0e.5.
    """
    return Contrast("polarity", arm, "intact", INVERTED, drop_weights(arm, INVERTED, 1.0))


def polarity_beside(arm: str) -> Contrast:
    """P(does a | told a, in text as odd as the inversion) - P(does a | told not to), on the same table.

    An agent that stumbles over odd text, or over negations, stumbles in both.

    Source: STATISTICS 0d.1 and 0e.3.
    """
    odd = oddity_of(INVERTED)
    return Contrast("polarity", arm, odd, INVERTED, (((arm, odd), 1.0), ((arm, INVERTED), -1.0)))


def named(arm: str) -> Contrast:
    """P(does a | told not a) - P(does a | told b), on the table of `follow`: what being named does.

    Where it is above zero an agent does what is named, though advised against: priming, and no following.

    Source: STATISTICS 0e.5.
    """
    return Contrast("named", arm, COUNTER, INVERTED, (((arm, INVERTED), 1.0), ((arm, COUNTER), -1.0)))


def mention(arm: str) -> Contrast:
    """What it is worth that the action is named, whatever is said of it: the drop under `counter` less the
    drop under `corrupt_invert` (STATISTICS 0e.5)."""
    return Contrast("mention", arm, COUNTER, INVERTED, (((arm, INVERTED), 1.0), ((arm, COUNTER), -1.0)))


def follows_apart(treatment: str, control: str) -> Contrast:
    """The treatment's follow contrast minus the control's, for each task."""
    return _apart("follow", follow(treatment), follow(control))


def dose(arms: Iterable[str]) -> Contrast | None:
    """The least-squares slope of the score over the rungs `dose-K`, per true item; None below two rungs.

    Source: STATISTICS 0c.7.
    """
    steps = {arm: int(match[1]) for arm in arms if (match := _RUNG.fullmatch(arm))}
    if len(set(steps.values())) < 2:
        return None
    centre = sum(steps.values()) / len(steps)
    spread = sum((step - centre) ** 2 for step in steps.values())
    weights = tuple(
        ((arm, "intact"), (step - centre) / spread) for arm, step in steps.items() if step != centre
    )
    lowest, highest = min(steps, key=steps.__getitem__), max(steps, key=steps.__getitem__)
    return Contrast("dose", highest, lowest, "intact", weights)
