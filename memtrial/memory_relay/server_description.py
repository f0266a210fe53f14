"""A memory server as its user describes it: a file as `.mcp.json`, with what each tool does to memory."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memtrial.commands.tool_places import find_named
from memtrial.faults import SpecFault
from memtrial.memory_relay.relay_plan import PLACE, ServerStart

LARGEST = 1024 * 1024
VARIABLE = re.compile(r"\$\{(\w{1,100})(:-[^{}]{0,1000})?\}")
TOOL = re.compile(r"[\w./-]{1,128}")
SERVER = re.compile(r"[\w-]{1,64}")
SAVED = "Saved."
"""What a tool that writes is said to have answered, unless its user says something else."""
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")


class ToolCall(BaseModel):
    """A call of a tool: all items, or, with what stands in braces filled in, a run, a task or a new text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)

    def names(self, *words: str) -> bool:
        """Whether its arguments name one of these in braces, as `{run}`."""
        text = json.dumps(self.arguments)
        return any(f"{{{word}}}" in text for word in words)


class ServerEntry(BaseModel):
    """One server of a file.

    Args:
        command, args, env: as every client takes them; `${NAME}` stands for a variable of the user's.
        reads: tools whose results are memory.
        writes: tools that are answered and not called; a mapping names the answer of each.
        passes: tools that have nothing to do with memory.
        list: the call that gives all items.
        add, search, update: how a run is written, a task's items are found, and a text takes the place of an
            item's: where an experiment, and no agent, uses the server.
        text, id: the fields that hold an item's text and its name, where items are objects.
        nothing: what reading gives without memory.
        state: a file or folder that the server works on, named as in `args` or `env`; each trial has a copy.
        timeout_s: seconds within which it answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str = "stdio"
    command: str = Field(min_length=1)
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    reads: tuple[str, ...] = Field(min_length=1)
    writes: tuple[str, ...] | dict[str, str] = ()
    passes: tuple[str, ...] = ()
    list: ToolCall
    add: ToolCall | None = None
    search: ToolCall | None = None
    update: ToolCall | None = None
    text: str = ""
    id: str = ""
    nothing: str = ""
    state: str = ""
    timeout_s: float = Field(default=30.0, gt=0, le=600)

    @property
    def answers(self) -> dict[str, str]:
        """What each tool that writes is said to have answered."""
        return dict(self.writes) if isinstance(self.writes, dict) else dict.fromkeys(self.writes, SAVED)

    @property
    def declared(self) -> tuple[str, ...]:
        """All tools of which somebody said what they do."""
        return (*self.reads, *self.answers, *self.passes)


class ServerFile(BaseModel):
    """The file; it holds one server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mcpServers: dict[str, ServerEntry] = Field(min_length=1, max_length=1)


@dataclass(frozen=True, slots=True)
class MemoryServer:
    """A memory server that can be started.

    Args:
        name: as clients know it.
        base: the folder of its description, from which relative paths are taken.
        variables: of the user's, by which `${NAME}` is filled in.
    """

    name: str
    entry: ServerEntry
    base: Path
    variables: Mapping[str, str]

    def start(self, folder: Path, home: Path, state: Path | None) -> ServerStart:
        """How it is started, with a copy in the place of its state. SpecFault: a variable is not set."""
        entry = self.entry
        words = tuple(self._place(word, state) for word in (entry.command, *entry.args))
        own = {name: self._place(value, state) for name, value in entry.env.items()}
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        fixed = {"PATH": os.defpath, **passed, "HOME": str(home), "TMPDIR": str(folder)}
        return ServerStart(words, str(folder), {**fixed, **own})

    @property
    def shown(self) -> tuple[Path, ...]:
        """What the relay and the server read: their own folders, and what its words name."""
        words = (self.entry.command, *self.entry.args, *self.entry.env.values())
        return (PLACE / "memtrial", self.base, *find_named(self._place(word, None) for word in words))

    @property
    def state(self) -> Path | None:
        """Where its state lies; None where none is named."""
        return self.base / self._fill(self.entry.state) if self.entry.state else None

    def _place(self, word: str, state: Path | None) -> str:
        if state is not None:
            word = word.replace(self.entry.state, str(state))
        filled = self._fill(word)
        named = ("/" in filled or "." in filled.strip(".")) and not filled.startswith("/")
        # too long for a name: no file
        own = self.base / filled
        return (
            str(own)
            if named and len(filled) < 1000 and "\0" not in filled and os.path.exists(own)
            else filled
        )

    def _fill(self, text: str) -> str:
        def look_up(match: re.Match[str]) -> str:
            value = self.variables.get(match[1], match[2][2:] if match[2] else None)
            if value is None:
                raise SpecFault(
                    f"mcp: ${{{match[1]}}} is named for server {self.name}, and is not set; set it"
                )
            return value

        return VARIABLE.sub(look_up, text)


def read_server(path: Path, variables: Mapping[str, str]) -> MemoryServer:
    """The server that a file describes. SpecFault, in one line, where something does not fit."""
    needed = "mcp: a memory server is described by a file of JSON, as .mcp.json"
    try:
        if not path.is_file():
            raise SpecFault(f"{needed}; {path} is {'no file' if path.exists() else 'not there'}")
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as fault:
        raise SpecFault(f"{needed}; {path} cannot be read: {fault.strerror or fault}") from fault
    return read_description(raw, path, variables)


def read_description(raw: bytes, path: Path, variables: Mapping[str, str]) -> MemoryServer:
    """The same, of its bytes."""
    if len(raw) > LARGEST:
        raise SpecFault(f"mcp: {path.name} has more than {LARGEST // 2**20} MiB; a description is short")
    try:
        file = ServerFile.model_validate(json.loads(raw))
    except ValidationError as fault:
        raise SpecFault(f"mcp: {path.name}: {_say_error(fault)}") from fault
    except (ValueError, RecursionError) as fault:
        raise SpecFault(f"mcp: {path.name} is no JSON: {str(fault)[:200]}") from fault
    ((name, entry),) = file.mcpServers.items()
    for why in _faults(name, entry):
        raise SpecFault(f"mcp: {path.name}: {why}")
    return MemoryServer(name, entry, path.resolve().parent, variables)


def _faulty_calls(entry: ServerEntry) -> Iterator[str]:
    """What is wrong with the calls of an experiment."""
    if entry.search is not None and entry.search.tool not in entry.reads:
        yield f"search names a tool of reads; {entry.search.tool!r:.100} is none of them"
    for name, call, words in (("add", entry.add, ("run", "note")), ("update", entry.update, ("text",))):
        if call is not None and call.tool not in entry.answers:
            yield f"{name} names a tool of writes; {call.tool!r:.100} is none of them"
        if call is not None and not call.names(*words):
            yield f"the arguments of {name} name {' or '.join(f'{{{word}}}' for word in words)}"
    if entry.add is not None and not entry.state:
        yield "add writes into memory: state names the file or folder, so that a copy can stand in its place"
    if entry.update is not None and not (entry.id and entry.update.names("id")):
        yield "update says which item by {id} in its arguments, and id is the field that holds it"


def _say_error(fault: ValidationError) -> str:
    """The first error by its place; the entries beside it that a user knows come first in the place."""
    error = fault.errors(include_url=False)[0]
    place = ".".join(str(part) for part in error["loc"] if not str(part).startswith(("tuple", "dict")))
    came = "" if error["type"] in ("missing", "extra_forbidden") else f"; got {error['input']!r:.100}"
    wanted = "no such field" if error["type"] == "extra_forbidden" else error["msg"]
    return f"{place or 'the file'}: {wanted}{came}"


def _faults(name: str, entry: ServerEntry) -> Iterator[str]:
    if not SERVER.fullmatch(name):
        yield f"a server is named by letters, digits, - and _; got {name!r:.100}"
    if entry.type != "stdio":
        yield f"a server that is started by a command is relayed, type stdio; got {entry.type!r:.40}"
    if wrong := next((tool for tool in entry.declared if not TOOL.fullmatch(tool)), None):
        yield f"a tool is named by letters, digits, -, _, . and /; got {wrong!r:.100}"
    if twice := next((tool for tool in entry.declared if entry.declared.count(tool) > 1), None):
        yield f"each tool is one of reads, writes and passes; {twice} is named twice"
    if entry.list.tool in entry.answers:
        yield f"list names a tool that reads; {entry.list.tool} is in writes"
    yield from _faulty_calls(entry)
    if entry.state and not any(
        entry.state in word for word in (entry.command, *entry.args, *entry.env.values())
    ):
        yield (
            "state is a path as args or env name it, so that a copy can stand in its place;"
            f" {entry.state!r:.100} is in neither"
        )
