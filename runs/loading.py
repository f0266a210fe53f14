"""Reading a spec: the file, then `LOADBEARING_*`, then `-S key=value`. The last one wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from runs.fault import SpecFault
from runs.naming import is_plugin
from runs.spec import Spec

PREFIX = "LOADBEARING_"
MOST_BYTES = 1024 * 1024


def load_spec(
    path: Path, overrides: Iterable[str] = (), environment: Mapping[str, str] | None = None
) -> Spec:
    """The spec of a file with overrides.

    Args:
        overrides: `key=value` with dots for depth (`analysis.margin=0.05`); values are YAML.
        environment: variables such as `LOADBEARING_SEED` or `LOADBEARING_ANALYSIS__MARGIN`.

    Raises:
        SpecFault: the file, a variable or an override cannot be read, or the spec is wrong.
    """
    from pydantic import ValidationError

    raw = _yaml(_text(path), str(path))
    if not isinstance(raw, dict):
        raise SpecFault(f"a spec is a YAML mapping; {path} holds {_kind(raw)}")
    raw.setdefault("name", path.stem)
    for variable, value in sorted((environment or {}).items()):
        if variable.startswith(PREFIX):
            keys = variable.removeprefix(PREFIX).lower().split("__")
            _put(raw, keys, _yaml(value, variable), variable)
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals or not key:
            raise SpecFault(f"-S takes key=value, for example -S seed=3; got {override!r}")
        _put(raw, key.split("."), _yaml(value, f"-S {key}"), f"-S {key}")
    try:
        return Spec.model_validate(_beside(raw, path.parent))
    except ValidationError as fault:
        raise SpecFault(f"{path}: {_first(fault)}") from fault


def _beside(value: Any, folder: Path) -> Any:
    """Names of files of one's own, which are looked for from the working directory, then beside the spec."""
    if isinstance(value, dict):
        return {key: _beside(inner, folder) for key, inner in value.items()}
    if isinstance(value, list):
        return [_beside(inner, folder) for inner in value]
    if isinstance(value, str) and is_plugin(value) and not Path(value.rpartition(":")[0]).exists():
        beside = folder / value
        return str(beside) if Path(str(beside).rpartition(":")[0]).exists() else value
    return value


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SpecFault(f"a spec is a small YAML file; {path} is larger than 1 MiB")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SpecFault(f"a spec file is needed; {path} cannot be read: {fault}") from fault


def _yaml(text: str, where: str) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=_each_key_once())
    except (yaml.YAMLError, RecursionError, ValueError) as fault:
        raise SpecFault(f"{where}: YAML is needed; {' '.join(str(fault).split())}") from fault


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


def _put(raw: dict[str, Any], keys: list[str], value: Any, where: str) -> None:
    *path, last = keys
    node = raw
    for key in path:
        node = node.setdefault(key, {})
        if not isinstance(node, dict):
            raise SpecFault(f"{where}: {key} holds {_kind(node)} and cannot have a key of its own")
    node[last] = value


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__


def _first(fault: Any) -> str:
    """The first thing wrong, with its key, and how many more there are."""
    errors = fault.errors(include_url=False)
    error = errors[0]
    # members of a union stand in the path by their tag; users write the key alone
    key = ".".join(str(part) for part in error["loc"] if part not in ("workshop", "scienceworld", "plugin"))
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        message = "no such key"
    elif error["type"] == "missing":
        message = "is needed and missing"
    elif "input" in error and not isinstance(error["input"], dict):
        message = f"{message}; got {error['input']!r}" if "got" not in message else message
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{key}: {message}{more}" if key else f"{message}{more}"
