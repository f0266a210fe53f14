"""What a run cost and which models answered: by arm, by purpose, by model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import fsum

from loadbearing.ledger.calls import Answering, Spending
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.reports.model.play import Cost

PLAY = "play"
_COUNTED = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_DIGITS = 9  # a token costs no less than a thousandth of a millionth of a dollar


def cost_by_arm(trials: Iterable[TrialRow]) -> dict[str, Cost]:
    """Calls, tokens and US dollars of each arm, as if it had been played in one go.

    Calls answered from the call cache count too: how many those are depends on when a run was broken off.
    `usd` is None where the price of any trial is unknown.
    """
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_COUNTED, 0))
    prices: dict[str, list[float | None]] = defaultdict(list)
    for trial in trials:
        for name in _COUNTED:
            counts[trial.arm][name] += getattr(trial, name)
        prices[trial.arm].append(trial.usd)
    return {arm: Cost(**counts[arm], usd=_sum(prices[arm])) for arm in sorted(counts)}


def preparation_costs(spent: Iterable[Spending]) -> tuple[Spending, ...]:
    """What was spent on all purposes but playing, sorted by purpose."""
    return tuple(
        replace(one, usd=_sum([one.usd]))
        for one in sorted(spent, key=lambda one: one.purpose)
        if one.purpose != PLAY
    )


def model_notes(answered: Sequence[Answering], spent: Sequence[Spending], plan: RunPlan) -> list[str]:
    """Where another temperature was sent than the plan asks for, and where a request was altered."""
    notes = []
    asked_for, prepared = plan.temperature, any(one.purpose != PLAY for one in spent)
    for one in answered:
        others = [sent for sent in one.temperatures if sent != asked_for]
        # the backbone condenses too, and there no temperature is asked for
        if prepared and len(one.temperatures) > 1:
            others = [sent for sent in others if sent is not None]
        if one.asked in plan.backbones and asked_for is not None and others:
            sent = ", ".join("none" if other is None else f"{other:g}" for other in others)
            notes.append(
                f"{one.asked}: temperature {asked_for:g} was asked for; sent in some or all calls: {sent}"
            )
        if one.altered:
            notes.append(f"{one.asked}: in {one.altered} of {one.calls} calls a text did not stand verbatim")
    return notes


def _sum(prices: Iterable[float | None]) -> float | None:
    """The exact sum, rounded, so that no order of the calls shows; None where one is unknown."""
    known: list[float] = []
    for price in prices:
        if price is None:
            return None
        known.append(price)
    return round(fsum(known), _DIGITS)
