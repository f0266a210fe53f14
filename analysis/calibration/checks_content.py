"""Estimands that mean what they say: content apart from startle, and the share of utility it carries."""

from __future__ import annotations

from loadbearing.analysis.calibration.bands import Check, at_least, at_most
from loadbearing.analysis.calibration.bench import LARGE, Bench
from loadbearing.analysis.calibration.cast import (
    FORMAT_ONLY,
    HALF_CARRIED,
    QUARTER_CARRIED,
    STARTLED,
    follower,
)
from loadbearing.analysis.calibration.checks_error import DROP, as_promised
from loadbearing.analysis.calibration.participants import DAMAGE, MEMORY, truth
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.secondary.content_effect import content_effect
from loadbearing.analysis.secondary.retention import CARRIES, PLACEBO, retention

CONTENT = content_effect(MEMORY, DAMAGE)
ABOVE_HALF, BELOW_QUARTER = (retention(MEMORY, DAMAGE, share) for share in (CARRIES, PLACEBO))


def startle(bench: Bench) -> tuple[Check, ...]:
    """Who stumbles over garbage has a drop and no content effect; who reads has both."""
    alpha = bench.plan.alpha
    naive = bench.measured(STARTLED, DROP, LARGE)
    corrected = bench.measured(STARTLED, CONTENT, LARGE)
    return (
        at_least(f"startle passes for content in the bare drop: {LARGE}", naive.p <= alpha, 0.6),
        at_most(f"type I: startled, content effect, {LARGE}", corrected.p <= alpha, alpha),
        _power(bench, CONTENT),
    )


def retained(bench: Bench) -> tuple[Check, ...]:
    """Format alone carries nothing; at the border, each side is called at most alpha/2 of the time."""
    alpha = bench.plan.alpha
    checks = []
    for who in (FORMAT_ONLY, HALF_CARRIED):
        seen = bench.measured(who, ABOVE_HALF, LARGE)
        carries = (seen.p <= alpha) & (seen.estimate > 0)
        checks.append(at_most(f"called carrying: {who.name}, {LARGE}", carries, alpha / 2))
    for who in (follower(0.9), QUARTER_CARRIED):
        seen = bench.measured(who, BELOW_QUARTER, LARGE)
        placebo = (seen.p <= alpha) & (seen.estimate < 0)
        checks.append(at_most(f"called placebo: {who.name}, {LARGE}", placebo, alpha / 2))
    seen = bench.measured(FORMAT_ONLY, BELOW_QUARTER, LARGE)
    found = (seen.p <= alpha) & (seen.estimate < 0)
    true = truth(FORMAT_ONLY, BELOW_QUARTER.weights)
    checks.append(as_promised(f"placebo found: format-only, {LARGE}", found, true, LARGE, alpha))
    return (*checks, _power(bench, ABOVE_HALF))


def _power(bench: Bench, contrast: Contrast) -> Check:
    """A follower whose content carries everything is seen as often as planned."""
    who = follower(0.5)
    seen = bench.measured(who, contrast, LARGE)
    shown = (seen.p <= bench.plan.alpha) & (seen.estimate > 0)
    name, true = f"power: {who.name}, {contrast.estimand}, {LARGE}", truth(who, contrast.weights)
    return as_promised(name, shown, true, LARGE, bench.plan.alpha)
