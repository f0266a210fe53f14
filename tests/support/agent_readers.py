"""What reads the texts of agents that people run: memory files, requests, and what they print."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from memtrial.coding_agents.agent_record import MemoryPlace
from memtrial.coding_agents.memory_delivery import prove_memory
from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.coding_agents.request_texts import list_shown_texts
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS
from memtrial.coding_agents.skill_file import split_skill
from memtrial.coding_trials.agent_starter import CommandStarter, refuse_command
from memtrial.coding_trials.memory_carrier import MemoryCarrier
from memtrial.faults import SpecFault
from memtrial.models.client.types import Message
from memtrial.models.scripted.coding.dispositions import ScriptedTask, stumble_over_oddity, teaches
from memtrial.models.scripted.coding.shown_memory import WRAPPINGS, show_memory


def _split(text: str) -> object:
    try:
        return split_skill(f"---\n{text}", "SKILL.md")
    except SpecFault as fault:
        return str(fault)


def _prove(text: str) -> object:
    """A text on trial within itself, for each place of each agent, and the text as the body of a request."""
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    places = [place for record in SHIPPED_AGENTS for place in record.places[:1] + record.places[-1:]]
    heads = f"description: {text[:50]}\n", ""
    files = [MemoryFile(text[:50], place, head, text) for place in places for head in heads]
    return [prove_memory(file, text, [body]) for file in files], list_shown_texts(
        text.encode("utf-8", "replace")
    )


def _show(text: str) -> object:
    texts = [text, *(f"{opening}{text}{head_end}{text}" for opening, head_end, _ in WRAPPINGS)]
    repeated = [f"{opening}{head_end}" * (len(text) // 8 + 1) for opening, head_end, _ in WRAPPINGS]
    return [show_memory((Message("user", each),)) for each in texts + repeated]


def _start(text: str) -> object:
    with suppress(SpecFault):
        refuse_command(text)
    carrier = MemoryCarrier(
        MemoryFile("AGENTS.md", MemoryPlace("AGENTS.md", "instructions"), "", text), "file"
    )
    starter = CommandStarter(text or "x", Path("/nonexistent"), carrier)
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    return starter.digests, carrier.leaks_into([body]), carrier.is_in(body, text)


AGENT_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "a skill's file": _split,
        "memory in a request": _prove,
        "memory as a scripted model sees it": _show,
        "what a coding agent printed": lambda text: [record.read_usage(text) for record in SHIPPED_AGENTS],
        "an agent's command, and its memory": _start,
        "memory that reads oddly": lambda text: stumble_over_oddity(ScriptedTask("", (), (), "x"), text),
        "advice as a scripted model reads it": lambda text: teaches(text, text),
    }
)
