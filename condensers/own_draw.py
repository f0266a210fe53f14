"""A draw for each trajectory: equal ones are condensed each for itself, as upstream asks for each."""

from dataclasses import dataclass

from memtrial.agents.trajectory import Trajectory
from memtrial.condensers.condenser import Condensation
from memtrial.models.client.client import Caller
from memtrial.protocols import Condenser


@dataclass(frozen=True)
class OwnDraw:
    """A condenser whose calls are those of one trajectory, by its id; those of its gates may be shared.

    Args:
        caller: what the condenser asks with.
        of: whose trajectories they are, where others have the same ids.
    """

    condenser: Condenser
    caller: Caller
    of: str = ""

    @property
    def name(self) -> str:
        return self.condenser.name

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory; raises what the condenser raises."""
        with self.caller.separate_draw(" ".join(filter(None, (self.of, trajectory.trace_id)))):
            return await self.condenser(trajectory)
