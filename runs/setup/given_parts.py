"""Objects that Python code gave, opened, for the parts of a spec that can only be named `given`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memtrial.faults import SpecFault
from memtrial.models.client.client import Caller
from memtrial.models.embeddings.provider import open_embedder
from memtrial.plugins.bank_memory import open_bank_memory
from memtrial.plugins.given_memory import GivenMemory, is_memory_file, is_text_file, read_memory
from memtrial.plugins.own_agent import load_agent
from memtrial.plugins.own_memory import HASHING, RecallingMemory, load_memory
from memtrial.protocols import Agent, Embedder, World
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.arm_spec import GIVEN, OF_GIVEN
from memtrial.runs.spec.spec import Spec

ONLY_FROM_PYTHON = "is handed over by `memtrial.trial`, from Python; a spec names a file in its place"


@dataclass(frozen=True, slots=True)
class GivenParts:
    """What stands behind the names of a spec; a spec of a file names everything itself.

    Args:
        agent: makes the agent of one episode.
        world: opens the world of the tasks.
        memories: by the name of the arm that shows it.
        digests: sha256 of each, by a name for messages: part of the run's identity.
        notes: what a reader of the results has to know of them.
        simulated: what answers the agent is no language model.
    """

    agent: Callable[[], Agent] | None = None
    world: Callable[[], World] | None = None
    memories: Mapping[str, GivenMemory] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    simulated: bool = False

    def open_agent(self, spec: Spec) -> Agent:
        """The agent of one episode; a SpecFault where it cannot be had."""
        if self.agent is not None:
            return self.agent()
        if spec.agent == GIVEN:
            raise SpecFault(f"agent: {GIVEN} {ONLY_FROM_PYTHON}")
        return load_agent(spec.agent, spec.seed)

    def open_world(self, spec: Spec) -> World:
        """A world of the run's own; a SpecFault where it cannot be had."""
        return self.world() if self.world is not None else open_world(spec)

    def open_memory(
        self, name: str, caller: Caller, spec: Spec, embedder: Embedder = HASHING
    ) -> RecallingMemory:
        """A fresh memory that has seen nothing, by its name in the spec; a SpecFault where it is not to be
        had."""
        if name.startswith(OF_GIVEN):
            arm = name.removeprefix(OF_GIVEN)
            if arm not in self.memories:
                raise SpecFault(f"arm {arm!r}: memory: {name} {ONLY_FROM_PYTHON}")
            return self.memories[arm].open()
        if is_text_file(name):
            return read_memory(Path(name)).open()
        if is_memory_file(name):
            how = spec.retrieval
            searching = open_embedder(how.embedder, caller.model_client)
            return open_bank_memory(Path(name), searching, how.k, how.leave_out)
        return load_memory(name, caller, spec.seed, spec.retrieval.k, embedder)


NOTHING_GIVEN = GivenParts()
