"""What is known of a coding agent that people run: a value that its file declares.

Everything in a record was seen in the requests of the version that it names (docs/agents_people_run.md).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtrial.faults import SpecFault

Api = Literal["anthropic messages", "openai responses", "openai chat"]
CarrierName = Literal["prompt", "file", "marker", "mcp"]
PlaceKind = Literal["instructions", "skill", "memory folder"]
LONGEST_ARGUMENT = 120_000
"""Bytes of a task: Linux starts no program with an argument of 128 KiB."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a model answers.

    Args:
        url: of the provider or of a proxy, without `/v1` and a slash at its end.
        token: what is sent as the key; a proxy's token in place of the user's key.
    """

    url: str
    token: str


@dataclass(frozen=True, slots=True)
class ToolServer:
    """A server of tools (MCP) that the agent's client starts by itself.

    Args:
        name: under which its tools are offered.
        words: the program and its arguments; it speaks over standard input and output.
    """

    name: str
    words: tuple[str, ...]

    def as_json(self) -> str:
        """As most clients' files of configuration name it."""
        program, *rest = self.words
        return json.dumps({"mcpServers": {self.name: {"command": program, "args": rest}}})


@dataclass(frozen=True, slots=True)
class AgentStart:
    """What an agent is started with: its task, the home made for this trial alone, the model and where it is.

    Args:
        memory: a folder of memory is put into the home, so that the agent's own memory stays switched on.
        server: of tools, beside the agent's own; None for none.
    """

    task: str
    home: Path
    model: str
    connection: Connection
    memory: bool = False
    server: ToolServer | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """How an agent is started.

    Args:
        arguments: the program first, or a shell that becomes the program.
        variables: of its environment, beside PATH and LANG; none of the user's own.
        files: its configuration: texts by their path within the home.
    """

    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """Tokens and US dollars by the agent's own count; None where it states none."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """A file, or files, from which an agent takes memory.

    Args:
        pattern: relative to the work tree; for a memory folder to the home. `*` stands for one name.
        stand_ins: patterns of what the agent reads in its place, or beside it, where it is missing.
        hides_comments: HTML comments that fill whole lines do not reach the model.
        fills_in: `$ARGUMENTS` in it is replaced.
    """

    pattern: str
    kind: PlaceKind
    stand_ins: tuple[str, ...] = ()
    hides_comments: bool = False
    fills_in: bool = False


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """An agent that people run.

    Args:
        install: the command that installs the pinned version.
        version_arguments: what makes the program print its version.
        seen: the day on which its requests were looked at.
        places: where it takes memory from, by file.
        read_above: names of files that it also reads in the folders above the work tree.
        launch: how it is started.
        read_usage: reads what it printed.
        transcript: pattern of the file within the home that holds what was said; empty where there is none.
        refusal_status: an HTTP status with which a refused request costs no, or the fewest, retries.
    """

    name: str
    program: str
    install: str
    pinned: str
    seen: str
    api: Api
    carriers: tuple[CarrierName, ...]
    places: tuple[MemoryPlace, ...]
    launch: Callable[[AgentStart], Launch]
    read_usage: Callable[[str], AgentUsage]
    version_arguments: tuple[str, ...] = ("--version",)
    read_above: tuple[str, ...] = ()
    transcript: str = ""
    refusal_status: int = 400


def refuse_start(record: AgentRecord, carrier: CarrierName, task: str) -> None:
    """SpecFault where an agent cannot carry memory in this way, or the task is too long for it."""
    if carrier not in record.carriers:
        raise SpecFault(
            f"{record.name} carries memory by {', '.join(record.carriers)}; got {carrier}; name one of these"
        )
    size = len(task.encode())
    if size > LONGEST_ARGUMENT:
        raise SpecFault(
            f"a task is at most {LONGEST_ARGUMENT} bytes long, as {record.name} takes it as an argument;"
            f" got {size}; put the memory into a file"
        )
