"""How an agent is started in a work tree: one with a record as its record says, any other by a command."""

import json
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from memtrial.coding_agents.agent_record import (
    AgentRecord,
    AgentStart,
    Connection,
    ToolServer,
    refuse_start,
)
from memtrial.coding_trials.memory_carrier import MemoryCarrier
from memtrial.commands.tool_places import find_named
from memtrial.faults import SpecFault
from memtrial.repositories.coding_task import PLACE, CodingTask

PLACEHOLDER = re.compile(r"\{([a-z_]{1,40})\}")
NAMES = ("task_file", "memory_file", "prompt", "folder", "proxy", "mcp_config")
WORD = re.compile(r"[\w./+-]+")
"""A word of a command that may name a file of the user's."""
TASK, MEMORY, SERVERS = "task.json", "memory.md", "mcp.json"
NO_START = (126, 127)
"""Exit codes of a shell whose command cannot be started."""


@dataclass(frozen=True, slots=True)
class ProxyAccess:
    """Where a trial's requests go.

    Args:
        variables: those that send the providers' own clients there.
    """

    url: str
    token: str
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StartPlaces:
    """The folders of a trial: the work tree, its home, and one beside for what is handed over as files.

    Args:
        server: that the agent's client is to start for its memory; None for none.
    """

    tree: Path
    home: Path
    given: Path
    server: ToolServer | None = None


@dataclass(frozen=True, slots=True)
class StartLine:
    """A command for a shell, and what it adds to the environment."""

    command: str
    variables: Mapping[str, str]


class AgentStarter(Protocol):
    """Starts one kind of agent.

    Attributes:
        name: in tables, and of the run's folder.
        carrier: how memory reaches it.
        digests: sha256 of each thing that determines what it does, as far as it is known, by a name.
        needs_model: it does nothing without a provider.
        shown: files and folders that it needs to read, wherever it works.
    """

    @property
    def name(self) -> str: ...

    @property
    def carrier(self) -> MemoryCarrier: ...

    @property
    def digests(self) -> Mapping[str, str]: ...

    @property
    def needs_model(self) -> bool: ...

    @property
    def shown(self) -> tuple[Path, ...]: ...

    def prepare(self, task: CodingTask, shown: str, places: StartPlaces, access: ProxyAccess) -> StartLine:
        """What starts it on a task; files that it is given are written outside of the work tree."""


@dataclass(frozen=True, slots=True)
class RecordStarter:
    """An agent that people run, by its record.

    Args:
        version: what the installed one says of itself.
    """

    record: AgentRecord
    version: str
    model: str
    carrier: MemoryCarrier
    needs_model: bool = True

    @property
    def shown(self) -> tuple[Path, ...]:
        """What its memory needs; its program lies on PATH."""
        return self.carrier.shown

    @property
    def name(self) -> str:
        """The record's."""
        return self.record.name

    @property
    def digests(self) -> Mapping[str, str]:
        """Of its version, its model and how memory reaches it."""
        parts = (self.record.name, self.version, self.model, *self.carrier.parts, self.carrier.file.path)
        return {"the agent": _digest("\0".join(parts))}

    def prepare(self, task: CodingTask, shown: str, places: StartPlaces, access: ProxyAccess) -> StartLine:
        prompt = self.carrier.add_to(task.instructions, shown)
        way = self.carrier.way
        refuse_start(self.record, "file" if way == "file beside" else way, prompt)
        connection = Connection(access.url, access.token)
        start = AgentStart(prompt, places.home, self.model, connection, server=places.server)
        launch = self.record.launch(start)
        for name, text in launch.files.items():
            path = places.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return StartLine(shlex.join(launch.arguments), launch.variables)


@dataclass(frozen=True, slots=True)
class CommandStarter:
    """Any command for a shell, with placeholders in braces; it works in the work tree.

    Args:
        base: the user's folder. Words that name a file by a path relative to it stand for that file.
    """

    command: str
    base: Path
    carrier: MemoryCarrier
    needs_model: bool = False

    @property
    def shown(self) -> tuple[Path, ...]:
        """The user's folder: a program may need more of it than is named."""
        return (self.base, *find_named([self.command]), *self.carrier.shown)

    @property
    def name(self) -> str:
        """Its first file of the user's, or its program."""
        first = next(iter(self._files()), self.command.split()[0])
        return re.sub(r"[^\w.+-]+", "-", Path(first).name).strip("-.") or "command"

    @property
    def digests(self) -> Mapping[str, str]:
        """Of the command, and of the user's files that it names."""
        files = {name: sha256((self.base / name).read_bytes()).hexdigest() for name in self._files()}
        return {"the agent": _digest("\0".join((self.command, *self.carrier.parts))), **files}

    def prepare(self, task: CodingTask, shown: str, places: StartPlaces, access: ProxyAccess) -> StartLine:
        prompt, task_file, memory_file = task.instructions, places.given / TASK, places.given / MEMORY
        if places.server is not None:
            (places.given / SERVERS).write_text(places.server.as_json(), encoding="utf-8")
        check = "" if PLACE in task.check else task.check
        body = {"id": task.id, "prompt": prompt, "tests": list(task.tests), "check": check}
        task_file.write_text(json.dumps(body, ensure_ascii=False) + "\n", encoding="utf-8")
        memory_file.write_text(self.carrier.put_beside(shown), encoding="utf-8")
        files = (task_file, memory_file, prompt, places.tree, access.url, places.given / SERVERS)
        values = dict(zip(NAMES, files, strict=True))
        own = WORD.sub(lambda word: self._place_of(word[0]), self.command)
        line = PLACEHOLDER.sub(lambda name: shlex.quote(str(values[name[1]])), own)
        return StartLine(line, access.variables)

    def _files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for word in WORD.findall(self.command) if self._is_own(word)))

    def _is_own(self, word: str) -> bool:
        # a program's own path is no file of the user's
        named = bool(Path(word).suffix) if word.startswith("/") else "/" in word or "." in word.strip(".")
        return named and os.path.isfile(self.base / word)  # False, too, where a name is too long

    def _place_of(self, word: str) -> str:
        return shlex.quote(str((self.base / word).resolve())) if self._is_own(word) else word


def refuse_command(command: str) -> None:
    """SpecFault where a command is blank, or names what nothing stands for."""
    if not command.strip():
        raise SpecFault("an agent is the name of one that `memtrial agents` lists, or a command; got nothing")
    for match in PLACEHOLDER.finditer(command):
        if match[1] not in NAMES:
            known = ", ".join(f"{{{name}}}" for name in NAMES)
            raise SpecFault(f"{match[0]} stands for nothing in an agent's command; there are {known}")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
