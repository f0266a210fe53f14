"""Which agents are installed here, and whether in the version that their record was made with."""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Literal

from memtrial.coding_agents.agent_record import AgentRecord

InstallState = Literal["pinned", "newer", "older", "unreadable", "absent"]
VERSION = re.compile(r"(?<![\d.])(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?!\d|\.\d)")
WITHIN_S = 60.0
"""How long a program may take to say its version: some load for seconds."""


@dataclass(frozen=True, slots=True)
class InstalledAgent:
    """An agent on this machine.

    Args:
        version: what it says of itself; empty where it says none, or is not installed.
    """

    record: AgentRecord
    version: str
    state: InstallState

    @property
    def warning(self) -> str:
        """One sentence where the version is not the one whose requests were looked at; else empty."""
        record = self.record
        match self.state:
            case "newer" | "older":
                return (
                    f"{record.name} {self.version} is {self.state} than {record.pinned}, whose requests were"
                    f" looked at on {record.seen}: what it reads may differ; look at its deliveries"
                )
            case "unreadable":
                words = " ".join((record.program, *record.version_arguments))
                return f"{words} states no version; the record was made with {record.pinned}"
        return ""


def look_up(record: AgentRecord, path: str | None = None) -> InstalledAgent:
    """Ask an agent for its version, in a home of its own; `path` in place of the variable PATH."""
    program = shutil.which(record.program, path=path)
    if program is None:
        return InstalledAgent(record, "", "absent")
    version = _ask_version(program, record.version_arguments, path)
    return InstalledAgent(record, version, _compare(version, record.pinned))


def _ask_version(program: str, arguments: tuple[str, ...], path: str | None) -> str:
    with tempfile.TemporaryDirectory() as home:
        variables = {"PATH": path or os.environ.get("PATH", os.defpath), "HOME": home, "TMPDIR": home}
        try:
            done = subprocess.run(
                [program, *arguments], capture_output=True, stdin=subprocess.DEVNULL, env=variables, cwd=home,
                timeout=WITHIN_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return ""
    match = VERSION.search(done.stdout[:10_000].decode("utf-8", "replace"))
    return match[0] if match else ""


def _compare(version: str, pinned: str) -> InstallState:
    here, there = VERSION.search(version), VERSION.search(pinned)
    if here is None or there is None:
        return "unreadable"
    mine, known = [int(part) for part in here.groups()], [int(part) for part in there.groups()]
    return "pinned" if mine == known else "newer" if mine > known else "older"
