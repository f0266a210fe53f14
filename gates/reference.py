"""Unrelated states a Trigger is tried on: one that holds at half of them fires on everything."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from loadbearing.episodes.trajectory import Moment


@cache
def reference_moments() -> tuple[Moment, ...]:
    """The shipped moments, each with a task, a state and a proposed action."""
    lines = (Path(__file__).parent / "reference_states.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Moment(**json.loads(line)) for line in lines)
