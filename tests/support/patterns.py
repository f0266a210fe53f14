"""Every regular expression of the product, found in its sources and modules, and how it is used there."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
Pattern = re.Pattern[Any]

_USES = {"match": ("match",), "fullmatch": ("fullmatch",), "compile": ("finditer", "fullmatch")}
_USES |= dict.fromkeys(("search", "sub", "subn", "split", "findall", "finditer"), ("finditer",))
"""By method how a text is gone through; of a pattern that is only made in a function, nobody knows."""
_USED = tuple(f".{method}(" for method in _USES)
_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.BinOp)
_PLAIN_TOO = (ast.operator, ast.expr_context)


def using(pattern: Pattern, method: str) -> Callable[[str], object]:
    """The pattern at work on a text."""

    def read(text: str) -> object:
        subject = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
        found = getattr(pattern, method)(subject)
        return sum(1 for _ in found) if method == "finditer" else found

    return read


def found_patterns() -> Iterator[tuple[str, Pattern, tuple[str, ...]]]:
    """Where each pattern stands, the pattern, and how it is used; in every way where that is not told."""
    names: dict[Pattern, str] = {}
    used: dict[Pattern, set[str]] = defaultdict(set)
    for module, tree in _modules():
        for name, pattern in _held(vars(module)):
            names.setdefault(pattern, f"{module.__name__}.{name}")
        for node, _, inside in _calls(module, tree):
            if (pattern := _pattern(node, module)) and (inside or node.func.attr != "compile"):
                names.setdefault(pattern, f"{module.__name__}:{node.lineno}")
                used[pattern].update(_USES[node.func.attr])
    for pattern, name in names.items():
        yield name, pattern, tuple(sorted(used[pattern])) or _USES["compile"]


def built() -> Iterator[str]:
    """The functions that make a pattern of what they are given."""
    for module, tree in _modules():
        for node, owner, inside in _calls(module, tree):
            if owner is re and inside and _pattern(node, module) is None:
                yield f"{module.__name__}.{inside}"


@cache
def _modules() -> tuple[tuple[ModuleType, ast.Module], ...]:
    """Every module of the product, and its source; no statement of it where it calls no such method."""
    return tuple(_read_modules())


def _read_modules() -> Iterator[tuple[ModuleType, ast.Module]]:
    package = ROOT / "memtrial"
    rooms = [room for room in sorted(package.iterdir()) if room.is_dir()]
    paths = [(path, path.relative_to(package)) for path in sorted(package.glob("*.py"))]
    for room in rooms:
        folder = room.resolve()
        paths += [(path, room.name / path.relative_to(folder)) for path in sorted(folder.rglob("*.py"))]
    for path, place in paths:
        if path.name != "__main__.py":
            parts = ("memtrial", *place.with_suffix("").parts)
            name = ".".join(part for part in parts if part != "__init__")
            source = path.read_text(encoding="utf-8")
            calls = any(use in source for use in _USED)
            yield importlib.import_module(name), ast.parse(source if calls else "")


def _calls(module: ModuleType, tree: ast.AST, inside: str = "") -> Iterator[tuple[Any, Any, str]]:
    """Calls of a pattern's methods, or of the functions of `re`: the call, whose it is, in which function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _USES:
            owner = _value(node.func.value, module)
            if owner is re or isinstance(owner, re.Pattern):
                yield node, owner, inside
        name = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else inside
        yield from _calls(module, node, name)


def _pattern(call: Any, module: ModuleType) -> Pattern | None:
    """The pattern that a call uses; None where it is made of what is known only when the call is made."""
    owner = _value(call.func.value, module)
    if owner is not re:
        return owner
    pattern = _value(call.args[0], module) if call.args else None
    if not isinstance(pattern, str | bytes):
        return None
    given = [one.value for one in call.keywords if one.arg == "flags"]
    given += call.args[1:2] if call.func.attr == "compile" else call.args[2:3]
    flags = next((_value(one, module) for one in given), 0)
    return re.compile(pattern, flags if isinstance(flags, int) else 0)


def _value(node: ast.expr, module: ModuleType) -> Any:
    """What names and constants are worth in the module; None for all else."""
    if not all(isinstance(one, (*_PLAIN, *_PLAIN_TOO)) for one in ast.walk(node)):
        return None
    try:
        return eval(compile(ast.Expression(node), "pattern", "eval"), vars(module))
    except (NameError, AttributeError, TypeError):
        return None


def _held(values: Mapping[str, Any]) -> Iterator[tuple[str, Pattern]]:
    """Patterns among the values, and in tuples, mappings and dataclasses among them."""
    for name, value in values.items():
        if isinstance(value, re.Pattern):
            yield name, value
        elif isinstance(value, tuple | list):
            yield from _held({f"{name}[{at}]": one for at, one in enumerate(value)})
        elif isinstance(value, Mapping) and not name.startswith("__"):
            yield from _held({f"{name}[{key}]": one for key, one in value.items()})
        elif is_dataclass(value) and not isinstance(value, type):
            yield from _held({f"{name}.{one.name}": getattr(value, one.name, None) for one in fields(value)})
