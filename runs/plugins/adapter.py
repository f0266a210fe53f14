"""The generic adapter of a user's object: calls a method, and checks by type what came back."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from loadbearing.models.client.client import Caller
from loadbearing.models.client.types import Message
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.load import UserCode, make, refuse_lacking

T = TypeVar("T")


class Expected(Generic[T]):
    """What a method must return.

    Args:
        annotation: its type in a list, so that pydantic reads into it: lists are taken for tuples, and
            dataclasses are checked field by field.
        words: the same for the user, with its article.
    """

    def __init__(self, annotation: type[list[T]], words: str) -> None:
        self.adapter = TypeAdapter(annotation, config=ConfigDict(revalidate_instances="always"))
        self.words = words

    def read(self, made: object) -> T:
        """The value in the expected type.

        Raises:
            ValueError: it is none, or it holds text that can be neither sent nor stored.
        """
        try:
            (found,) = self.adapter.validate_python([made])
        except ValidationError as fault:
            # of the types that are tried, the one that came furthest says most
            first = max(fault.errors(), key=lambda error: len(error["loc"]))
            came, inside = type(first["input"]).__name__, ""
            if first["input"] is not made:
                field = next((part for part in first["loc"] if hasattr(made, str(part))), None)
                inside = f" with {came} in it" if field is None else f" whose {field} is {came}"
            raise ValueError(f"{type(made).__name__}{inside}") from None
        try:
            self.adapter.dump_json([found], fallback=str)
        except PydanticSerializationError:
            raise ValueError("text with half of a surrogate pair") from None
        return found


@dataclass(frozen=True, slots=True)
class Adapter:
    """A user's object behind one call.

    Args:
        source: its `path/to/module.py:Object`.
        fault: raised when its code raises, or returns something else than expected.
    """

    thing: Any
    source: str
    fault: Callable[[str], Exception] = RunFault

    def call(self, where: str, expected: Expected[T], *arguments: Any, method: str = "__call__") -> T:
        """What a plain method returns; `where` names the call in messages."""
        with UserCode(where, self.fault, self.source):
            return self._read(where, expected, getattr(self.thing, method)(*arguments))

    async def ask(self, where: str, expected: Expected[T], *arguments: Any, method: str = "__call__") -> T:
        """What a plain or an async method returns."""
        with UserCode(where, self.fault, self.source):
            made = getattr(self.thing, method)(*arguments)
            return self._read(where, expected, await made if inspect.isawaitable(made) else made)

    def _read(self, where: str, expected: Expected[T], made: Any) -> T:
        try:
            return expected.read(made)
        except ValueError as came:
            raise self.fault(f"{where} returned {came}; {expected.words} is needed") from None


@dataclass(frozen=True, slots=True)
class Ask:
    """`await ask(system, user)`: a model for a user's object, cached and counted like every other call.

    Raises:
        ModelFault: no answer could be had.
    """

    caller: Caller

    async def __call__(self, system: str, user: str) -> str:
        first = (Message("system", system),) if system else ()
        return (await self.caller.ask((*first, Message("user", user)))).text


def load_adapter(source: str, caller: Caller, seed: int, kind: str, methods: tuple[str, ...]) -> Adapter:
    """An object that may name `ask` and `seed`, and has these methods; a SpecFault where it is none."""
    thing = make(source, {"ask": Ask(caller), "seed": seed})
    refuse_lacking(thing, source, kind, methods)
    return Adapter(thing, source)
