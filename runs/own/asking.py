"""What a thing of one's own asks a model with: `await ask(system, user)`, through the one door."""

from __future__ import annotations

from dataclasses import dataclass

from models.call import Message
from models.door import Caller


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
