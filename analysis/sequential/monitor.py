"""What is seen at a look, and what follows from it: the rule is fixed, the data only fill it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from loadbearing.analysis.result import Estimate
from loadbearing.analysis.sequential.look_schedule import Looks
from loadbearing.analysis.wording import DISAGREE

Stop = Literal["all", "any"]
Place = tuple[str, str, str, str]
"""(backbone, treatment, control, condition) of a hypothesis."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One hypothesis at one look.

    Args:
        p_adjusted: within its family, by the primary test on the tasks complete by then; None without one.
        overall: the repeated p-value of this look alone.
        crossed: it is decided at this look.
    """

    place: Place
    estimate: float | None
    p_adjusted: float | None
    overall: float
    crossed: bool


@dataclass(frozen=True, slots=True)
class Look:
    """A look that was taken.

    Args:
        number: counted from 1.
        tasks: complete at that time.
        level: what p_adjusted must not exceed.
        stop: the run ends here, by the rule fixed before.
    """

    number: int
    tasks: int
    level: float
    seen: tuple[Seen, ...]
    stop: bool


def place_of(row: Estimate) -> Place:
    """The hypothesis that a contrast is about."""
    return (row.backbone, row.arm, row.versus, row.condition)


def take_look(
    hypotheses: Sequence[Estimate], looks: Looks, number: int, before: Sequence[Look], rule: Stop
) -> Look:
    """Hold the hypotheses against the level of a look.

    A hypothesis decided at an earlier look stays decided. `all`: the run stops when all are decided;
    `any`: when one is. The last look stops it anyway.

    Args:
        hypotheses: rows of the primary family, from the tasks of this look alone.
        looks: as fixed before the first trial.
        number: of this look, counted from 1.
        before: the looks taken so far, all of them.
        rule: when to stop.

    Raises:
        ValueError: looks are taken in order, each once.
    """
    if number != len(before) + 1 or number > len(looks.counts):
        raise ValueError(f"look {len(before) + 1} of {len(looks.counts)} is next, got {number}")
    level = looks.levels[number - 1]
    seen = tuple(_seen(row, looks, number, level) for row in hypotheses)
    decided = {one.place for look in before for one in look.seen if one.crossed}
    decided |= {one.place for one in seen if one.crossed}
    enough = [one.place in decided for one in seen]
    stop = bool(enough) and (all(enough) if rule == "all" else any(enough))
    return Look(number, looks.counts[number - 1], level, seen, stop or number == len(looks.counts))


def _seen(row: Estimate, looks: Looks, number: int, level: float) -> Seen:
    p = row.p_adjusted
    overall = 1.0 if p is None else looks.overall(p, number)
    return Seen(place_of(row), row.estimate, p, overall, p is not None and p <= level)


def overall_p_values(taken: Sequence[Look]) -> Mapping[Place, tuple[float, int]]:
    """By hypothesis, its least repeated p-value over the looks taken, and the look it comes from."""
    best: dict[Place, tuple[float, int]] = {}
    for look in taken:
        for one in look.seen:
            if one.place not in best or one.overall < best[one.place][0]:
                best[one.place] = (one.overall, look.number)
    return best


def at_looks(row: Estimate, taken: Sequence[Look], looks: Looks) -> Estimate:
    """A hypothesis as it stands after looks: repeated p-value and interval, and the word that follows.

    The interval is estimate +- boundary * standard error of the last look taken, so that all of a run's
    intervals hold at once. `load-bearing` and `reversed` stand where a level was reached. `inert`
    is judged at the last look alone: an early stop was planned for effects, not for equivalence.

    Args:
        row: of the primary family, from the data of the last look.
        taken: the looks taken, at least one.
        looks: as fixed before the first trial.

    Source: Jennison & Turnbull 1999, chapter 9 (repeated confidence intervals).
    """
    last = taken[-1]
    overall, at = overall_p_values(taken).get(place_of(row), (1.0, last.number))
    low, high = _repeated_interval(row, looks, last.number)
    said = f"{last.number} of {len(looks.counts)} looks were taken; interval and p hold over all of them"
    if low is not None and high is not None and (overall <= looks.alpha) != (low > 0 or high < 0):
        said = f"{said}; {DISAGREE}"
    # what the row says of its own interval is not said of the repeated one
    row = replace(row, reason=row.reason.replace(f"; {DISAGREE}", ""))
    changed = replace(row, p_adjusted=overall, low=low, high=high, low_family=None, high_family=None)
    effect = row.verdict in ("load-bearing", "reversed")
    decided = any(one.crossed for look in taken for one in look.seen if one.place == place_of(row))
    if effect and not decided:
        why = f"the boundary of no look was reached (p over all looks {overall:.3f})"
        return replace(changed, verdict="inconclusive", reason=f"{why}; {said}; on its own: {row.reason}")
    if decided and row.verdict in ("inconclusive", "inert"):
        crossed = [one for look in taken for one in look.seen if one.place == place_of(row) and one.crossed]
        word = "load-bearing" if (crossed[0].estimate or 0.0) > 0 else "reversed"
        why = f"the boundary was reached at look {at}"
        return replace(changed, verdict=word, reason=f"{why}; {said}; on the last data: {row.reason}")
    early = last.number < len(looks.counts)
    if row.verdict == "inert" and early:
        why = "the run stopped early for other hypotheses, and this one's equivalence was not planned there"
        return replace(changed, verdict="inconclusive", reason=f"{why}; {said}; on its own: {row.reason}")
    return replace(changed, reason=f"{row.reason}; {said}")


def _repeated_interval(row: Estimate, looks: Looks, number: int) -> tuple[float | None, float | None]:
    """estimate +- t-quantile at the look's own level * standard error."""
    if row.low is None or row.high is None or row.estimate is None or row.n_clusters < 2:
        return row.low, row.high
    from scipy.stats import norm, t

    freedom = row.n_clusters + 1  # plus-two interval
    centre, half = (row.low + row.high) / 2, (row.high - row.low) / 2
    error = half / float(t.ppf(1 - looks.alpha / 2, freedom))
    boundary = looks.boundaries[number - 1]
    reach = float(t.isf(norm.sf(boundary), freedom)) if boundary < 8 else float("inf")
    if reach == float("inf"):
        return None, None
    return centre - reach * error, centre + reach * error
