"""A reply that is one of given texts: held to them, and the shares of the others kept with it."""

import json
import math
from dataclasses import replace

from memtrial.models.client.types import ProviderFault, Reply, Request

CLOSE = 1e-6
"""How far from 1 the sum of shares may lie."""


def hold_to_choices(request: Request, reply: Reply) -> Reply:
    """The reply with the choice it is as its text, verbatim; as it came where the request is free.

    A refusal is the model's answer, and stays one.

    Raises:
        ProviderFault: it is none of the choices; the server did not keep to them.
    """
    if not request.choices or reply.stop == "refusal":
        return reply
    text = reply.text.strip()
    # what was cut off may be the beginning of another choice
    chosen = next((choice for choice in request.choices if choice.strip() == text), None)
    if chosen is None or reply.stop == "length":
        raise ProviderFault(
            f"{request.model} answered with none of the {len(request.choices)} choices: {text[:60]!r};"
            " a server is needed that keeps to a closed list (a JSON schema, or a grammar)",
            "malformed reply",
            heals=True,
            reply=reply,
        )
    return replace(reply, text=chosen, stop="end", blocks=())


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
