"""Things of one's own: `path/to/module.py:Object` run, made, and kept behind a border.

A module stands alone: what it imports must be installed. So the digest of its one file says all of it.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from loadbearing.environments.world import WorldFault
from loadbearing.models.client.cache import StoreFault
from loadbearing.models.client.transport import HaltFault
from loadbearing.models.client.types import ModelFault
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.spec.plugin_names import is_plugin

MOST_BYTES = 1024 * 1024
LEDGER = "ledger.sqlite"
OWN = "loadbearing_own_"
REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
OURS = (SpecFault, RunFault, ModelFault, WorldFault, HaltFault, StoreFault)
"""Faults that pass the border as they are: they say already what is wrong."""


@dataclass(frozen=True, slots=True)
class Border:
    """Around every call into code that is not ours: whatever it raises becomes one clear line.

    What a stranger's code can raise cannot be listed, so nothing is listed: all but an interrupt is its bug.

    Args:
        what: which call, for the line.
        fault: the kind of fault that is raised instead.
        name: `path/to/module.py:Object`; the line names the place in that file.
    """

    what: str
    fault: Callable[[str], Exception]
    name: str

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Turn what was raised into the fault."""
        if isinstance(raised, Exception | SystemExit) and not isinstance(raised, OURS):
            raise self.fault(f"{self.what} raised {said(raised, self.name)}") from raised


def said(raised: BaseException, name: str) -> str:
    """What user code raised, in one line, with the last place in its file that was under way."""
    file = str(path_of(name))
    lines = [frame.lineno for frame in traceback.extract_tb(raised.__traceback__) if frame.filename == file]
    if isinstance(raised, SyntaxError) and raised.filename == file:
        lines = [raised.lineno]
    where = f" ({Path(file).name}, line {lines[-1]})" if lines and lines[-1] else ""
    text = " ".join(_words(raised).split())[:300]
    if isinstance(raised, ImportError):
        text += "; a module of one's own stands alone: it imports what is installed, and no file beside it"
    return f"{type(raised).__name__}: {text}{where}" if text else f"{type(raised).__name__}{where}"


def _words(raised: BaseException) -> str:
    """What an exception says. One that says it in words of its own may break even there: its texts, then."""
    if "__str__" in vars(type(raised)) and type(raised).__module__.startswith(OWN):
        return " ".join(text for text in raised.args if isinstance(text, str))
    return str(getattr(raised, "msg", "") or raised)


def path_of(name: str) -> Path:
    """The file of `path/to/module.py:Object`, as a full path."""
    return Path(name.rpartition(":")[0]).expanduser().absolute()


def object_of(name: str) -> str:
    """The object's name in `path/to/module.py:Object`."""
    return name.rpartition(":")[2]


def digest_of(name: str) -> str:
    """Sha256 of the file's bytes: part of the identity of a run that uses it.

    Raises:
        SpecFault: there is no such file, or none that may be run.
    """
    return sha256(_source(name)).hexdigest()


def load_object(name: str) -> Any:
    """Run the file anew and take the object out of it, so that nothing is shared with an earlier load.

    Raises:
        SpecFault: no such file or object, or the file raised while it was run.
    """
    source, path = _source(name), path_of(name)
    digest = sha256(str(path).encode() + b"\0" + source).hexdigest()
    module = ModuleType(f"{OWN}{digest[:16]}")
    module.__file__ = str(path)
    # dataclasses look their module up while they are made
    sys.modules[module.__name__] = module
    with Border(f"loading {path.name}", SpecFault, name):
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    found = getattr(module, object_of(name), None)
    if found is None:
        own = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_") and getattr(value, "__module__", "") == module.__name__
        ]
        having = f"it defines {', '.join(own)}" if own else "it defines nothing"
        raise SpecFault(f"{name} needs an object named {object_of(name)!r} in that file; {having}")
    return found


def make(name: str, offers: Mapping[str, Any]) -> Any:
    """The thing that a name stands for: the object itself, or what the class or function makes.

    A class is called with those of `offers` that its parameters name. So is a function that needs no other
    argument; any other function is the thing itself, with the offers it names filled in.

    Raises:
        SpecFault: it cannot be made.
    """
    return made_of(load_object(name), name, offers)


def made_of(found: Any, name: str, offers: Mapping[str, Any]) -> Any:
    """`make` for an object that is loaded already."""
    if not (inspect.isclass(found) or inspect.isfunction(found)):
        return found
    named = parameters_of(found)
    given = {key: value for key, value in offers.items() if key in named}
    needed = [key for key, one in named.items() if key not in given and one.default is one.empty]
    if inspect.isfunction(found) and needed:
        return partial(found, **given)
    if needed:
        raise SpecFault(
            f"{name} cannot be made: it needs the argument {needed[0]!r}, which nobody gives; "
            f"give it a default, or use one of {', '.join(offers) or 'none'}"
        )
    with Border(f"making {name}", SpecFault, name):
        return found(**given)


def wants(name: str, argument: str) -> bool:
    """Whether the class or function names this argument, for example `ask`.

    Raises:
        SpecFault: it cannot be loaded.
    """
    found = load_object(name)
    return (inspect.isclass(found) or inspect.isfunction(found)) and argument in parameters_of(found)


def asks(condenser: str) -> bool:
    """Whether a condenser of this kind asks a model.

    Raises:
        SpecFault: it is somebody's own and cannot be loaded.
    """
    return wants(condenser, "ask") if is_plugin(condenser) else condenser in ("native", "theory")


def parameters_of(found: Any) -> Mapping[str, inspect.Parameter]:
    """The parameters that can be given by name; none where the object does not say (written in C)."""
    try:
        parameters = inspect.signature(found).parameters
    except (TypeError, ValueError):
        return {}
    return {key: one for key, one in parameters.items() if one.kind not in REST}


def half_sign(*texts: str) -> str:
    """Why these texts cannot be sent or kept; empty when they can.

    A text cut in the middle of a sign cannot: no prompt and no file takes half of one.
    """
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as fault:
        return f"text with half a sign in it, near {''.join(texts)[: fault.start][-30:]!r}"
    return ""


async def settled(value: Any) -> Any:
    """What a plain or an async function came to: an awaitable is awaited."""
    return await value if inspect.isawaitable(value) else value


def refuse_lacking(thing: Any, name: str, what: str, methods: tuple[str, ...]) -> None:
    """A thing that lacks a method is refused before anything is begun.

    Raises:
        SpecFault: it lacks one.
    """
    with Border(f"looking at {name}", SpecFault, name):
        lacking = [method for method in methods if not callable(getattr(thing, method, None))]
    if lacking:
        what_came = f"this {type(thing).__name__} lacks {', '.join(lacking)}"
        raise SpecFault(f"{name} cannot be {what}, which has {', '.join(methods)}; {what_came}")


def name_of(thing: Any, name: str) -> str:
    """The name in specs, ledgers and reports: the thing's own `name`, or that of the object.

    Raises:
        SpecFault: it calls itself something that no table can show.
    """
    with Border(f"reading the name of {name}", SpecFault, name):
        own = getattr(thing, "name", None)
    if own is None:
        return object_of(name)
    if not isinstance(own, str) or not own or not all(sign.isalnum() or sign in "_·.+-" for sign in own):
        raise SpecFault(f"{name}: `name` is a word of letters, digits, _ . + and -; got {own!r}")
    return own


def _source(name: str) -> bytes:
    if not is_plugin(name):
        raise SpecFault(f"a thing of one's own is named path/to/module.py:Object; got {name!r}")
    path = path_of(name)
    for folder in {*path.parents, *path.resolve().parents}:
        if (folder / LEDGER).exists():
            raise SpecFault(f"nothing in a run folder is ever executed; {path} lies in one: {folder}")
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise SpecFault(f"{name} needs a plain file; {path} is none")
        if path.stat().st_size > MOST_BYTES:
            raise SpecFault(f"a module of one's own is a small file; {path} is larger than 1 MiB")
        return path.read_bytes()
    except OSError as fault:
        why = fault.strerror or type(fault).__name__
        raise SpecFault(f"{name} needs the file {path}, which cannot be read: {why}") from fault
