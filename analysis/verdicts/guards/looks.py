"""Guards of a locked run: its hypotheses are decided when the lock says, and at no other time."""

from __future__ import annotations

from dataclasses import replace

from loadbearing.analysis.families import HYPOTHESES
from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.sequential.interim import place_of
from loadbearing.analysis.verdicts.facts import Facts


def interim(row: Estimate, facts: Facts) -> Estimate:
    """Against reading a locked run before its end. Takes any word of a hypothesis."""
    looks = facts.run.looks
    if looks is None or looks.complete or row.family != HYPOTHESES:
        return row
    return row.given("inconclusive", Reason.INTERIM, {"when": looks.when})


def boundaries(row: Estimate, facts: Facts) -> Estimate:
    """Against deciding a hypothesis more often than its error rate allows, over the looks that were taken.

    p becomes the one over all looks, the interval estimate +- boundary * standard error of the last look,
    so that all of a run's intervals hold at once. It takes `load-bearing` and `reversed` where no boundary
    was reached, and `inert` where the run stopped early: such a stop was planned for effects, not for
    equivalence. What was decided at a look stays decided: then `inert` and `inconclusive` give way to it.

    Source: Jennison & Turnbull 1999, chapter 9 (repeated confidence intervals).
    """
    looks = facts.run.looks
    if looks is None or not looks.in_force or row.family != HYPOTHESES:
        return row
    overall, at = looks.overall(place_of(row))
    low, high = row.low, row.high
    if row.low is not None and row.high is not None and row.n_clusters >= 2:
        # the plus-two interval has one degree of freedom more than it has units
        low, high = looks.repeated_interval(row.low, row.high, row.n_clusters + 1)
    row = replace(row, p_adjusted=overall, low=low, high=high, low_family=None, high_family=None)
    crossed = looks.crossed(place_of(row))
    if row.verdict in ("load-bearing", "reversed") and not crossed:
        return row.given("inconclusive", Reason.NO_BOUNDARY)
    if row.verdict in ("inert", "inconclusive") and crossed:
        word = "load-bearing" if (crossed[0].estimate or 0.0) > 0 else "reversed"
        return row.given(word, Reason.BOUNDARY, {"look": at})
    if row.verdict == "inert" and looks.last < looks.planned:
        return row.given("inconclusive", Reason.STOPPED_EARLY)
    return row
