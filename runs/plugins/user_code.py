"""Calls into a user's code: whatever it raises becomes one clear line."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from loadbearing.environments.world import WorldFault
from loadbearing.models.client.cache import StoreFault
from loadbearing.models.client.transport import HaltFault
from loadbearing.models.client.types import ModelFault
from loadbearing.runs.errors import RunFault, SpecFault

MODULE = "loadbearing_own_"
"""How the names of users' modules begin."""
OURS = (SpecFault, RunFault, ModelFault, WorldFault, HaltFault, StoreFault)
"""Faults that pass as they are: they say already what is wrong."""


@dataclass(frozen=True, slots=True)
class UserCode:
    """Context of a call into a user's code. Anything it raises, except an interrupt, is raised as `fault`.

    Args:
        what: which call, for the message.
        fault: the kind of fault that is raised instead.
        source: `path/to/module.py:Object`; the message names the line in that file.
    """

    what: str
    fault: Callable[[str], Exception]
    source: str

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise the fault in place of what was raised."""
        if isinstance(raised, Exception | SystemExit) and not isinstance(raised, OURS):
            raise self.fault(f"{self.what} raised {_one_line(raised, path_of(self.source))}") from raised


def path_of(source: str) -> Path:
    """The file of `path/to/module.py:Object`, as a full path."""
    return Path(source.rpartition(":")[0]).expanduser().absolute()


def object_of(source: str) -> str:
    """The object's name in `path/to/module.py:Object`."""
    return source.rpartition(":")[2]


def _one_line(raised: BaseException, file: Path) -> str:
    """Type, message and the last line of the user's file that was running."""
    lines = [one.lineno for one in traceback.extract_tb(raised.__traceback__) if one.filename == str(file)]
    if isinstance(raised, SyntaxError) and raised.filename == str(file):
        lines = [raised.lineno]
    where = f" ({file.name}, line {lines[-1]})" if lines and lines[-1] else ""
    text = " ".join(_message(raised).split())[:300]
    if isinstance(raised, ImportError):
        text += "; a user's module may import installed packages, and no file beside it: it stands alone"
    return f"{type(raised).__name__}: {text}{where}" if text else f"{type(raised).__name__}{where}"


def _message(raised: BaseException) -> str:
    """An exception's text. A user's own `__str__` may raise in turn, so its arguments are read instead."""
    if "__str__" in vars(type(raised)) and type(raised).__module__.startswith(MODULE):
        return " ".join(text for text in raised.args if isinstance(text, str))
    return str(getattr(raised, "msg", "") or raised)
