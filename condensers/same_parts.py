"""A treatment that reads of a trajectory what the control's own code gives the control."""

from dataclasses import dataclass

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import keep_parts
from memtrial.condensers.condenser import Condensation
from memtrial.prompts.control_prompts import ControlPrompts
from memtrial.protocols import Condenser


@dataclass(frozen=True)
class SameParts:
    """A condenser, and its gates, that see no judge's reason and no step where the control sees none.

    Else a contrast of the two would be one of what they were told, too.
    """

    condenser: Condenser
    control: ControlPrompts

    @property
    def name(self) -> str:
        return self.condenser.name

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory; raises what the condenser raises."""
        return await self.condenser(keep_parts(trajectory, self.control.reason, self.control.blank_actions))
