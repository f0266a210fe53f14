"""A command in any language as an agent for `memtrial.trial`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memtrial.commands.command_spec import RESULT, CommandSpec, read_command

__all__ = ["command_agent"]


def command_agent(
    command: str | Sequence[str],
    outcome: str | Mapping[str, Any] = RESULT,
    timeout_s: float = 600,
    carrier: str | Mapping[str, Any] = "prompt",
    setup: str | Sequence[str] | None = None,
    env: Sequence[str] = (),
    keep: str | Path | None = None,
) -> CommandSpec:
    """A command that does one task and ends, as an agent: each trial runs it in a folder of its own.

    Args:
        command: a text for the shell or a list of words, with {task_file}, {memory_file}, {prompt}, {query},
            {memory}, {folder}, {here}, {seed} and {proxy}; words that name files here by a relative path are
            taken from here.
        outcome: `result.json`, which it writes into its folder; `exit`, solved with code 0; or `{"check":
            "pytest -q"}`, a command run after it in the same folder, with a `timeout_s` of its own.
        timeout_s: what takes longer has not solved its task.
        carrier: how memory reaches it: `prompt`; `{"file": "CLAUDE.md"}` in its folder; or `{"marked":
            "notes.md"}`: it has this text by itself, and sends it between marks.
        setup: a command that prepares its folder.
        env: names of variables of yours that it gets.
        keep: a folder in which those of the trials are left.

    Raises:
        SpecFault: something of that does not fit.
    """
    raw = {
        "command": command if isinstance(command, str) else tuple(command),
        "outcome": outcome,
        "timeout_s": timeout_s,
        "carrier": carrier,
        "setup": setup if setup is None or isinstance(setup, str) else tuple(setup),
        "env": tuple(env),
        "keep": keep,
    }
    return read_command(raw)
