"""What lost a trial: each fault belongs to one boundary, which is stated where the fault is caught."""

from dataclasses import dataclass

from memtrial.agents.episode import AgentFault
from memtrial.ledger.rows import Boundary
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.client.types import ModelFault, ProviderFault
from memtrial.runs.engine.grades import GradeFault
from memtrial.worlds.world import WorldFault

LOSING = (WorldFault, MemoryFault, ModelFault)
"""Faults that lose one trial. Others stop the run, and a bug rises."""


@dataclass(frozen=True, slots=True)
class TrialFault:
    """What a row keeps of a fault.

    Args:
        boundary: whose fault it was.
        kind: in a few words, by which lost trials are counted.
        cause: all of it, for a reader.
    """

    boundary: Boundary
    kind: str
    cause: str


def attribute_fault(fault: WorldFault | MemoryFault | ModelFault) -> TrialFault:
    """What a row keeps of the fault that lost its trial."""
    match fault:
        case ProviderFault(kind=kind):
            return TrialFault("provider", kind, f"ProviderFault ({kind}): {fault}")
        case WorldFault():
            return _name_fault("world", WorldFault, fault)
        case MemoryFault():
            return _name_fault("memory", MemoryFault, fault)
        case AgentFault():
            return _name_fault("agent", AgentFault, fault)
        case GradeFault():
            return _name_fault("harness", GradeFault, fault)
    return _name_fault("provider", ModelFault, fault)


def _name_fault(boundary: Boundary, kind: type[Exception], fault: Exception) -> TrialFault:
    return TrialFault(boundary, kind.__name__, f"{kind.__name__}: {fault}")
