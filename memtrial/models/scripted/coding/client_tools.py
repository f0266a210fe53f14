"""The tools that real coding agents offer their model, and calls of them.

As seen on 2026-11-27: Claude Code 2.1.330 has `Bash` and `Skill`, Codex 0.169.0 `exec_command`, opencode
1.18.33 and mini-swe-agent 2.4.6 `bash`, opencode also `skill`.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memtrial.models.client.content_blocks import ToolUse
from memtrial.models.client.types import Request
from memtrial.models.scripted.coding.dispositions import FileEdit
from memtrial.models.scripted.protocol import Refused

SHELLS = {"Bash": "command", "exec_command": "cmd", "bash": "command"}
"""A tool that runs a command in a shell, and the name of its argument."""
SKILLS = {"Skill": "skill", "skill": "name"}
"""A tool that shows the body of a skill, and the name of its argument."""
DESCRIBED = ("Bash", "bash")
"""Shells that want a word on what the command does."""
SKILL_FOLDER = ".agents/skills"
"""Where a client keeps skills that has no tool for them: its model reads the file."""
SEARCH, SERVERS = "ToolSearch", re.compile(r"\bmcp__\w{1,200}")
RECALL = "recall_"
"""How the calls begin that ask a memory server, so that their results are known as memory."""
HEREDOC = "END_OF_SCRIPTED_FILE"
GOODBYE = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""How mini-swe-agent is told that the work is done; others end where no tool is called."""


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """What a client offers in a request.

    Args:
        shell: the tool that runs a command; empty where none is offered.
        skill: the tool that shows a skill; empty where none is offered.
        ends_by_command: the client goes on until a command says that the work is done.
        names: of all tools, as the client calls them.
        spaces: the namespace of a tool, by its name, where it has one.
    """

    shell: str
    skill: str
    ends_by_command: bool
    names: tuple[str, ...] = ()
    spaces: Mapping[str, str] = field(default_factory=dict)


def read_tools(request: Request) -> OfferedTools:
    """The tools of a request; none where the client asks for something else, as a title."""
    settings = json.loads(request.settings) if request.settings else {}
    listed = [tool for tool in settings.get("tools") or () if isinstance(tool, dict)]
    names = [_read_name(tool) for tool in listed]
    # Codex lists the tools of a server within a namespace
    spaces = {
        inner["name"]: tool["name"]
        for tool in listed
        if tool.get("type") == "namespace"
        for inner in tool.get("tools") or ()
        if isinstance(inner, dict) and _read_name(inner)
    }
    shell = next((name for name in names if name in SHELLS), "")
    skill = next((name for name in names if name in SKILLS), "")
    ends = any(GOODBYE in message.text for message in request.messages if message.role != "assistant")
    return OfferedTools(shell, skill, ends, (*names, *spaces), spaces)


def _read_name(tool: dict[str, object]) -> str:
    inner = tool.get("function")
    name = inner.get("name") if isinstance(inner, dict) else tool.get("name")
    return name if isinstance(name, str) else ""


def call_shell(tools: OfferedTools, number: int, command: str) -> ToolUse:
    """A call of the shell; Refused where the client offers none."""
    if not tools.shell:
        raise Refused(400, "the scripted model works with a shell, and this client offers none")
    fields = {SHELLS[tools.shell]: command}
    if tools.shell in DESCRIBED:
        fields["description"] = "a step of the script"
    return ToolUse(f"call_{number}", tools.shell, json.dumps(fields))


def call_skill(tools: OfferedTools, number: int, name: str) -> ToolUse:
    """A call that brings the body of a skill before the model."""
    if tools.skill:
        return ToolUse(f"call_{number}", tools.skill, json.dumps({SKILLS[tools.skill]: name}))
    return call_shell(tools, number, f"cat {shlex.quote(f'{SKILL_FOLDER}/{name}/SKILL.md')}")


def call_recall(request: Request, tools: OfferedTools, name: str, query: str) -> Iterator[ToolUse]:
    """Calls that ask a memory server's tool, to which clients put a prefix; none where it is not there.

    Claude Code names such tools, and gives them once they were searched for by another tool.
    """
    texts = [message.text for message in request.messages if message.role != "assistant"]
    words = [word for text in texts for word in SERVERS.findall(text)]
    named = next((word for word in words if word.endswith(f"__{name}")), "")
    if SEARCH in tools.names and named:
        yield ToolUse(f"search_{name}", SEARCH, json.dumps({"query": f"select:{named}", "max_results": 1}))
    offered = next((each for each in tools.names if each.endswith(name)), named)
    if offered:
        more = json.dumps({"namespace": tools.spaces[offered]}) if offered in tools.spaces else ""
        yield ToolUse(f"{RECALL}{name}", offered, json.dumps({"query": query}), more=more)


def write_files(edits: Sequence[FileEdit]) -> str:
    """A command that writes some files, each with a line break at its end."""
    parts = []
    for edit in edits:
        folder, _, _ = edit.path.rpartition("/")
        text = edit.text if edit.text.endswith("\n") else f"{edit.text}\n"
        made = f"mkdir -p {shlex.quote(folder)}\n" if folder else ""
        parts.append(f"{made}cat > {shlex.quote(edit.path)} <<'{HEREDOC}'\n{text}{HEREDOC}\n")
    return "".join(parts) or ":"
