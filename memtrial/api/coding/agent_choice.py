"""The agent that somebody named: one with a record, or a command; and the providers that it reaches."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memtrial.api.coding.memory_choice import MemoryChoice
from memtrial.coding_agents.agent_record import AgentRecord
from memtrial.coding_agents.installed_agents import look_up
from memtrial.coding_agents.memory_tree import find_above
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS, find_agent
from memtrial.coding_trials.agent_starter import (
    AgentStarter,
    CommandStarter,
    RecordStarter,
    refuse_command,
)
from memtrial.faults import SpecFault
from memtrial.models.client.keys import Keys
from memtrial.models.client.scripted_mark import is_scripted
from memtrial.models.client.types import ModelFault
from memtrial.outcomes.count_words import how_many
from memtrial.proxy.proxy_routes import ANTHROPIC, OPENAI
from memtrial.proxy.upstreams import Upstreams, open_upstreams
from memtrial.reports.text.reading import SIMULATED

MODELS = {"claude": "sonnet"}
"""What an agent works with where no model is named, in its own words."""
SCRIPTED = "A scripted server answers in the place of a language model"
PROVIDERS = {"anthropic messages": ANTHROPIC, "openai responses": OPENAI, "openai chat": OPENAI}
"""Whose keys an agent needs, by the API that it speaks."""


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """An agent that can be started, and what a user should know of it.

    Args:
        model: in its own words; empty where that is the command's affair.
        simulated: a provider that it reaches is a scripted server, and no language model.
    """

    starter: AgentStarter
    upstreams: Upstreams
    model: str
    about: tuple[str, ...]
    simulated: bool = False


def choose_agent(agent: str, memory: MemoryChoice, model: str, keys: Keys) -> ChosenAgent:
    """The agent of this name, or the command.

    Raises:
        SpecFault: it is not installed, the memory cannot be read, or a key or a model is missing.
    """
    record = next((record for record in SHIPPED_AGENTS if record.name == agent), None)
    if record is None:
        refuse_command(agent)
        if len(agent.split()) == 1 and shutil.which(agent) is None and not os.path.isfile(agent):
            find_agent(agent)  # says which there are
        command = CommandStarter(agent, Path.cwd(), memory.carry(None, agent))
        upstreams = _open_upstreams(keys, None)
        about = (*_about_memory(command, memory.path), f"Agent: {agent}, as a command.", *_notices(upstreams))
        return _label(ChosenAgent(command, upstreams, "", about))
    named = model or MODELS.get(record.name, "")
    if not named:
        raise SpecFault(
            f"--model names the model that {record.name} works with, in its own words; got none: it is"
            f" started in a home of its own, where your settings of {record.name} do not count"
        )
    return _choose_recorded(record, memory, named, keys)


def _choose_recorded(record: AgentRecord, memory: MemoryChoice, model: str, keys: Keys) -> ChosenAgent:
    carrier = memory.carry(record, "")
    installed = look_up(record)
    if installed.state == "absent":
        raise SpecFault(
            f"{record.name} is not installed here ({record.program} is not on PATH); {record.install}"
        )
    place = Path(tempfile.gettempdir()) / "work" / "tree"
    if above := find_above(record, place):
        raise SpecFault(
            f"work trees are made in {tempfile.gettempdir()}, and {record.name} would read {above[0]} in"
            " every trial; name another folder in TMPDIR"
        )
    upstreams = _open_upstreams(keys, PROVIDERS[record.api])
    starter = RecordStarter(record, installed.version, model, carrier)
    said = f"Agent: {record.name} {installed.version or 'of unknown version'}, model {model}."
    notes = filter(None, (said, installed.warning and f"{installed.warning}."))
    about = (*_about_memory(starter, memory.path), *notes, *_notices(upstreams))
    return _label(ChosenAgent(starter, upstreams, model, about))


def _label(chosen: ChosenAgent) -> ChosenAgent:
    """The same, with a line that says so where a scripted server answers."""
    scripted = [name for name, upstream in chosen.upstreams.reached.items() if is_scripted(upstream.address)]
    if not scripted:
        return chosen
    about = (*chosen.about, f"{SCRIPTED} ({', '.join(scripted)}). {SIMULATED}")
    return replace(chosen, about=about, simulated=True)


def _open_upstreams(keys: Keys, needed: str | None) -> Upstreams:
    """The providers that can be reached; SpecFault where the one that is needed cannot."""
    try:
        upstreams = open_upstreams(keys)
    except ModelFault as fault:
        if needed is not None or keys.given:
            raise SpecFault(str(fault)) from fault
        return Upstreams({}, dict.fromkeys((ANTHROPIC, OPENAI), str(fault)))
    if needed is not None and needed not in upstreams.reached:
        raise SpecFault(upstreams.missing[needed])
    return upstreams


def _about_memory(starter: AgentStarter, memory: Path) -> Iterator[str]:
    text, server = starter.carrier.file.text, starter.carrier.server
    if server is not None:
        size = f"{how_many(len(server.items), 'item')}, {how_many(len(text), 'character')}"
        yield f"Memory: {server.server.name}, {size}; it is {starter.carrier.says}."
        yield from server.says
        return
    size = f"{how_many(len(text.splitlines()), 'line')}, {how_many(len(text), 'character')}"
    yield f"Memory: {memory.name}, {size}; it goes into {starter.carrier.says}."


def _notices(upstreams: Upstreams) -> tuple[str, ...]:
    """Where keys go but to a provider's own address."""
    return tuple(upstream.notice for upstream in upstreams.reached.values() if upstream.notice)
