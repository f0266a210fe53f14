"""Whether memory that an agent has to ask for, by calling a tool, reached its model."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtrial.coding_agents.request_texts import list_shown_texts

ToolVerdict = Literal["given", "given in part", "never given", "never activated", "nothing read"]


@dataclass(frozen=True, slots=True)
class ToolDelivery:
    """What of a memory behind tools reached the model in a trial.

    Args:
        verdict: `never activated` where a tool was offered and none was called; `never given` where none was
            offered, or what a call gave stood in no request; `nothing read` where calls gave no item.
        stood: of what calls gave, the texts that stood in each request, in its order.
        offered: a tool that reads stood among the tools of some request.
    """

    verdict: ToolVerdict
    stood: tuple[tuple[str, ...], ...]
    offered: bool


def prove_tools(
    tools: Sequence[str], called: int, given: Sequence[str], bodies: Sequence[bytes]
) -> ToolDelivery:
    """Look in the requests of a trial for what tools gave.

    Args:
        tools: names of those that read memory; a client may put a prefix in front.
        called: how often one was called.
        given: the texts of memory that stood in their results.
        bodies: of the requests, in the order in which they were sent.
    """
    offered = any(tool.encode() in body for tool in tools for body in bodies)
    stood = tuple(tuple(_list_standing(given, body)) for body in bodies)
    arrived = {text for texts in stood for text in texts}
    if not called:
        return ToolDelivery("never activated" if offered else "never given", stood, offered)
    if not given:
        return ToolDelivery("nothing read", stood, offered)
    whole = len(arrived) == len(set(given))
    return ToolDelivery("given" if whole else "given in part" if arrived else "never given", stood, offered)


def _list_standing(given: Sequence[str], body: bytes) -> Iterator[str]:
    """The texts that stand in what a request shows, as they are or as JSON within a text, twice at most."""
    shown = list_shown_texts(body) if given else ()
    for text in given:
        forms = {text}
        for _ in range(2):
            forms |= {json.dumps(form, ensure_ascii=ascii)[1:-1] for form in forms for ascii in (True, False)}
        if any(form in each for form in forms for each in shown):
            yield text
