"""The baselines: a condenser that stores nothing, and one that condenses nothing away."""

from dataclasses import dataclass

from loadbearing.condensers.condenser import Condensation
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.memory.item import ProseItem
from loadbearing.memory.recount import recount


@dataclass(frozen=True)
class Nothing:
    """Every record stays empty, so every slot of its arm is."""

    name: str = "nothing"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Store nothing."""
        return Condensation(trajectory.trace_id, self.name, ())


@dataclass(frozen=True)
class Raw:
    """One prose item a trajectory: the task, the numbered steps, the outcome. No model is asked.

    Source: the raw experience of arXiv 2601.22436, to which the condensed one is compared.
    """

    view: View = "full"
    name: str = "raw"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Recount the trajectory."""
        return Condensation(trajectory.trace_id, self.name, (ProseItem(recount(trajectory, self.view)),))
