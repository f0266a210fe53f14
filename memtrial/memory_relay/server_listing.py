"""A memory server asked once, before anything is spent: which tools it has, and which items it holds."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtrial.commands.process_order import CommandFault, ProcessLimits, ProcessOrder
from memtrial.commands.process_run import run_process
from memtrial.commands.sandbox import Sandbox
from memtrial.commands.trial_folder import TrialFolder, trial_folder
from memtrial.faults import SpecFault
from memtrial.memory_relay.listed_items import list_items
from memtrial.memory_relay.listing_process import ListingAnswer, ListingOrder
from memtrial.memory_relay.relay_plan import own_command
from memtrial.memory_relay.server_description import MemoryServer
from memtrial.memory_relay.server_state import copy_state

ORDER, ANSWER, STATE = "order.json", "answer.json", "state"
STEPS = 4
"""Of asking a server: each may take the time that one answer may."""
LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ListedServer:
    """A memory server, its tools and its items.

    Args:
        prints: of each tool, by its name, in the server's order.
    """

    server: MemoryServer
    prints: Mapping[str, str]
    items: tuple[str, ...]

    @property
    def says(self) -> tuple[str, ...]:
        """What a user should know before anything is spent."""
        entry, name = self.server.entry, self.server.name
        writes = f"; {', '.join(entry.answers)} are answered and not done" if entry.answers else ""
        passes = f"; {', '.join(entry.passes)} pass" if entry.passes else ""
        state = "a copy a trial" if entry.state else "not copied: what it changes stays (state names it)"
        return (
            f"Memory server {name}: reading by {', '.join(entry.reads)}{writes}{passes}. Its state: {state}.",
            "Whether memory is read is up to the agent: a trial in which it calls no tool that reads counts,"
            " and is named.",
        )


def ask_server(server: MemoryServer, sandbox: Sandbox = Sandbox()) -> ListedServer:
    """Start it once, within a sandbox, ask, and end it.

    Raises:
        SpecFault: it does not answer, its list holds no item, or nobody said what one of its tools does.
    """
    try:
        with trial_folder(server.base) as folder:
            said = _ask(server, folder, sandbox)
    except CommandFault as fault:
        raise SpecFault(f"mcp: memory server {server.name}: {fault}") from fault
    refuse_tools(server, said.prints)
    return ListedServer(server, said.prints, list_items(said.texts, server.entry.text))


def _ask(server: MemoryServer, folder: TrialFolder, sandbox: Sandbox) -> ListingAnswer:
    entry, home = server.entry, folder.root / "home"
    state = None if server.state is None else copy_state(server.state, folder.given / STATE)
    start = server.start(folder.work, home, state)
    answer, order = folder.given / ANSWER, folder.given / ORDER
    listing = ListingOrder(start, entry.list.tool, entry.list.arguments, entry.timeout_s, str(answer))
    order.write_text(listing.as_json(), encoding="utf-8")
    words = own_command("listing_process", str(order))
    limits = ProcessLimits(STEPS * entry.timeout_s + 10, processes=256, file_bytes=2 * LARGEST)
    asking = ProcessOrder(words, folder.work, folder.variables({}), limits, folder.root)
    end = run_process(sandbox.show(server.shown).hold(asking, folder.root))
    if end.stopped:
        raise CommandFault(f"was stopped: {end.stopped}")
    if end.left:
        raise CommandFault(f"left {end.left} processes that cannot be ended")
    return read_answer(answer, end.last_line)


def read_answer(answer: Path, last_line: str) -> ListingAnswer:
    """What the process that asked wrote down. CommandFault where it says that nothing came of it."""
    try:
        if answer.stat().st_size > LARGEST:
            raise CommandFault(f"lists more than {LARGEST // 2**20} MiB")
        said = ListingAnswer(**json.loads(answer.read_bytes()))
    except (OSError, ValueError) as fault:
        raise CommandFault(f"could not be asked: {last_line}") from fault
    if said.fault:
        raise CommandFault(said.fault)
    return said


def refuse_tools(server: MemoryServer, prints: Mapping[str, str]) -> None:
    """SpecFault where a tool is not there, or nobody said whether it reads, writes or passes."""
    declared = (*server.entry.declared, server.entry.list.tool)
    if missing := next((tool for tool in declared if tool not in prints), None):
        have = ", ".join(repr(tool)[1:-1] for tool in prints) or "none"
        raise SpecFault(f"mcp: memory server {server.name} has no tool {missing}; it has {have:.500}")
    if others := [repr(tool)[1:-1] for tool in prints if tool not in server.entry.declared]:
        raise SpecFault(
            f"mcp: say of each tool of {server.name} whether it is in reads, writes or passes; of"
            f" {', '.join(others):.500} it is not said"
        )
