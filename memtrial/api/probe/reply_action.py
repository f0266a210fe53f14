"""The action in a reply, as the agent that asked would read it."""

import json

from memtrial.agents.react import parse
from memtrial.models.client.content_blocks import ToolUse
from memtrial.models.client.types import Reply
from memtrial.perturbations.advice.known_actions import words_of

UNREADABLE = ""
"""The action of a reply that holds none."""
LABEL = "Action:"


def read_action(reply: Reply, agent: str, choices: tuple[str, ...] = ()) -> str:
    """The action, or `UNREADABLE`.

    Args:
        agent: `react` reads a thought and an action; any other takes what stands behind the last label
            `Action:`, or the whole reply. Tools that a reply calls are its action.
        choices: where the reply was to be one of them, nothing else is an action.
    """
    if choices:
        return reply.text if reply.text in choices else UNREADABLE
    calls = [block for block in reply.blocks if isinstance(block, ToolUse)]
    if calls:
        return "; ".join(f"{call.name} {_arguments(call)}" for call in calls)
    if reply.stop == "refusal":
        return UNREADABLE
    if agent == "react":
        return parse(reply.text)[1] or UNREADABLE
    return reply.text.rpartition(LABEL)[2].strip()


def name_action(action: str) -> str:
    """One name for all spellings of an action; what holds no word stays as it is."""
    return " ".join(words_of(action)) or action.strip()


def _arguments(call: ToolUse) -> str:
    """In one order of its keys, where it is JSON."""
    try:
        return json.dumps(json.loads(call.arguments), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return call.arguments.strip()
