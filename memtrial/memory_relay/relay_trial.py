"""One trial of a memory server: its plan laid out beside the work tree, and what its log says in the end."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from memtrial.memory_relay.relay_plan import RelayPlan, own_command
from memtrial.memory_relay.server_listing import ListedServer
from memtrial.memory_relay.server_state import copy_state

PLAN, LOG, STATE, WORK, HOME = "relay.json", "relay.jsonl", "state", "server", "server_home"
LARGEST_LOG = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RelayReport:
    """What passed through a relay in a trial.

    Args:
        called: calls of tools that read memory.
        wrote: calls of tools that write, none of which was carried out.
        given: the texts that stood in place of items in what was read, each once.
        known, unknown: letters and digits within items and outside of any, in what was read.
        stranger: the longest text outside of any.
        fault: why the server was not used any more; empty where all was well.
        counts: what was left out or refused.
    """

    called: int = 0
    wrote: int = 0
    given: tuple[str, ...] = ()
    known: int = 0
    unknown: int = 0
    stranger: str = ""
    fault: str = ""
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def unknown_share(self) -> float:
        """The share of what was read that is no item, and was passed as it is; 0 of nothing."""
        return self.unknown / total if (total := self.known + self.unknown) else 0.0


def lay_out(listed: ListedServer, given: Path, items: Sequence[str]) -> tuple[str, ...]:
    """Write the plan of a trial that shows these items, and copy the server's state: the relay's command.

    Args:
        given: a folder outside of the work tree.
        items: what is shown, in the order of the server's; none where memory is taken away. As many as there
            are items stand in their places; more or fewer are dealt out in their order.

    Raises:
        SpecFault: the state cannot be copied, or a variable is not set.
        OSError: nothing can be written.
    """
    server = listed.server
    for name in (WORK, HOME):
        (given / name).mkdir()
    state = None if server.state is None else copy_state(server.state, given / STATE)
    start = server.start(given / WORK, given / HOME, state)
    pairs = tuple(zip(listed.items, deal_out(items, len(listed.items)), strict=True))
    entry = server.entry
    plan = RelayPlan(
        start=start,
        reads=entry.reads,
        answers=entry.answers,
        prints=listed.prints,
        items=pairs,
        nothing=entry.nothing,
        withheld=not items,
        timeout_s=entry.timeout_s,
        log=str(given / LOG),
    )
    (given / PLAN).write_text(plan.as_json(), encoding="utf-8")
    return own_command("relay_process", str(given / PLAN))


def deal_out(items: Sequence[str], places: int) -> tuple[str, ...]:
    """Texts for so many places, each in its order: several share one, or one stands in several."""
    if not items:
        return ("",) * places
    if len(items) <= places:
        return tuple(items[place * len(items) // places] for place in range(places))
    cuts = [place * len(items) // places for place in range(places + 1)]
    return tuple("\n\n".join(items[low:high]) for low, high in pairwise(cuts))


def read_report(given: Path, items: Sequence[str], places: int) -> RelayReport:
    """What the log of a trial says; nothing passed where there is none. `items` as they were laid out."""
    try:
        with (given / LOG).open("rb") as file:
            raw = file.read(LARGEST_LOG)
    except FileNotFoundError:
        return RelayReport()
    return read_log(raw, deal_out(items, places))


def read_log(raw: bytes, shown: Sequence[str]) -> RelayReport:
    """A log, given the text in the place of each item; a line that is none is left out."""
    entries = [entry for line in raw.splitlines() if (entry := _parse(line))]
    reads = [entry for entry in entries if entry.get("reads") is True]
    listed = [entry["items"] for entry in entries if isinstance(entry.get("items"), list)]
    places = [place for items in listed for place in items if type(place) is int]
    given = dict.fromkeys(
        shown[place] for place in places if 0 <= place < len(shown) and shown[place].strip()
    )
    counts = Counter[str]()
    for entry in entries:
        left_out = entry.get("counts")
        counts.update(
            {name: _count(left_out, name) for name in left_out} if isinstance(left_out, dict) else {}
        )
    return RelayReport(
        called=len(reads),
        wrote=sum(entry.get("wrote") is True for entry in entries),
        given=tuple(given),
        known=sum(_count(entry, "known") for entry in reads),
        unknown=sum(_count(entry, "unknown") for entry in reads),
        stranger=max((str(entry.get("stranger", "")) for entry in reads), key=len, default=""),
        fault=next((str(entry["fault"]) for entry in entries if "fault" in entry), ""),
        counts=counts,
    )


def _count(entry: dict[str, Any], name: str) -> int:
    """A count of a log that an agent may have written to."""
    value = entry.get(name)
    return value if type(value) is int else 0


def _parse(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}
