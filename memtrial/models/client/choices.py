"""A reply that is one of given texts: held to them, and the shares of the others kept with it."""

import json
import math
from dataclasses import replace

from memtrial.models.client.types import ProviderFault, Reply, Request
from memtrial.protocols import Backend

CLOSE = 1e-6
"""How far from 1 the sum of shares may lie."""


async def answer_held(backend: Backend, request: Request, repeat: int) -> Reply:
    """As `Backend.answer`; where there are choices, nothing else comes out."""
    try:
        reply = await backend.answer(request, repeat)
    except ProviderFault as fault:
        raise explain_refused(request, fault) from fault
    return hold_to_choices(request, reply)


def hold_to_choices(request: Request, reply: Reply) -> Reply:
    """The reply with the choice it is as its text, verbatim; as it came where the request is free.

    A refusal is the model's answer, and stays one.

    Raises:
        ProviderFault: it is none of the choices; the server did not keep to them.
    """
    if not request.choices or reply.stop == "refusal":
        return reply
    text = reply.text.strip()
    alike = [choice for choice in request.choices if choice.strip() == text]
    # what was cut off may be the beginning of another choice
    if not alike or reply.stop == "length":
        raise ProviderFault(
            f"{request.model} {_say_none(request, reply, text)}", "malformed reply", heals=True, reply=reply
        )
    # choices that differ in blanks alone are told apart where the server keeps the blanks
    chosen = reply.text if reply.text in alike else alike[0]
    return replace(reply, text=chosen, stop="end", blocks=())


def explain_refused(request: Request, fault: ProviderFault) -> ProviderFault:
    """The fault of a request that will not be taken as it is, with what to do if its list of choices is why;
    any other fault as it is."""
    if not request.choices or fault.heals or fault.kind != "bad request":
        return fault
    # first: a server's own words may be long, and what is kept of them is cut
    advice = "if it takes no closed list of choices, another server is needed, or agent react or direct"
    return replace(fault, message=f"{advice}: {fault.message}")


def _say_none(request: Request, reply: Reply, text: str) -> str:
    count = f"none of the {len(request.choices)} choices"
    if reply.stop == "length":
        return (
            f"was cut off at its limit of tokens, and so answered with {count}: {text[:60]!r}; raise"
            " sampling.agent.max_tokens"
        )
    return (
        f"answered with {count}: {text[:60]!r}; a server is needed that keeps to a closed list (a"
        " JSON schema, or a grammar), or agent react or direct"
    )


def write_shares(shares: tuple[float, ...]) -> str:
    """The shares as a JSON list; they come back as they were."""
    return json.dumps(shares)


def read_shares(text: str) -> tuple[float, ...]:
    """What `write_shares` wrote. Raises ValueError: the text is something else."""
    listed = json.loads(text)
    if not isinstance(listed, list) or not all(isinstance(share, float) for share in listed):
        raise ValueError(f"shares of choices are needed; got {text[:60]!r}")
    if not (abs(math.fsum(listed) - 1) <= CLOSE and min(listed) >= 0):
        raise ValueError(f"shares of choices sum to 1; got {text[:60]!r}")
    return tuple(listed)
