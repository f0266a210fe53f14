"""Verdicts on known truth: who gets which word, and of whom no word may say that the content counts.

A content-blind participant may stumble over odd text, over fluent text of another kind, over a block that is
gone, or in its own replies. Most are shown to the analysis in a run where a single guard is against them.
"""

from dataclasses import dataclass, replace

from memtrial.analysis.calibration import known_participants as who
from memtrial.analysis.calibration.error_bands import Band, at_least, at_most
from memtrial.analysis.calibration.known_participants import (
    CONTROL,
    DAMAGE,
    DAMAGED,
    INTACT,
    MEMORY,
    ODD,
    RIGHT,
    SWAP,
    WRONG,
    KnownParticipant,
    Line,
    follower,
    follows,
    hinder_successes,
    lift_failures,
    one_kind,
)
from memtrial.analysis.calibration.measured_experiments import Said, Stage
from memtrial.analysis.estimands.contrast import COUNTER
from memtrial.outcomes.outcomes import Cell
from memtrial.outcomes.reserved_names import PLACEBO

GONE = "empty"
SHOWN = ("intact", DAMAGE, ODD, COUNTER, PLACEBO, SWAP)
"""The conditions in which a memory block stands in the prompt."""
ALL_PLAYED = (DAMAGE, ODD, COUNTER, PLACEBO)
COUNTERED: Cell = (MEMORY, COUNTER)
ODD_CELL: Cell = (MEMORY, ODD)
LEANS = ("load-bearing", "reversed")


Shares = tuple[tuple[Cell, float], ...]
CHANCE, SELDOM = 0.25, 0.05
"""How often one of four actions is done by one that knows of no advice, and by one that has other advice."""


def blind(name: str, *stumbles: str) -> KnownParticipant:
    """A block helps it, whatever it says; under these conditions it stumbles. It acts as by chance."""
    cells = {(arm, condition): lift_failures(0.4) for arm in (MEMORY, CONTROL) for condition in SHOWN}
    cells |= {(MEMORY, condition): hinder_successes(0.25) for condition in stumbles}
    acts = tuple(((arm, name), CHANCE) for arm in (MEMORY, CONTROL) for name in SHOWN)
    return replace(one_kind(name, 0.5, cells), acts=acts, others=acts)


def heeds(participant: KnownParticipant, uptake: float = 0.7) -> KnownParticipant:
    """The same one, which does what it is told, in vain: its scores do not depend on it."""
    return replace(participant, acts=_told(uptake, uptake), others=_told_otherwise(uptake, uptake))


def _told(control: float, treatment: float) -> Shares:
    """How often it does what the intact item advises."""
    uptake = {CONTROL: control, MEMORY: treatment}
    kept = [((arm, name), share) for arm, share in uptake.items() for name in ("intact", ODD, PLACEBO)]
    return (*kept, *(((arm, name), SELDOM) for arm in uptake for name in (COUNTER, DAMAGE, SWAP)))


def _told_otherwise(control: float, treatment: float) -> Shares:
    """How often it does what `counter` advises."""
    return (
        *(((arm, "intact"), SELDOM) for arm in (CONTROL, MEMORY)),
        ((CONTROL, COUNTER), control),
        ((MEMORY, COUNTER), treatment),
    )


def reads(name: str, control: float, treatment: float, odd: float = 0.0) -> KnownParticipant:
    """Follows what stands in each arm's block with these chances.

    Args:
        odd: of its successes under the treatment's damage and the placebo as odd, the share lost to oddity.
    """
    cells: dict[Cell, Line] = {(MEMORY, DAMAGE): hinder_successes(odd)}
    for arm, uptake in ((CONTROL, control), (MEMORY, treatment)):
        as_intact = follows(uptake, RIGHT)
        cells |= {(arm, condition): as_intact for condition in ("intact", ODD, PLACEBO)}
        cells[arm, COUNTER] = follows(uptake, WRONG)
    at_odd_text = cells[MEMORY, ODD]
    cells[MEMORY, ODD] = Line(at_odd_text.base * (1 - odd), at_odd_text.slope * (1 - odd))
    acts = _told(max(control, CHANCE), max(treatment, CHANCE))
    others = _told_otherwise(max(control, CHANCE), max(treatment, CHANCE))
    return replace(one_kind(name, 0.4, cells), acts=acts, others=others)


CONTRADICTED = replace(
    blind("stumbles over contradiction", COUNTER),
    acts=((INTACT, CHANCE), (COUNTERED, CHANCE / 2), (DAMAGED, CHANCE), (ODD_CELL, CHANCE)),
    others=((INTACT, CHANCE), (COUNTERED, CHANCE / 2)),
)
"""Where `counter` leaves the old action in one field it is confused, and does less of everything."""
MENTIONS = replace(
    one_kind(
        "does what is mentioned",
        0.4,
        {
            INTACT: follows(CHANCE, RIGHT),
            (MEMORY, PLACEBO): follows(CHANCE, RIGHT),
            COUNTERED: follows(CHANCE, WRONG),
            **dict.fromkeys((DAMAGED, ODD_CELL), Line(0.75 * CHANCE * RIGHT, 0.75 * (1 - CHANCE))),
        },
    ),
    acts=((INTACT, 0.45), (COUNTERED, 0.2), (DAMAGED, 0.45), (ODD_CELL, 0.45)),
    others=((INTACT, 0.2), (COUNTERED, 0.45)),
)
"""It does what is mentioned a quarter of the time, whatever is said of it, and stumbles over negations: the
inversion costs it something, but not for what it says. The placebo has as many of them."""
AVOIDS = replace(
    blind("startled, avoid-only memory", DAMAGE, SWAP),
    acts=(),
    others=(),
    obeys=((INTACT, 1 - CHANCE), (DAMAGED, 1 - CHANCE)),
)
"""Its memory says what to avoid, so that `counter` tells nothing of what it does."""
AVOIDS_READ = replace(
    reads("reads, avoid-only memory", 0.0, 0.5),
    acts=(),
    others=(),
    obeys=((INTACT, 0.95), (ODD_CELL, 0.95), (DAMAGED, 0.4)),
)
UNTOLD = replace(reads("does what is not known", 0.0, 0.7), acts=(), others=())
LATE = replace(
    reads("reads late", 0.0, 0.6),
    acts=((INTACT, 0.35), (COUNTERED, 0.1), (DAMAGED, 0.05)),
    others=((INTACT, 0.1), (COUNTERED, 0.35)),
)
"""It tries on its own first: what is advised is done at one turn in three."""
GARBLES = replace(heeds(blind("garbles its replies", DAMAGE)), garbled=(((MEMORY, DAMAGE), 0.9),))
"""Where its memory is damaged, its replies cannot be read; the placebo is not odd enough for that."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often an analysis may say one of these: estimand, condition and verdict of a row."""

    name: str
    rows: Said
    band: Band


def drop(verdict: str, band: Band, condition: str = DAMAGE) -> Rate:
    """How often the drop gets this verdict."""
    name = verdict if condition == DAMAGE else f"{verdict} under {condition}"
    return Rate(name, frozenset({("drop", condition, verdict)}), band)


CONTENT = (("drop", "load-bearing"), ("retention", "carries"), *(("contrast", word) for word in LEANS))
NEVER_CONTENT = Rate(
    "anything said to be content",
    frozenset((estimand, name, word) for estimand, word in CONTENT for name in (*SHOWN, GONE)),
    at_most(0.05),
)
HARDLY_CONTENT = replace(NEVER_CONTENT, band=at_most(0.02))
BARE = Rate("follows", frozenset({("follow", COUNTER, "follows")}), at_most(0.02))
NEVER_INERT = Rate("inert", frozenset({("drop", DAMAGE, "inert"), ("drop", COUNTER, "inert")}), at_most(0.0))
MORE = Rate("contrast load-bearing", frozenset({("contrast", DAMAGE, "load-bearing")}), at_least(0.95))
NO_MORE = replace(MORE, band=at_most(0.05))

VERDICTS: tuple[tuple[Stage, tuple[Rate, ...]], ...] = (
    # a user's own table
    (Stage(who.IGNORES), (drop("inert", at_most(0.05)), drop("load-bearing", at_most(0.05)))),
    # equivalence is shown in 84 % here; `inert` also needs effects that do not seem to cancel between tasks
    (Stage(who.FORMAT_ONLY), (drop("inert", at_least(0.75)), drop("load-bearing", at_most(0.05)))),
    (Stage(follower(0.9)), (drop("load-bearing", at_least(0.99)),)),
    (Stage(who.HARMFUL), (drop("reversed", at_least(0.90)),)),
    (Stage(who.FLOOR), (drop("untestable", at_least(0.99)),)),
    # without the rule that utility must be established, 54 % would be inert: STATISTICS 0c.2
    (Stage(who.SLIGHTLY_USEFUL), (drop("inert", at_most(0.15)),)),
    (Stage(who.mixed_sign(0.2)), (drop("inert", at_most(0.05)),)),
    # a run: content is found where it is
    (
        Stage(reads("reads", 0.0, 0.7), ALL_PLAYED, known=True),
        (
            drop("load-bearing", at_least(0.99)),
            drop("load-bearing", at_least(0.99), COUNTER),
            drop("load-bearing", at_most(0.0), PLACEBO),
            NEVER_INERT,
        ),
    ),
    # its drop and its content effect have a power of .85 each: both are shown in .70 at least
    (
        Stage(reads("reads a little", 0.0, 0.2), (DAMAGE, ODD), known=True),
        (drop("load-bearing", at_least(0.70)),),
    ),
    (Stage(reads("reads one arm", 0.1, 0.8), (DAMAGE, ODD), (MEMORY, CONTROL), True), (MORE,)),
    # one that tries on its own before it reads, and one whose memory says what to avoid
    (
        Stage(LATE, (DAMAGE, COUNTER), known=True),
        (drop("load-bearing", at_least(0.80)), drop("load-bearing", at_least(0.80), COUNTER)),
    ),
    (
        Stage(AVOIDS_READ, (DAMAGE, ODD, SWAP), known=True),
        (drop("load-bearing", at_least(0.80)), drop("load-bearing", at_least(0.80), SWAP)),
    ),
    # where the inversion has no placebo, a followed `counter` vouches for it
    (
        Stage(reads("reads, vouched for", 0.0, 0.6), (DAMAGE, COUNTER), known=True),
        (drop("load-bearing", at_least(0.95)),),
    ),
    # and only there
    (Stage(blind("skims"), ALL_PLAYED, known=True), (NEVER_CONTENT,)),
    (Stage(heeds(blind("startled", DAMAGE, ODD)), (DAMAGE, ODD), known=True), (NEVER_CONTENT,)),
    (Stage(blind("startled by fluent text", DAMAGE, ODD, COUNTER), ALL_PLAYED, known=True), (NEVER_CONTENT,)),
    (Stage(heeds(blind("startled, nothing asked", SWAP)), (SWAP, DAMAGE), known=True), (NEVER_CONTENT,)),
    (
        Stage(heeds(blind("startled by rewording", SWAP, PLACEBO)), (SWAP, DAMAGE, ODD, PLACEBO), known=True),
        (NEVER_CONTENT,),
    ),
    (Stage(heeds(blind("misses the block")), (GONE, DAMAGE, ODD), known=True), (NEVER_CONTENT,)),
    (Stage(GARBLES, (DAMAGE, ODD), known=True), (NEVER_CONTENT,)),
    (
        Stage(blind("startled in one arm", DAMAGE, ODD), (DAMAGE, ODD), (MEMORY, CONTROL), True),
        (NEVER_CONTENT,),
    ),
    (Stage(CONTRADICTED, (COUNTER, DAMAGE, ODD), (MEMORY, CONTROL), True), (HARDLY_CONTENT, BARE)),
    (
        # polarity alone is against it, by a test at alpha, of which half lies on this side
        Stage(MENTIONS, (DAMAGE, COUNTER, PLACEBO), known=True),
        (
            drop("load-bearing", at_most(0.025)),
            drop("load-bearing", at_most(0.025), COUNTER),
            drop("load-bearing", at_most(0.02), PLACEBO),
        ),
    ),
    (
        Stage(
            replace(MENTIONS, name="does what is mentioned, placebo played"),
            (DAMAGE, ODD, COUNTER),
            known=True,
        ),
        (drop("load-bearing", at_most(0.02)), drop("load-bearing", at_most(0.025), COUNTER)),
    ),
    (Stage(AVOIDS, (DAMAGE, SWAP), known=True), (HARDLY_CONTENT,)),
    (Stage(UNTOLD, ALL_PLAYED, known=True), (HARDLY_CONTENT,)),
    (Stage(reads("odder in one arm", 0.7, 0.7, 0.6), (DAMAGE, ODD), (MEMORY, CONTROL), True), (NO_MORE,)),
)
"""Who is shown what, and how often the analysis may say so."""
