"""Whether memory that an agent has to ask for, by calling a tool, reached its model."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memtrial.models.client.content_blocks import list_strings

ToolVerdict = Literal["given", "given in part", "never given", "never activated", "nothing read"]
RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output")
"""Types of what a tool gave; in one API it is a message of the role `tool`."""
DEPTH = 2
"""How often a client may write a result as JSON within a text."""


@dataclass(frozen=True, slots=True)
class ToolDelivery:
    """What of a memory behind tools reached the model in a trial.

    Args:
        verdict: `never activated` where a tool was offered and none was called; `never given` where none was
            offered, or what a call gave stood in no request; `nothing read` where calls gave no item.
        stood: of what calls gave, the texts that stood in each request, in its order.
        offered: a tool that reads was named in some request.
    """

    verdict: ToolVerdict
    stood: tuple[tuple[str, ...], ...]
    offered: bool


@dataclass(frozen=True, slots=True)
class CalledTools:
    """The tools that read memory, and what their calls gave in a trial.

    Args:
        server: the name of their server, which clients put in front of theirs.
        called: how often one was called.
        given: the texts of memory that stood in their results.
    """

    server: str
    tools: tuple[str, ...]
    called: int
    given: tuple[str, ...]

    def is_offered(self, body: bytes) -> bool:
        """Whether a request names one of them."""
        tools, server = self.tools, self.server
        names = [name for tool in tools for name in (f"{server}_{tool}", f"{server}__{tool}")]
        names += [f'"name":{space}"{tool}"' for tool in tools for space in ("", " ")]
        return any(name.encode() in body for name in names)


def prove_tools(memory: CalledTools, bodies: Sequence[bytes]) -> ToolDelivery:
    """Look in what tools gave, in the requests of a trial, for the texts of memory.

    Args:
        bodies: of the requests, in the order in which they were sent.
    """
    offered = any(map(memory.is_offered, bodies))
    stood = tuple(tuple(_list_standing(memory.given, body)) for body in bodies)
    verdict: ToolVerdict
    if not memory.called:
        verdict = "never activated" if offered else "never given"
    elif not memory.given:
        verdict = "nothing read"
    else:
        arrived = {text for texts in stood for text in texts}
        part: ToolVerdict = "given in part" if arrived else "never given"
        verdict = "given" if arrived == {*memory.given} else part
    return ToolDelivery(verdict, stood, offered)


def list_tool_texts(body: bytes) -> tuple[str, ...]:
    """The texts that tools gave, as they stand in a request's body; none where it is no JSON object."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    waiting, texts = [request], list[str]()
    while waiting:
        part: Any = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            if part.get("type") in RESULTS or part.get("role") == "tool":
                texts += list_strings([part])
            else:
                waiting += part.values()
    return tuple(texts)


def _list_standing(given: Sequence[str], body: bytes) -> Iterator[str]:
    """The texts that a tool's results show, as they are or as JSON within a text."""
    shown = list_tool_texts(body) if given else ()
    for text in given:
        forms = {text}
        for _ in range(DEPTH):
            forms |= {json.dumps(form, ensure_ascii=ascii)[1:-1] for form in forms for ascii in (True, False)}
        if any(form in each for form in forms for each in shown):
            yield text
