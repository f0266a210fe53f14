"""The cast of the calibration: who there is, what each is known to do, and the contrasts it is tried on."""

from __future__ import annotations

from dataclasses import replace

from loadbearing.analysis.calibration.participants import (
    CONTROL,
    CONTROL_INTACT,
    DAMAGE,
    DAMAGED,
    INTACT,
    MEMORY,
    OWN,
    SWAPPED,
    SWAPPED_DAMAGED,
    Ease,
    Line,
    Participant,
    ease,
    follows,
    hindered,
    lifted,
    one_kind,
)
from loadbearing.analysis.estimands.contrast import drop, drops_apart, utility
from loadbearing.analysis.secondary.content_effect import content_effect
from loadbearing.analysis.secondary.retention import CARRIES, PLACEBO, retention

DROP, UTILITY, CONTENT = drop(MEMORY, DAMAGE), utility(MEMORY), content_effect(MEMORY, DAMAGE)
APART = drops_apart(MEMORY, CONTROL, DAMAGE)
ABOVE_HALF, BELOW_QUARTER = (retention(MEMORY, DAMAGE, share) for share in (CARRIES, PLACEBO))

FAMILY = tuple(
    drop(arm, damage) for arm in (CONTROL, MEMORY) for damage in (DAMAGE, "irrelevant_swap", "counter")
)
"""Six drops; those of an arm share its intact cell. The control's come first."""
ALIKE = tuple(drop(MEMORY, f"damage {number}") for number in range(6))
"""Six drops of one arm."""

RIGHT, WRONG = 0.9, 0.1
"""How often advice that is followed leads to success: good advice, and harmful advice."""
BLOCK = (INTACT, DAMAGED, SWAPPED, SWAPPED_DAMAGED)
"""The cells in which a memory block stands in the prompt."""

IGNORES = one_kind("ignores", 0.4, {})
CEILING = one_kind("ceiling", 0.95, {})
FLOOR = one_kind("floor", 0.05, {})
STICKY = replace(IGNORES, name="sticky", copies=0.9)
PARTIAL = replace(IGNORES, name="ignores, partial credit", steps=10)
FORMAT_ONLY = one_kind("format-only", 0.5, dict.fromkeys(BLOCK, lifted(0.4)))
HARMFUL = one_kind("follows-harmful", 0.5, {INTACT: follows(0.5, WRONG)})
STARTLED = one_kind("startled", 0.5, {DAMAGED: hindered(0.25), SWAPPED_DAMAGED: hindered(0.25)})
FLOOR_LIFTED = one_kind("floor, a little gained", 0.05, {INTACT: lifted(0.05)})
CEILING_LOST = one_kind("ceiling, a little lost", 0.95, {DAMAGED: hindered(0.05)})
CEILING_HARMED = one_kind("ceiling, harmful", 0.9, {INTACT: follows(0.1, WRONG)})
SURE = one_kind("sure, a tenth lost", 0.5, {INTACT: Line(1.0, 0.0), DAMAGED: Line(0.9, 0.0)})
"""Its drop is .10, the default margin, and a few dozen tasks often show not one difference."""
REDISTRIBUTES = one_kind("redistributes", 0.3, {INTACT: Line(0.3, 0.0)})
"""Memory makes hard tasks easier and easy ones harder, and changes nothing on average: a skewed weak null."""
HALF_CARRIED = one_kind("half-carried", 0.4, {INTACT: lifted(0.6), DAMAGED: lifted(0.3)})
QUARTER_CARRIED = one_kind("quarter-carried", 0.4, {INTACT: lifted(0.6), DAMAGED: lifted(0.45)})
NOBODY_READS = one_kind("nobody reads", 0.4, {})
ONE_ARM_READS = one_kind("one arm reads", 0.4, {INTACT: follows(0.5, RIGHT)})
GAMBLES = Participant("gambles", ease(0.5, 0.95), (((INTACT, Line(0.5, 0.0)),),))
"""Tasks are nearly sure or hopeless, and memory makes each a coin's throw: no drop on average, and the drops
under all kinds of damage are nearly the same number; their correlation is .99."""


def follower(uptake: float) -> Participant:
    """Follows its memory with chance `uptake`; damaged or foreign memory fits nothing and is left alone."""
    return one_kind(f"follows-{round(100 * uptake)}", 0.4, {INTACT: follows(uptake, RIGHT)})


def partial_follower(uptake: float) -> Participant:
    """The same in a world that pays for sub-goals."""
    return replace(follower(uptake), name=f"follows-{round(100 * uptake)}, partial credit", steps=10)


def two_arms(control: float, treatment: float) -> Participant:
    """Follows the control arm's memory with one chance and the treatment's with another."""
    cells = {CONTROL_INTACT: follows(control, RIGHT), INTACT: follows(treatment, RIGHT)}
    return one_kind(f"two arms, {round(100 * control)} and {round(100 * treatment)}", 0.4, cells)


def slightly_useful(utility: float) -> Participant:
    """A memory that adds little, all of it content."""
    return one_kind(f"adds {utility:g}, all content", 0.5, {INTACT: lifted(2 * utility)})


def mixed_sign(size: float) -> Participant:
    """Content adds `size` on half of the tasks and takes as much on the others."""
    ways = (lifted(2 * size), hindered(2 * size))
    kinds = tuple(((INTACT, way), (SWAPPED, OWN)) for way in ways)
    return Participant(f"mixed-sign {size:g}", ease(0.5), kinds)


def by_record(n_tasks: int, n_records: int) -> Participant:
    """Memory helps or harms by source record, and changes nothing on average."""
    return Participant(
        f"by-record, {n_records} records",
        Ease(1.0, 1.0, 0.25, 0.75),
        ((),),
        record=n_tasks // n_records,
        record_effect=0.2,
    )
