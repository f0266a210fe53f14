"""Participants of `memtrial try` as chances: six that read nothing and stumble, rise or spend; two that read.

Needs numpy alone, so that a peer's own environment can draw the same outcomes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
WITHOUT, INTACT, ODDITY = "without", "intact", "oddity+corrupt_invert"
INVERTED, COUNTER, OTHER, FILLER, REWORDED = (
    "corrupt_invert",
    "counter",
    "irrelevant_generic",
    "filler",
    "paraphrase",
)
CONDITIONS = (WITHOUT, INTACT, INVERTED, COUNTER, OTHER, FILLER, REWORDED, ODDITY)
"""What `try` plays by default."""
LENGTHS = {INVERTED: 1.12, ODDITY: 1.48}
"""How long a damaged text is, in lengths of the intact one, as measured in a run; the others are as long."""
EFFECT = 3.0
"""By how many logits a disposition moves a task that it moves: from a third solved to three quarters."""
TASK_SD, MODULE_SD, CELL_SD, MODULE = 1.2, 0.9, 0.5, 4
"""Of a task's own ease, of the ease that tasks of one module of the repository share, of what is peculiar to
a task in one condition, all in logits; and how many tasks a module has."""
SPREAD_SD, MODULE_SPREAD_SD = 0.3, 0.2
"""By how much the effect differs between tasks, and between modules, as a share of it."""
TOKENS, TASK_TOKENS_SD, TRIAL_TOKENS_SD = 20_000.0, 0.6, 0.35
"""Of a trial, and how they differ, in logarithms."""


@dataclass(frozen=True, slots=True)
class TriedParticipant:
    """One agent.

    Args:
        ease: mean logit of a task without memory.
        moves: by condition, in units of EFFECT; a condition that is not named is as without memory.
        spends: by condition, the logarithm of what a trial takes for what it takes without memory.
        reach: the share of tasks that it is moved in.
        reads: it does what its memory says.
    """

    name: str
    ease: float = 0.0
    moves: Mapping[str, float] = field(default_factory=dict)
    spends: Mapping[str, float] = field(default_factory=dict)
    reach: float = 1.0
    reads: bool = False

    @property
    def gain(self) -> float:
        """The sign of what the intact memory does to its score."""
        return float(np.sign(self.moves.get(INTACT, 0.0)))


SHOWN = CONDITIONS[1:]
READ = {INTACT: 1.0, REWORDED: 1.0, ODDITY: 1.0, INVERTED: -0.3, COUNTER: -0.2}
PARTICIPANTS = (
    TriedParticipant("ignores"),
    TriedParticipant("spends only", spends=dict.fromkeys(SHOWN, 0.4)),
    TriedParticipant("lifted by any text", -1.0, dict.fromkeys(SHOWN, 1.0)),
    TriedParticipant("stumbles over length", 1.0, {name: -LENGTHS.get(name, 1.0) for name in SHOWN}),
    TriedParticipant("stumbles over oddity", 1.0, dict.fromkeys((INVERTED, ODDITY), -1.0)),
    TriedParticipant("stumbles over foreign text", 1.0, dict.fromkeys((COUNTER, OTHER, FILLER), -1.0)),
    TriedParticipant("heeds mention", -1.0, dict.fromkeys((INTACT, REWORDED, ODDITY, INVERTED), 1.0)),
    TriedParticipant("reads", -1.0, READ, reads=True),
    TriedParticipant("reads half", -1.0, READ, reach=0.5, reads=True),
)


@dataclass(frozen=True, slots=True)
class DrawnTrials:
    """Outcomes of one experiment; both of shape (n_conditions, n_tasks, n_repeats), in the order given."""

    solved: NDArray[np.bool_]
    tokens: Floats


def draw_trials(
    who: TriedParticipant, conditions: tuple[str, ...], n_tasks: int, repeats: int, rng: np.random.Generator
) -> DrawnTrials:
    """Play every task in every condition. Repeats of a task in a condition differ by chance alone."""
    module = np.arange(n_tasks) // MODULE
    n_modules = int(module[-1]) + 1

    def differ(own: float, shared: float) -> Floats:
        return np.asarray(rng.normal(0, own, n_tasks) + rng.normal(0, shared, n_modules)[module])

    ease = who.ease + differ(TASK_SD, MODULE_SD)
    effect = EFFECT * np.maximum(0.0, 1.0 + differ(SPREAD_SD, MODULE_SPREAD_SD))
    effect *= rng.permutation(n_tasks) < round(who.reach * n_tasks)
    moves = np.array([who.moves.get(name, 0.0) for name in conditions])
    logits = ease + moves[:, None] * effect + rng.normal(0, CELL_SD, (len(conditions), n_tasks))
    shape = (len(conditions), n_tasks, repeats)
    solved = rng.random(shape) < (1 / (1 + np.exp(-logits)))[:, :, None]
    spends = np.array([who.spends.get(name, 0.0) for name in conditions])
    own = rng.normal(0, TASK_TOKENS_SD, n_tasks)
    logs = (spends[:, None] + own)[:, :, None] + rng.normal(0, TRIAL_TOKENS_SD, shape)
    return DrawnTrials(solved, TOKENS * np.exp(logs))


def seeded(who: TriedParticipant, n_tasks: int, seed: int) -> np.random.Generator:
    """The stream of one experiment."""
    place = [each.name for each in PARTICIPANTS].index(who.name)
    return np.random.default_rng([28, place, n_tasks, seed])
