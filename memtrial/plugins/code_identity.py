"""What tells one callable of Python from another: its source, and the plain values that it rests on."""

import functools
import inspect
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

from memtrial.faults import SpecFault

SIMPLE = (str, bytes, int, float, bool, type(None))
UNKNOWN = (
    "{what} holds {name!r}, a {kind}, and nothing tells whether that changed; give version='...', a word of"
    " yours that changes whenever it does"
)


def identity_of(thing: Any, version: str = "", what: str = "the agent") -> str:
    """Sha256 of a callable's source and of the values that it closes over, or of a version that is given.

    Functions of its own module that it calls belong to it, and so do plain values there that it names;
    modules that it imports do not. An object may state what it is by itself, as a text `digest`.

    Raises:
        SpecFault: it holds a value of which nothing can be told, and no version is given.
    """
    own = getattr(thing, "digest", None)
    if isinstance(own, str) and not version:
        return own
    parts = [f"version {version}"] if version else list(_parts(thing, what, set()))
    return sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


def place_of(thing: Any) -> str:
    """`file.py:name` of a callable, for messages; its name alone where no file holds it."""
    target = _plain(thing)
    name = getattr(target, "__name__", type(target).__name__)
    try:
        file = inspect.getsourcefile(target if _has_source(target) else type(target))
    except TypeError:
        file = None
    return f"{file or 'this session'}:{name if name.isidentifier() else 'agent'}"


def _plain(thing: Any) -> Any:
    """The function behind a partial or a bound method."""
    if isinstance(thing, functools.partial):
        return _plain(thing.func)
    return thing.__func__ if isinstance(thing, MethodType) else thing


def _has_source(thing: Any) -> bool:
    return inspect.isclass(thing) or inspect.isfunction(thing)


def _parts(thing: Any, what: str, seen: set[int]) -> Iterator[str]:
    """The texts that a callable comes to, each thing once."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, functools.partial):
        yield from _parts(thing.func, what, seen)
        yield from _value(what, "arguments", [list(thing.args), dict(thing.keywords)], seen)
    elif isinstance(thing, MethodType):
        yield from _parts(thing.__func__, what, seen)
        yield from _parts(thing.__self__, what, seen)
    elif isinstance(thing, FunctionType):
        yield from _function(thing, what, seen)
    elif inspect.isclass(thing):
        yield source_of(thing, what)
    else:
        yield source_of(type(thing), what)
        slots = {name: getattr(thing, name) for name in _slots_of(type(thing)) if hasattr(thing, name)}
        for name, value in sorted({**slots, **getattr(thing, "__dict__", {})}.items()):
            yield from _value(what, name, value, seen)


def _slots_of(kind: type) -> list[str]:
    """The names of an object's values that stand in no `__dict__`."""
    slots = (getattr(base, "__slots__", ()) for base in kind.__mro__)
    names = [name for some in slots for name in ((some,) if isinstance(some, str) else some)]
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _function(function: FunctionType, what: str, seen: set[int]) -> Iterator[str]:
    yield source_of(function, what)
    yield from _value(what, "defaults", [function.__defaults__, function.__kwdefaults__], seen)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # not yet filled: a function that names itself
            continue
        yield from _value(what, name, value, seen)
    for name in sorted(_names_in(function.__code__)):
        value = function.__globals__.get(name)
        if _is_simple(value) and name in function.__globals__:
            yield f"{name}={value!r}"
        elif _has_source(value) and value.__module__ == function.__module__:
            yield from _parts(value, what, seen)


def _names_in(code: CodeType) -> set[str]:
    """The global names of a function and of those inside it."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names}.union(*map(_names_in, inner))


def _value(what: str, name: str, value: Any, seen: set[int]) -> Iterator[str]:
    if _is_simple(value):
        yield f"{name}={value!r}"
    elif isinstance(value, Path):
        yield f"{name}={str(value)!r}"
    elif _has_source(value) or isinstance(value, functools.partial | MethodType):
        yield name
        yield from _parts(value, what, seen)
    else:
        raise SpecFault(UNKNOWN.format(what=what, name=name, kind=type(value).__name__))


def _is_simple(value: Any) -> bool:
    """Plain values, and lists and mappings of these: what they are is what they print."""
    if isinstance(value, dict):
        return all(_is_simple(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple | frozenset):
        return all(map(_is_simple, value))
    return isinstance(value, SIMPLE)


def source_of(thing: Any, what: str) -> str:
    """Its text, or its file's; of code that was typed in where no text is kept, SpecFault.

    `what` is its name in the message.
    """
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError) as fault:
        try:
            file = inspect.getsourcefile(thing)
            if file is not None and Path(file).is_file():
                return Path(file).read_text(encoding="utf-8", errors="replace")
        except (OSError, TypeError):
            pass
        raise SpecFault(
            UNKNOWN.format(what=what, name=getattr(thing, "__name__", "code"), kind=type(thing).__name__)
        ) from fault
