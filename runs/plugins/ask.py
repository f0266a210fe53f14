"""What a thing of one's own asks a model with: `await ask(system, user)`, through the one model client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loadbearing.models.client.client import Caller
from loadbearing.models.client.types import Message
from loadbearing.runs.plugins.load import make, refuse_lacking


@dataclass(frozen=True, slots=True)
class Ask:
    """Two texts in, one text out; counted, kept and paid once like every other call.

    Args:
        caller: the model of the role that the thing plays.
    """

    caller: Caller

    async def __call__(self, system: str, user: str) -> str:
        """Ask once.

        Raises:
            ModelFault: no answer could be had.
        """
        said = (Message("system", system),) if system else ()
        return (await self.caller.ask((*said, Message("user", user)))).text


def make_asking(source: str, caller: Caller, seed: int, what: str, methods: tuple[str, ...]) -> Any:
    """A thing that may name `ask` and `seed`, and has these methods.

    Args:
        what: it is to be, with its article.

    Raises:
        SpecFault: it cannot be loaded, or lacks a method.
    """
    thing = make(source, {"ask": Ask(caller), "seed": seed})
    refuse_lacking(thing, source, what, methods)
    return thing
