"""`try --probe`: what it comes to, the questions whether to begin and to go on, and what came of it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import typer

from memtrial.cli.results.probe import show_probe
from memtrial.console.display import Display
from memtrial.console.standard_output import put, put_json
from memtrial.outcomes.count_words import how_many

if TYPE_CHECKING:
    from memtrial.api.coding.try_probe import PreparedSessions


def offer_probe(
    prepared: PreparedSessions, display: Display, begin: bool, only_said: bool, as_json: bool
) -> int:
    """Say what it comes to, ask unless it shall `begin`, play the sessions, say what calls cost, ask again,
    and show what came of them; the exit code."""
    from memtrial.api.coding.try_probe import play_out_sessions
    from memtrial.api.probe.probe import ask_prepared
    from memtrial.views.numbers import dollars

    forecast = prepared.forecast
    if only_said and as_json:
        put_json(forecast.as_json())
        return 0
    told = sys.stderr if as_json else sys.stdout
    put("\n".join(forecast.lines()), told)
    if only_said:
        return 0
    if forecast.left and not (begin or _is_wanted(f"Play {how_many(forecast.left, 'session')}?")):
        return 0
    asking = play_out_sessions(prepared, display)
    put("\n".join(asking.lines()), told)
    if not (begin or _is_wanted(f"Send at most {how_many(asking.drawn.calls, 'call')}?")):
        return 0
    begun = time.monotonic()
    ended = ask_prepared(asking, display)
    took, results = time.monotonic() - begun, ended.results
    show_probe(ended, as_json)
    if not as_json:
        put(f"{how_many(results.calls, 'call')}: {dollars(results.usd)}; {took:.0f} s this time.")
    return 0


def _is_wanted(question: str) -> bool:
    return typer.confirm(question, default=False, err=True)
