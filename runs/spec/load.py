"""Reading a spec: the file, then `LOADBEARING_*`, then `-S key=value`. The last one wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from loadbearing.runs.errors import SpecFault
from loadbearing.runs.spec.messages import first_of
from loadbearing.runs.spec.plugin_names import is_plugin
from loadbearing.runs.spec.spec import Spec
from loadbearing.runs.spec.yaml_text import read_text, read_yaml

PREFIX = "LOADBEARING_"


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

    raw = read_yaml(read_text(path), str(path))
    if not isinstance(raw, dict):
        what = f"{path} holds {_kind(raw)}; `loadbearing init` writes one to begin with"
        raise SpecFault(f"a spec is a YAML mapping; {what}")
    raw.setdefault("name", path.stem)
    whose: dict[str, str] = {}
    for variable, value in sorted((environment or {}).items()):
        if variable.startswith(PREFIX):
            keys = variable.removeprefix(PREFIX).lower().split("__")
            _put(raw, keys, read_yaml(value, variable), variable)
            whose[".".join(keys)] = variable
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals or not key:
            raise SpecFault(f"-S takes key=value, for example -S seed=3; got {override!r}")
        _put(raw, key.split("."), read_yaml(value, f"-S {key}"), f"-S {key}")
        whose[key] = "-S"
    try:
        return Spec.model_validate(_beside(raw, path.parent))
    except ValidationError as fault:
        raise SpecFault(first_of(fault, str(path), whose)) from fault


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


def _put(raw: dict[str, Any], keys: list[str], value: Any, where: str) -> None:
    if not all(keys):
        raise SpecFault(f"a key of the spec is needed, such as seed or analysis.margin; got {where}")
    *path, last = keys
    node = raw
    for key in path:
        node = node.setdefault(key, {})
        if not isinstance(node, dict):
            raise SpecFault(
                f"{where}: {key} holds {_kind(node)} and cannot have a key of its own; set {key} as a whole"
            )
    node[last] = value


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__
