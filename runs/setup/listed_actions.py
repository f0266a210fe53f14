"""Whether a world lists the actions that an agent is to choose among."""

from memtrial.agents.action_choice import ChoiceAgent
from memtrial.commands.command_spec import CommandSpec
from memtrial.faults import SpecFault, refused
from memtrial.protocols import World
from memtrial.worlds.world import WorldFault


def refuse_unlisted(agent: str | CommandSpec, world: World) -> None:
    """SpecFault where the agent chooses among actions, and the first task begins without any."""
    first = next(iter(world.tasks("test")), None)
    if agent != ChoiceAgent().name or first is None:
        return
    with refused(WorldFault):
        state = world.reset(first)
    if not state.actions:
        raise SpecFault(
            f"agent: {agent} needs a world that lists the actions there are, as the workshop does;"
            f" {world.name} lists none: name react, direct or an agent of your own"
        )
