"""Calls, faults and money of a run at this moment, for its progress display."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ProviderSlot:
    """Requests to one provider: in flight, how many may be now, and how many at most."""

    active: int
    limit: int
    most: int


@dataclass(frozen=True, slots=True)
class CallStats:
    """Calls, faults and money.

    Args:
        calls: answered in this session, those from the call cache not among them.
        cached: answered from the call cache in this session.
        usd: spent over all sessions of the run, as far as prices are known.
        unpriced: calls whose price is not known.
        faults: requests of this session without an answer, by kind.
    """

    calls: int = 0
    cached: int = 0
    usd: float = 0.0
    max_usd: float | None = None
    unpriced: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    slots_by_provider: Mapping[str, ProviderSlot] = field(default_factory=dict)
