"""The text of a spec and its YAML: of bounded size however it is written, and nothing unprintable in it."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

from runs.fault import SpecFault

MOST_BYTES = 1024 * 1024
MOST_VALUES = 100_000
"""Values of a spec with its aliases written out; a few lines of aliases can stand for billions."""


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
        SpecFault: it is no YAML, a key stands twice, its aliases stand for too much, or a text in it holds
            what cannot be printed.
    """
    import yaml

    try:
        value = yaml.load(text, Loader=_each_key_once())
    except RecursionError as fault:
        raise SpecFault(f"{where}: YAML is needed; this is nested too deeply") from fault
    except (yaml.YAMLError, ValueError) as fault:
        said = " ".join(str(fault).replace('in "<unicode string>", ', "").split())
        raise SpecFault(f"{where}: YAML is needed; {said}") from fault
    _refuse_unfit(value, where)
    return value


def _each_key_once() -> Any:
    """PyYAML's safe loader, which would let the last of two equal keys win and say nothing."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
            twice = sorted({str(key) for key in keys if keys.count(key) > 1})
            if twice:
                raise yaml.YAMLError(f"key {', '.join(twice)} stands twice in one mapping")
            return super().construct_mapping(node, deep)

    return Loader


def _refuse_unfit(value: Any, where: str) -> None:
    """Every value, aliases followed; one that holds itself never ends and is found by its number."""
    waiting, count = [value], 0
    while waiting:
        count += 1
        if count > MOST_VALUES:
            raise SpecFault(f"{where}: a spec is small; this one's aliases stand for more than it can hold")
        one = waiting.pop()
        if isinstance(one, str):
            _refuse_unprintable(one, where)
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set):
            waiting += one


def _refuse_unprintable(text: str, where: str) -> None:
    for place, sign in enumerate(text):
        # Cc: what a terminal obeys; Cs: half a sign, which no file takes
        if sign not in "\n\r\t" and unicodedata.category(sign) in ("Cc", "Cs"):
            raise SpecFault(
                f"{where}: texts need signs that can be printed; {text[:60]!r} has U+{ord(sign):04X} at place"
                f" {place + 1}; take it out"
            )
