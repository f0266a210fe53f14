"""A user's agent behind the adapter: what its code raises is an error of the trial, never its failure."""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from memtrial.agents.action_choice import ChoiceAgent
from memtrial.agents.direct import DirectAgent
from memtrial.agents.episode import AgentFault
from memtrial.agents.react import ReAct
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.commands.command_spec import CommandSpec, MarkedCarrier
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.span_items import SpanItems
from memtrial.faults import SpecFault, refused
from memtrial.memory.markdown import item_texts
from memtrial.plugins.elsewhere_agent import ELSEWHERE, ElsewhereAgent
from memtrial.plugins.function_agent import FunctionAgent, acts_in_world, takes_ask
from memtrial.plugins.given_memory import read_text
from memtrial.plugins.load_plugin import Adapter, Expected, digest_of, make, name_of, refuse_lacking
from memtrial.plugins.plugin_names import settings_of
from memtrial.plugins.proxied_command import CommandAgent, MarkedText
from memtrial.protocols import Agent, AskModel
from memtrial.worlds.world import Task

SHIPPED: tuple[Agent, ...] = (ReAct(), DirectAgent(), ChoiceAgent())
NOTHING_BACK = Expected(list[Any], "nothing")


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """A user's function or object; it is made anew for each episode, so that no trial learns from another."""

    source: str
    seed: int
    name: str
    digests: tuple[str, ...]

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        """Play one episode by the user's code."""
        own = Adapter(make(self.source, {"seed": self.seed}), self.source, AgentFault)
        where = f"agent {self.name}, task {task.id},"
        await own.ask(where, NOTHING_BACK, task, world, memory, ask)


def load_command(spec: CommandSpec, seed: int) -> CommandAgent:
    """A command as an agent, to be looked at; SpecFault where a file of it cannot be read."""
    determined_by = f"{spec.model_dump_json()} {sorted(spec.digests().items())} {seed}"
    return CommandAgent(
        spec, seed, spec.name, (sha256(determined_by.encode()).hexdigest(),), _read_marked(spec)
    )


def _read_marked(spec: CommandSpec) -> MarkedText | None:
    """The memory that a command puts between marks; None where it does not. SpecFault where that fails."""
    if not isinstance(spec.carrier, MarkedCarrier):
        return None
    marks, text = MemoryMarks(*spec.carrier.marks), read_text(spec.base / spec.carrier.marked)
    if any(mark in text for mark in (marks.opening, marks.closing)):
        raise SpecFault(f"carrier.marked: {spec.carrier.marked} has marks itself; take them out")
    items = tuple(item.strip("\n") for item in item_texts(text) if item.strip())
    SpanItems(items, items)
    return MarkedText(text, items, marks)


def load_agent(source: str | CommandSpec, seed: int) -> Agent:
    """The agent that ships under this name, that `path/to/module.py:Object` names, or that a command is;
    SpecFault where the object is none."""
    for shipped in SHIPPED:  # first, for each episode asks for its agent
        if shipped.name == source:
            return replace(shipped, seed=seed) if isinstance(shipped, ChoiceAgent) else shipped
    if isinstance(source, CommandSpec):
        return load_command(source, seed)
    if source == ELSEWHERE:
        return ElsewhereAgent()
    thing = make(source, {"seed": seed})
    refuse_lacking(thing, source, "an agent", ("__call__",))
    determined_by = f"{digest_of(source)} {sorted(settings_of(source).items())} {seed}"
    name, digests = name_of(thing, source), (sha256(determined_by.encode()).hexdigest(),)
    if acts_in_world(thing):
        return OwnAgent(source, seed, name, digests)
    with refused(SpecFault, prefix=f"{source}: "):
        takes_ask(thing)
    return FunctionAgent(lambda: make(source, {"seed": seed}), source, name, digests)
