"""Decisions of participants of known adherence, as a probe sees them: replies drawn, or shares given.

An action is the one that is advised, the one that `counter` advises in its place, or one of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Floats, Ints, Rng

TOLD, OTHER = 0, 1
CELLS = 4
INTACT, WITHOUT, INVERTED, COUNTERED = range(CELLS)
"""The cells of a decision, in this order."""
CONDITIONS = (WITHOUT, INVERTED, COUNTERED)
HALVES = 2


@dataclass(frozen=True, slots=True)
class AskedReader:
    """A participant that is asked again.

    Args:
        adherence: the share of decisions at which it does, or leaves, what it is told to do or to leave.
        mention: the share at which it does what is named, whatever is said of it.
        stumble: the share at which it does nothing that can be read, where the text was damaged.
        wavers: standard deviation of what the mere wording does to the logit of each action.
    """

    name: str
    adherence: float = 0.0
    mention: float = 0.0
    stumble: float = 0.0
    wavers: float = 0.0


@dataclass(frozen=True, slots=True)
class DecisionSetting:
    """What is asked.

    Args:
        tasks, per_task: decisions are tasks x per_task; those of a task are alike.
        actions: to choose from; on average each is as likely as the others.
        per_cluster: tasks that share a record.
    """

    tasks: int
    per_task: int = 1
    actions: int = 8
    per_cluster: int = 1

    @property
    def task(self) -> Ints:
        """The task of each decision."""
        return np.repeat(np.arange(self.tasks), self.per_task)

    @property
    def cluster(self) -> Ints:
        """The cluster of each decision."""
        return self.task // self.per_cluster


@dataclass(frozen=True, slots=True, eq=False)
class SeenDecisions:
    """What a probe sees of them, by row a decision.

    Args:
        advised: the share of what is advised, intact less each condition, shape (n, 3).
        other: the share of what `counter` advises, there less intact, shape (n, 1).
        mention: the share of what is advised, turned round less under `counter`, shape (n, 1).
        shift: of all shares under each condition, shape (n, 3).
    """

    advised: Floats
    other: Floats
    mention: Floats
    shift: Floats


def make_up(reader: AskedReader, setting: DecisionSetting, samples: int, rng: Rng) -> SeenDecisions:
    """Decisions of one probe; with 0 `samples` the shares themselves are seen, without chance.

    How likely each action is without memory differs between tasks: a Dirichlet draw of all ones.
    """
    base = rng.dirichlet(np.ones(setting.actions), setting.tasks)[setting.task]
    halves = [_ask(_act(reader, base, cell, rng), samples, cell, rng) for cell in range(CELLS)]
    shares = np.array([np.mean(cell, axis=0) for cell in halves])
    told, other = shares[..., TOLD], shares[..., OTHER]
    return SeenDecisions(
        advised=(told[INTACT] - told[list(CONDITIONS)]).T,
        other=(other[COUNTERED] - other[INTACT])[:, None],
        mention=(told[INVERTED] - told[COUNTERED])[:, None],
        shift=np.array([shift_rows(halves[INTACT], shares[cell]) for cell in CONDITIONS]).T,
    )


def shift_rows(intact: Sequence[Floats], other: Floats) -> Floats:
    """`measure_shift` of each row of shares, shape (n,); `intact` are its halves."""
    apart = np.mean([np.abs(half - other).sum(axis=1) / 2 for half in intact], axis=0)
    if len(intact) == 1:
        return np.asarray(apart)
    first, second = intact
    return np.asarray(apart - np.abs(first - second).sum(axis=1) / 2)


def _act(reader: AskedReader, base: Floats, cell: int, rng: Rng) -> Floats:
    """How likely each action is in each decision, the last column nothing that can be read."""
    chance = base
    if reader.wavers:
        weight = chance * np.exp(rng.normal(0.0, reader.wavers, chance.shape))
        chance = weight / weight.sum(axis=1, keepdims=True)
    told = np.zeros_like(chance)
    if cell in (INTACT, COUNTERED):
        told[:, TOLD if cell == INTACT else OTHER] = 1.0
    elif cell == INVERTED:
        told = chance.copy()
        told[:, TOLD] = 0.0
        told /= told.sum(axis=1, keepdims=True)
    named = np.zeros_like(chance)
    if cell != WITHOUT:
        named[:, OTHER if cell == COUNTERED else TOLD] = 1.0
        chance = (1 - reader.mention) * chance + reader.mention * named
        chance = (1 - reader.adherence) * chance + reader.adherence * told
    lost = reader.stumble if cell in (INVERTED, COUNTERED) else 0.0
    return np.column_stack([(1 - lost) * chance, np.full(len(chance), lost)])


def _ask(chance: Floats, samples: int, cell: int, rng: Rng) -> list[Floats]:
    """The shares of each half, shape (n, n_actions)."""
    if not samples:
        return [chance]
    return [
        rng.multinomial(samples, chance / chance.sum(axis=1, keepdims=True)) / samples
        for _ in range(HALVES if cell == INTACT else 1)
    ]
