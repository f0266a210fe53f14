"""ScienceWorld: the real benchmark, played through the adapter of this package."""

from loadbearing.environments.scienceworld.choice import Choice
from loadbearing.environments.scienceworld.world import ScienceWorld

__all__ = ["Choice", "ScienceWorld"]
