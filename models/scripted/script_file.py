"""The files of a script (answers, faults): how they are read, and what is wrong in one as a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from reprlib import repr

from pydantic import ValidationError

from loadbearing.models.scripted.protocol import ScriptFault


def read_script(path: Path, form: str, most: int) -> str:
    """The text of a file.

    Args:
        form: what is needed, for messages: "faults are a YAML or JSON file".
        most: bytes it may have.

    Raises:
        ScriptFault: it is not there, no plain file, too large, or not UTF-8.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ScriptFault(f"{form}; {path} is no plain file")
        if path.stat().st_size > most:
            raise ScriptFault(f"{form} of at most {most // 2**20} MiB; {path} is larger")
        return path.read_text(encoding="utf-8")
    except OSError as fault:
        raise ScriptFault(f"{form}; cannot read {path}: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise ScriptFault(f"{form}; {path} is not UTF-8") from fault


def sentence(fault: ValidationError, keys: Iterable[str]) -> str:
    """The first thing that is wrong with an entry: the key, what is needed and what came.

    Args:
        keys: those an entry may have.
    """
    first = fault.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))
    match first["type"]:
        case "missing":
            return f"{key} is missing"
        case "extra_forbidden" | "unexpected_keyword_argument":
            return f"there is no key {key!r}; the keys are {', '.join(keys)}"
        case "value_error":
            return str(first["ctx"]["error"])
        case "json_invalid":
            return "this is not JSON"
        case _:
            # "Input should be a valid string", "String should have at least 1 character"
            _, _, needed = first["msg"].partition(" ")
            return f"{key} {needed}, got {repr(first['input'])}".strip()
