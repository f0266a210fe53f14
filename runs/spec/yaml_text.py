"""The text of a spec and its YAML: of bounded size, and nothing unprintable in it."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

from loadbearing.models import yaml_text
from loadbearing.models.yaml_text import YamlFault
from loadbearing.runs.errors import SpecFault

MOST_BYTES = 1024 * 1024


def read_text(path: Path) -> str:
    """The text of a spec file.

    Raises:
        SpecFault: no such file, not a plain one, too large, or not UTF-8.
    """
    try:
        if not path.is_file():
            # a pipe would be waited for, and a device never ends
            came = "is a folder" if path.is_dir() else "is no plain file" if path.exists() else "is not there"
            raise SpecFault(f"a spec file is needed; {path} {came}; `loadbearing init` writes one")
        if path.stat().st_size > MOST_BYTES:
            raise SpecFault(f"a spec is a small YAML file; {path} is larger than 1 MiB")
        return path.read_text(encoding="utf-8-sig")
    except OSError as fault:
        why = fault.strerror or type(fault).__name__
        raise SpecFault(f"a spec file is needed; {path} cannot be read: {why}") from fault
    except UnicodeDecodeError as fault:
        raise SpecFault(f"a spec is a YAML file in UTF-8; {path} is not: {fault}") from fault


def read_yaml(text: str, where: str) -> Any:
    """What a YAML text holds.

    Raises:
        SpecFault: it is no YAML as `models.yaml_text` reads it, or a text in it holds what cannot be printed.
    """
    try:
        value = yaml_text.read_yaml(text)
    except YamlFault as fault:
        raise SpecFault(f"{where}: YAML is needed; {fault}") from fault
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            _refuse_unprintable(one, where)
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one
    return value


def _refuse_unprintable(text: str, where: str) -> None:
    for place, sign in enumerate(text):
        # Cc: what a terminal obeys; Cs: half a sign, which no file takes
        if sign not in "\n\r\t" and unicodedata.category(sign) in ("Cc", "Cs"):
            raise SpecFault(
                f"{where}: texts need signs that can be printed; {text[:60]!r} has U+{ord(sign):04X} at place"
                f" {place + 1}; take it out"
            )
