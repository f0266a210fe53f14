"""What reads the texts of agents that people run: memory files, requests, and what they print."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from memtrial.coding_agents.agent_record import MemoryPlace
from memtrial.coding_agents.due_memory import expect_memory
from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS
from memtrial.coding_agents.skill_file import split_skill
from memtrial.coding_trials.agent_starter import CommandStarter, refuse_command
from memtrial.coding_trials.carried_memory import carry_between_marks
from memtrial.coding_trials.memory_carrier import MemoryCarrier
from memtrial.delivery.marked_request import MarkFault, rewrite_request
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.seen_requests import see_request
from memtrial.delivery.shown_texts import list_shown
from memtrial.delivery.span_items import SpanItems
from memtrial.delivery.text_delivery import prove_absence, prove_text
from memtrial.delivery.tool_delivery import CalledTools
from memtrial.faults import SpecFault
from memtrial.memory_relay.listed_items import list_items
from memtrial.memory_relay.messages import read_message
from memtrial.memory_relay.relay_trial import read_log
from memtrial.memory_relay.relayed_results import replace_items
from memtrial.memory_relay.server_description import read_description
from memtrial.memory_relay.shown_items import ItemTable
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
    shown = list_shown(body)
    due = [expect_memory(file, text) for file in files]
    return (
        [prove_text(each, [shown]) for each in due],
        prove_absence(text, [shown]),
        see_request("", shown, dict.fromkeys((text,), due[0])),
        list_shown(text.encode("utf-8", "replace")),
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
    with suppress(SpecFault):
        carry_between_marks(carrier, MemoryMarks(), lambda part: (part,), True)
    return CommandStarter(text or "x", Path("/nonexistent"), carrier).digests


def _rewrite(text: str) -> object:
    """A text on trial between marks, as it stands, as a client numbers it, and in JSON within a text; and as
    the text around them."""
    marks = MemoryMarks()
    numbered = "".join(f"{number:>6}\t{line}\n" for number, line in enumerate(text.split("\n")))
    spans = [f"{marks.opening}{part}{marks.closing}" for part in (text, f"\n{numbered}")]
    told = [*spans, json.dumps({"output": spans[0]}), marks.opening + text, text * 2, spans[0] * 3]
    body = json.dumps({"system": told[0], "messages": told}).encode()
    made: list[object] = []
    for raw in (body, text.encode("utf-8", "surrogatepass"), *(json.dumps([part]).encode() for part in told)):
        for known in ((text,), tuple(text.split("\n\n")), ("x", text[: len(text) // 2])):
            with suppress(MarkFault, SpecFault):
                made.append(rewrite_request(raw, "", marks, SpanItems(known, known)))
    return made


def _relay(text: str) -> object:
    """What a memory server says: its lines, results and items."""
    raw = text.encode("utf-8", "surrogatepass")
    lines = [read_message(line) for line in raw.splitlines()]
    items = [item for item in text.split("\n")[:200] if item.strip()] or ["x"]
    table = ItemTable([(item, item[::-1]) for item in items])
    result = {"content": [{"type": "text", "text": text}]}
    shown = [replace_items(result, table, lambda _: None), ItemTable([(text, "x")]).show(f"{text} {text}")]
    called = CalledTools("notes", ("search",), 1, (text,))
    body = json.dumps({"messages": [{"role": "tool", "content": text}]}).encode()
    with suppress(SpecFault):
        shown.append(list_items([text], ""))
    with suppress(SpecFault):
        shown.append(read_description(raw, Path("server.json"), {}))
    return (
        lines,
        shown,
        [called.see("d", each, list_shown(each)) for each in (body, raw)],
        read_log(raw, items),
    )


AGENT_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "a skill's file": _split,
        "memory in a request": _prove,
        "a request with marks": _rewrite,
        "memory as a scripted model sees it": _show,
        "what a coding agent printed": lambda text: [record.read_usage(text) for record in SHIPPED_AGENTS],
        "an agent's command, and its memory": _start,
        "what a memory server says": _relay,
        "memory that reads oddly": lambda text: stumble_over_oddity(ScriptedTask("", (), (), "x"), text),
        "advice as a scripted model reads it": lambda text: teaches(text, text),
    }
)
