"""Load a user's object, named `path/to/module.py:Object`; whatever its code raises becomes one clear line.

A module stands alone: what it imports must be installed. So the digest of its one file says all of it.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from traceback import TracebackException
from types import ModuleType, TracebackType
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from memtrial.faults import RunFault, SpecFault, StoreFault, refused
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.client.client import Caller
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import Message, ModelFault
from memtrial.plugins.plugin_names import bare, is_plugin, settings_of
from memtrial.plugins.shipped_memory import asks_model
from memtrial.worlds.world import WorldFault

LEDGER = "ledger.sqlite"
OURS = (SpecFault, RunFault, ModelFault, WorldFault, HaltFault, StoreFault, MemoryFault)
"""Faults that pass as they are: they say already what is wrong."""
REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class UserCode:
    """Context of a call into a user's code: what it raises, but for an interrupt, is raised as `fault`."""

    what: str
    fault: Callable[[str], Exception]
    source: str

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(raised, Exception | SystemExit) or isinstance(raised, OURS):
            return
        file, seen = path_of(self.source), TracebackException.from_exception(raised)
        lines = [frame.lineno for frame in seen.stack if frame.filename == str(file)]
        text = " ".join(f"{type(raised).__name__}: {seen}".split())[:300]
        if isinstance(raised, ImportError):
            text += "; a user's module may import installed packages, and no file beside it: it stands alone"
        where = f" ({file.name}, line {lines[-1]})" if lines else ""
        raise self.fault(f"{self.what} raised {text}{where}") from raised


def path_of(source: str) -> Path:
    """The file of `path/to/module.py:Object`, as a full path."""
    return Path(bare(source).rpartition(":")[0]).expanduser().absolute()


def object_of(source: str) -> str:
    """The object's name in `path/to/module.py:Object`."""
    return bare(source).rpartition(":")[2]


def digest_of(source: str) -> str:
    """Sha256 of the file, part of the identity of a run that uses it; a SpecFault where it cannot be read."""
    return sha256(_read_source(source)).hexdigest()


def load_object(source: str) -> Any:
    """Run the file anew and take the object out of it; SpecFault where it raised, or one is not there."""
    code, path = _read_source(source), path_of(source)
    module = ModuleType("memtrial_own_" + sha256(str(path).encode() + b"\0" + code).hexdigest()[:16])
    module.__file__ = str(path)
    # dataclasses look their module up while they are made
    sys.modules[module.__name__] = module
    with UserCode(f"loading {path.name}", SpecFault, source):
        exec(compile(code, str(path), "exec", dont_inherit=True), module.__dict__)
    loaded = getattr(module, object_of(source), None)
    if loaded is None:
        having = ", ".join(name for name in vars(module) if not name.startswith("_")) or "nothing"
        raise SpecFault(f"{source} needs an object named {object_of(source)!r} in that file; it has {having}")
    return loaded


def make(source: str, offers: Mapping[str, Any]) -> Any:
    """The object itself, or what the class or function makes.

    A class is called with those of `offers` that its parameters name. So is a function that needs no other
    argument; any other function is the object itself, with the offers it names filled in. Settings in the
    source are offers that it has to name.

    Raises:
        SpecFault: it cannot be made, or takes no such setting.
    """
    loaded = load_object(source)
    with refused(ValueError, prefix=f"{source}: "):
        settings = settings_of(source)
    makes = inspect.isclass(loaded) or inspect.isfunction(loaded)
    named = parameters_of(loaded) if makes else {}
    refuse_unknown(bare(source), settings, named)
    if not makes:
        return loaded
    given = {key: value for key, value in {**offers, **settings}.items() if key in named}
    needed = [
        key for key, parameter in named.items() if key not in given and parameter.default is parameter.empty
    ]
    if inspect.isfunction(loaded) and needed:
        return partial(loaded, **given)
    if needed:
        raise SpecFault(
            f"{source} cannot be made: it needs the argument {needed[0]!r}, which nobody gives; "
            f"give it a default, name it in `settings`, or use one of {', '.join(offers) or 'none'}"
        )
    with UserCode(f"making {source}", SpecFault, source):
        return loaded(**given)


def refuse_unknown(source: str, settings: Mapping[str, Any], named: Mapping[str, Any]) -> None:
    """Raise a SpecFault for a setting that is none of the parameters that can be set."""
    unknown = sorted(key for key in settings if key not in named or key == "ask")
    if unknown:
        there = ", ".join(name for name in named if name not in ("ask", "seed")) or "none"
        raise SpecFault(f"{source} takes no setting {unknown[0]!r}; its settings: {there}")


def wants(source: str, argument: str) -> bool:
    """Whether the class or function names this argument, for example `ask`; a memory system that ships
    names `ask` where it asks. Raises SpecFault as `load_object`."""
    if not is_plugin(source):
        return argument == "ask" and asks_model(source)
    loaded = load_object(source)
    return (inspect.isclass(loaded) or inspect.isfunction(loaded)) and argument in parameters_of(loaded)


def asks(condenser: str) -> bool:
    """Whether a condenser of this kind asks a model; a SpecFault as `load_object`."""
    return wants(condenser, "ask") if is_plugin(condenser) else condenser in ("native", "theory", "additive")


def parameters_of(target: Any) -> Mapping[str, inspect.Parameter]:
    """The parameters that can be given by name; none where the object does not say (written in C)."""
    try:
        parameters = inspect.signature(target).parameters
    except (TypeError, ValueError):
        return {}
    return {key: parameter for key, parameter in parameters.items() if parameter.kind not in REST}


def refuse_lacking(thing: Any, source: str, kind: str, methods: tuple[str, ...]) -> None:
    """Raise a SpecFault for an object that lacks a method; `kind` is what it is to be, with its article."""
    with UserCode(f"{source} cannot be {kind}: a look at its methods", SpecFault, source):
        lacking = [method for method in methods if not callable(getattr(thing, method, None))]
    if lacking:
        came = f"this {type(thing).__name__} lacks {', '.join(lacking)}"
        raise SpecFault(f"{source} cannot be {kind}, which has {', '.join(methods)}; {came}")


def name_of(thing: Any, source: str) -> str:
    """The name in specs and reports: its own `name`, a SpecFault where that is no word, or the object's."""
    own = getattr(thing, "name", None)
    if own is None:
        return object_of(source)
    if not isinstance(own, str) or not own or not all(sign.isalnum() or sign in "_·.+-" for sign in own):
        raise SpecFault(f"{source}: `name` is a word of letters, digits, _ . + and -; got {own!r}")
    return own


def _read_source(source: str) -> bytes:
    if not is_plugin(source):
        raise SpecFault(f"a user's own object is named path/to/module.py:Object; got {source!r}")
    path = path_of(source)
    for folder in {*path.parents, *path.resolve().parents}:
        if (folder / LEDGER).exists():
            raise SpecFault(f"nothing in a run folder is ever executed; {path} lies in one: {folder}")
    if path.exists() and not path.is_file():
        raise SpecFault(f"{source} needs a plain file; {path} is none")
    try:
        return path.read_bytes()
    except OSError as fault:
        raise SpecFault(f"{source} needs the file {path}, which cannot be read: {fault.strerror}") from fault


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
        """The value in the expected type; ValueError where it is none, or holds text that cannot be sent or
        stored."""
        try:
            (value,) = self.adapter.validate_python([made])
        except ValidationError as fault:
            # of the types that are tried, the one that came furthest says most
            first = max(fault.errors(), key=lambda error: len(error["loc"]))
            came, inside = type(first["input"]).__name__, ""
            if first["input"] is not made:
                field = next((part for part in first["loc"] if hasattr(made, str(part))), None)
                inside = f" with {came} in it" if field is None else f" whose {field} is {came}"
            raise ValueError(f"{type(made).__name__}{inside}") from None
        try:
            self.adapter.dump_json([value], fallback=str)
        except PydanticSerializationError:
            raise ValueError("text with half of a surrogate pair") from None
        return value


@dataclass(frozen=True, slots=True)
class Adapter:
    """A user's object behind one call; `fault` is raised when its code raises, or returns something else."""

    thing: Any
    source: str
    fault: Callable[[str], Exception] = RunFault

    def call(self, where: str, expected: Expected[T], *arguments: Any, method: str = "__call__") -> T:
        """What a plain method returns; `where` names the call in messages."""
        with UserCode(where, self.fault, self.source):
            return self._read_value(where, expected, getattr(self.thing, method)(*arguments))

    async def ask(self, where: str, expected: Expected[T], *arguments: Any, method: str = "__call__") -> T:
        """What a plain or an async method returns."""
        with UserCode(where, self.fault, self.source):
            made = getattr(self.thing, method)(*arguments)
            return self._read_value(where, expected, await made if inspect.isawaitable(made) else made)

    def _read_value(self, where: str, expected: Expected[T], made: Any) -> T:
        try:
            return expected.read(made)
        except ValueError as came:
            raise self.fault(f"{where} returned {came}; {expected.words} is needed") from None


@dataclass(frozen=True, slots=True)
class Ask:
    """`await ask(system, user)`: a model for a user's object, cached and counted like every other call."""

    caller: Caller

    async def __call__(self, system: str, user: str) -> str:
        first = (Message("system", system),) if system else ()
        return (await self.caller.ask((*first, Message("user", user)))).text


def load_adapter(source: str, caller: Caller, seed: int, kind: str, methods: tuple[str, ...]) -> Adapter:
    """An object that may name `ask` and `seed`, and has these methods; a SpecFault where it is none."""
    thing = make(source, {"ask": Ask(caller), "seed": seed})
    refuse_lacking(thing, source, kind, methods)
    return Adapter(thing, source)
