"""The generic adapter of a user's object: calls a method, and checks by type what came back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import JsonValue

from loadbearing.models.client.client import Caller
from loadbearing.models.client.types import Message
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.load import make, refuse_lacking
from loadbearing.runs.plugins.user_code import UserCode

T = TypeVar("T")


@dataclass(frozen=True)
class Expected(Generic[T]):
    """What a method must return.

    Args:
        type: a type as it is annotated; lists are taken for tuples.
        words: the same for the user, with its article.
    """

    type: Any
    words: str


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
            return self.read(where, expected, getattr(self.thing, method)(*arguments))

    async def ask(self, where: str, expected: Expected[T], *arguments: Any, method: str = "__call__") -> T:
        """What a plain or an async method returns."""
        with UserCode(where, self.fault, self.source):
            made = getattr(self.thing, method)(*arguments)
            return self.read(where, expected, await made if inspect.isawaitable(made) else made)

    def read(self, where: str, expected: Expected[T], made: Any) -> T:
        """The value in the expected type."""
        try:
            found: T = conformed(made, expected.type)
            return found
        except Mismatch as came:
            raise self.fault(f"{where} returned {came}; {expected.words} is needed") from None


class Mismatch(TypeError):
    """A value is not of the type that was asked for; the message says what it is."""


def conformed(value: Any, wanted: Any) -> Any:
    """The value as `wanted` annotates it: lists as tuples, truth values as bool, dataclasses field by field.

    Text must be valid Unicode: half of a surrogate pair can neither be sent nor stored. Literals are not
    checked here.

    Raises:
        Mismatch: it is of another type.
    """
    options = get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)
    for one in options:
        if isinstance(value, _classes(one)) and not (isinstance(value, bool) and one in (int, float)):
            return _inside(value, one)
    raise Mismatch(type(value).__name__)


def _inside(value: Any, wanted: Any) -> Any:
    if wanted is str:
        return _whole(value)
    if wanted in (bool, float):
        return wanted(value)
    if get_origin(wanted) is tuple:
        try:
            return tuple(conformed(one, get_args(wanted)[0]) for one in value)
        except Mismatch as came:
            raise Mismatch(str(came) if "half a sign" in str(came) else f"a list with {came}") from None
    return _checked_fields(value, wanted) if is_dataclass(wanted) else value


def _checked_fields(value: Any, wanted: Any) -> Any:
    read = {}
    for field in fields(wanted):
        try:
            read[field.name] = conformed(getattr(value, field.name), _hints(wanted)[field.name])
        except Mismatch as came:
            raise Mismatch(f"{_named(wanted)} whose {field.name} is {came}") from None
    return replace(value, **read)


def _whole(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise Mismatch(f"text with half a sign in it, near {text[: fault.start][-30:]!r}") from None
    return text


@cache
def _classes(wanted: Any) -> tuple[type, ...]:
    """The classes of values that one annotation takes."""
    if wanted is Any or wanted is bool or get_origin(wanted) not in (None, tuple):
        return (object,)  # anything has a truth value; literals are not checked here
    if get_origin(wanted) is tuple:
        return (list, tuple)
    return (int, float) if wanted is float else (wanted,)


@cache
def _hints(wanted: Any) -> dict[str, JsonValue]:
    return get_type_hints(wanted)


def _named(wanted: Any) -> str:
    return f"{'an' if wanted.__name__[0] in 'AEIOU' else 'a'} {wanted.__name__}"


@dataclass(frozen=True, slots=True)
class Ask:
    """`await ask(system, user)`: a model for a user's object, cached and counted like every other call.

    Args:
        caller: the model of the role that the object plays.
    """

    caller: Caller

    async def __call__(self, system: str, user: str) -> str:
        """Ask once.

        Raises:
            ModelFault: no answer could be had.
        """
        first = (Message("system", system),) if system else ()
        return (await self.caller.ask((*first, Message("user", user)))).text


def load_adapter(source: str, caller: Caller, seed: int, kind: str, methods: tuple[str, ...]) -> Adapter:
    """An object that may name `ask` and `seed`, and has these methods.

    Args:
        kind: what it is to be, with its article.

    Raises:
        SpecFault: it cannot be loaded, or lacks a method.
    """
    thing = make(source, {"ask": Ask(caller), "seed": seed})
    refuse_lacking(thing, source, kind, methods)
    return Adapter(thing, source)
