"""`agents`: the agents that people run, which are installed here, and how each can carry memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from memtrial.cli.options import Json
from memtrial.console.line_width import columns, fold
from memtrial.console.standard_output import put, put_json, width_of

if TYPE_CHECKING:
    from memtrial.coding_agents.installed_agents import InstalledAgent


def agents(as_json: Json = False) -> None:
    """The agents that people run: installed or not, in which version, and how they can carry memory."""
    from memtrial.coding_agents.installed_agents import look_up
    from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS

    # side by side: some take seconds to say their version
    with ThreadPoolExecutor(len(SHIPPED_AGENTS)) as pool:
        installed = tuple(pool.map(look_up, SHIPPED_AGENTS))
    if as_json:
        put_json([describe_agent(agent) for agent in installed])
        return
    width = width_of(sys.stdout)
    lines = [line for agent in installed for line in (*_list_lines(agent, width), "")]
    put("\n".join(lines[:-1]))


def describe_agent(agent: InstalledAgent) -> dict[str, object]:
    """What is known of an agent, for programs."""
    record = agent.record
    return {
        "name": record.name,
        "state": agent.state,
        "version": agent.version or None,
        "pinned": record.pinned,
        "seen": record.seen,
        "api": record.api,
        "carriers": list(record.carriers),
        "files": [place.pattern for place in record.places],
        "install": record.install,
        "warning": agent.warning or None,
    }


def _list_lines(agent: InstalledAgent, width: int | None) -> Iterator[str]:
    record = agent.record
    stands = (
        f"installed, {agent.version or 'of unknown version'}" if agent.state != "absent" else "not installed"
    )
    rows = [
        (record.name, stands),
        ("  carries", ", ".join(record.carriers)),
        (
            "  files",
            ", ".join(place.pattern for place in record.places) or "none: memory reaches it in its task",
        ),
        ("  pinned", f"{record.pinned}, looked at on {record.seen}: {record.install}"),
    ]
    yield from columns(rows, width)
    if agent.warning:
        yield from fold(f"Note: {agent.warning}", width)
