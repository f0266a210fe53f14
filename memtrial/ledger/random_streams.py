"""Every random stream of the product: one number each, so that a draw added to one shifts no other.

A stream is a generator made from the seed of the spec, the stream's number, and the place of the draw (task,
repeat). The numbers are part of what a seed means: changing one changes the results of finished runs.

A world draws from a seed of its own, inside `environments`, which may not import this room.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Self
from zlib import crc32

if TYPE_CHECKING:
    from numpy.random import Generator


class Stream(IntEnum):
    """What is drawn, by name. Those of a family of contrasts are the sign vectors of its test.

    `pooled` is the number of the same family for the mean over all backbones.
    """

    pooled: int

    def __new__(cls, number: int, pooled: int = -1) -> Self:
        member = int.__new__(cls, number)
        member._value_, member.pooled = number, pooled
        return member

    UTILITIES = 0, 10  # utility of each arm
    NEGATIVE_CONTROL = 71, 72  # utility of each withheld memory
    DROPS = 1, 11  # drop of each arm under each kind of damage
    HYPOTHESES = 2, 12  # differences of drops under the primary conditions
    CHANNEL = 62, 63  # differences of drops between two injections of one memory
    OTHER_CONTRASTS = 3, 13  # differences of drops under the other conditions
    RETENTION = 4, 14  # what each kind of damage leaves of the utility
    CONTENT_EFFECTS = 5, 15  # drops beyond that of the damage's own oddity placebo
    BEYOND_PLACEBO = 6, 16  # drops beyond that of the placebo
    INSTRUCTED = 7, 57  # utilities and drops where the agent is told to follow its memory
    FACTORIAL_EFFECTS = 8, 18  # main effects of the factors of the arms
    INTERACTIONS = 67, 68  # interactions of two of them
    DOSE = 9, 59  # the trend over the numbers of true items

    CONTENT_EFFECTS_APART = 20, 21  # the difference of content effects between two arms
    CONTENT_EFFECTS_CHANNEL = 64, 65  # the same between two injections of one memory
    READABLE = 22  # drops less trials lost to replies that could not be read
    TASK_FAMILIES = 24  # draws of the test whether families of tasks differ
    MEMORY_ITEMS = 73  # the same of items
    SUBSET_EFFECTS = 25, 26  # main effects and interactions of gates in an ablation
    SHAPLEY = 27, 28  # Shapley values of gates
    SUBSET_MODES = 66  # main effects of gates on the rate of each failure mode

    ADHERENCE = 50, 52  # whether agents do what their memory tells
    ADHERENCE_APART = 51, 53  # the difference of that between two arms
    ADHERENCE_OTHER = 54, 55  # whether agents do what `counter` tells
    POLARITY = 56, 58  # whether agents do what they are told to do more than what they are told not to
    POLARITY_BESIDE = 69, 70  # the same where the inversion's oddity placebo stands for the intact memory
    NAMED = 75, 76  # whether agents do what is named though advised against, more than what is not named
    MENTION = 60, 61  # the drop under `counter` less that under `corrupt_invert`

    CANCELLATION = 100  # relabelled cells of the test whether effects of single tasks cancel
    DIVERGENCE = 200  # bootstrap and permutations of the distance between action sequences
    FAILURE_MODES = 250  # sign flips, resampled tables and the bootstrap of the failure-mode table
    SENSITIVITY = 300  # bootstraps of the further methods

    STREAM_TASKS = 17  # mode `stream`: the order of the tasks, by repeat
    STREAM_CELLS = 19  # mode `stream`: the order of the trials of a block, by task and repeat
    DISTRACTORS = 23  # dose ladder: the false items of a task and the order of all its items
    TASK_ORDER = 29  # with interim looks: the order of clusters and tasks
    EXPERTS = 34  # the training tasks that the expert walks, where it walks a share of them
    TRIALS = 33  # the order of blocks, and of the trials in each
    ADVICE_CHECK = 37  # the tasks whose slots a judge reads, and the order of its questions
    SECTION_HALVES = 43  # trial of sections: which of them stand in each half of the screening
    POWER = 41  # simulated experiments of the power table


def generator(seed: int, stream: int, *place: int, spawn_key: tuple[int, ...] = ()) -> Generator:
    """The generator of one draw.

    Args:
        place: of the draw within the stream, for example task index and repeat.
        spawn_key: where one place has several generators.
    """
    from numpy.random import SeedSequence, default_rng

    return default_rng(SeedSequence([seed, stream, *place], spawn_key=spawn_key))


def named_generator(seed: int, name: str, *place: int) -> Generator:
    """The generator of draws that have a name instead of a number: kinds of damage, donors, simulations.

    The name's CRC-32 takes the place of the number, so that a new kind shifts no other.
    """
    from numpy import array, uint32
    from numpy.random import default_rng

    words = [seed, *place, crc32(name.encode())]
    # the same stream; of a list each number is taken apart in Python, and most have one word
    return default_rng(array(words, uint32) if 0 <= min(words) <= max(words) < 2**32 else words)


def fixed_generator(seed: int = 0) -> Generator:
    """A generator of its own that belongs to no run: integration by simulation, orders by a lock's digest."""
    from numpy.random import default_rng

    return default_rng(seed)
