"""The delivery proof: did the memory text that was meant stand in every request, and what if it did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from loadbearing.ledger.rows import TrialRow
from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.model.play import Delivery, UndeliveredTrial

MOST_NAMED = 20
_NAMED = ("key", "backbone", "arm", "condition", "task", "repeat", "undelivered")


def delivery(trials: Iterable[TrialRow]) -> Delivery:
    """How many requests were to carry memory, how many did not, and the first trials among these."""
    carrying = undelivered = 0
    named: list[UndeliveredTrial] = []
    for trial in trials:
        carrying += trial.carrying
        undelivered += trial.undelivered
        if trial.undelivered and len(named) < MOST_NAMED:
            named.append(UndeliveredTrial(**{name: getattr(trial, name) for name in _NAMED}))
    return Delivery(carrying=carrying, undelivered=undelivered, trials=tuple(named))


def lost_requests(trials: Iterable[TrialRow]) -> dict[tuple[str, str], int]:
    """Requests without the memory text they were to carry, by backbone and arm, where there are any."""
    lost: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        if trial.undelivered:
            lost[trial.backbone, trial.arm] += trial.undelivered
    return lost


def delivery_alarm(found: Delivery | None) -> str:
    """What to say first where memory text was missing; empty where all is well or nothing is recorded."""
    if found is None or not found.undelivered:
        return ""
    said = (
        f"MEMORY TEXT DID NOT REACH THE PROMPT: in {found.undelivered:,} of {found.carrying:,} "
        "requests that were to carry memory it did not stand verbatim. The arms concerned are not judged."
    )
    first = [
        f"{one.backbone}, {one.arm}, {one.condition}, task {shortened(one_line(one.task), 60)}, "
        f"repeat {one.repeat} (trial {one.key[:12]})"
        for one in found.trials[:3]
    ]
    return f"{said} First trials: {'; '.join(first)}." if first else said


def delivery_sentence(found: Delivery | None) -> str:
    """The line where every request carried its text; empty otherwise."""
    if found is None or found.undelivered:
        return ""
    if not found.carrying:
        return "No request was to carry memory."
    return f"In all {found.carrying:,} requests that were to carry memory it stood verbatim."
