"""The baseline: a condenser that stores nothing."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.condensers.condenser import Condensation
from loadbearing.episodes.trajectory import Trajectory


@dataclass(frozen=True)
class Nothing:
    """Every record stays empty, so every slot of its arm is."""

    name: str = "nothing"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Store nothing."""
        return Condensation(trajectory.trace_id, self.name, ())
