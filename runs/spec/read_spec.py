"""Reading a spec: the file, then `MEMTRIAL_*`, then `-S key=value`. The last one wins."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from memtrial.commands.command_spec import read_command
from memtrial.faults import SpecFault, refused
from memtrial.models import yaml_text
from memtrial.models.client.types import OWN
from memtrial.plugins.given_memory import TEXT_FILES
from memtrial.plugins.plugin_names import PLUGIN, bare, is_plugin, texts_of
from memtrial.prompts.plain_text import text_of
from memtrial.runs.spec.environment import TAGS, WORLDS
from memtrial.runs.spec.sections import EMBEDDER
from memtrial.runs.spec.spec import Spec

PREFIX = "MEMTRIAL_"
MOST_BYTES = 1024 * 1024
NEEDED = "a spec is a small YAML file in UTF-8, and `memtrial init` writes one"
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, and lone surrogates, which cannot be written as UTF-8."""
TELLING = ("world", "kind")
"""Keys that say what the others of their mapping are about."""
LISTED = "`memtrial schema spec` lists all keys"
SAID = {
    "extra_forbidden": f"no such key; {LISTED}",
    "missing": f"is needed and missing; {LISTED}",
    "tuple_type": "a list is needed",
    "model_type": "a mapping of keys is needed",
    "dict_type": "a mapping of keys is needed",
    "string_type": "a text is needed",
    "union_tag_invalid": f"world is {WORLDS}",
    "union_tag_not_found": f"world is {WORLDS}",
}
PATTERNS = {
    PLUGIN: "path/to/module.py:Object is needed",
    EMBEDDER: "hashing or <provider>/<model> is needed",
}
FILES = (*TEXT_FILES, ".jsonl", ".parquet", ".csv")
PLACES = ("questions",)
"""Keys whose value is a file or a folder."""
"""Ends of the names of files that a spec may name."""
NAME = "a name of letters, digits, _ . + and - is needed"


def load_spec(
    path: Path, overrides: Iterable[str] = (), environment: Mapping[str, str] | None = None
) -> Spec:
    """Load the spec of a file and apply the overrides.

    A mapping that is given merges with the one that stands, key by key; an empty one, `roles={}`, removes
    what stands, and so does one of another kind or world. Any other value takes the place of the old one.

    Args:
        overrides: `key=value` with dots for depth (`analysis.margin=0.05`); values are YAML.
        environment: variables such as `MEMTRIAL_SEED` or `MEMTRIAL_ANALYSIS__MARGIN`.

    Raises:
        SpecFault: the file, a variable or an override cannot be read, or the spec is wrong.
    """
    raw = read_yaml(text_of(path, NEEDED, SpecFault, MOST_BYTES), str(path))
    if not isinstance(raw, dict):
        raise SpecFault(f"a spec is a YAML mapping; {path} holds {_kind(raw)}; `memtrial init` writes one")
    raw.setdefault("name", path.stem)
    whose: dict[str, str] = {}
    for variable, value in sorted((environment or {}).items()):
        if variable.startswith(PREFIX):
            keys = variable.removeprefix(PREFIX).lower().split("__")
            _set_key(raw, keys, read_yaml(value, variable), variable)
            whose[".".join(keys)] = variable
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals or not key:
            raise SpecFault(f"-S takes key=value, for example -S seed=3; got {override!r}")
        _set_key(raw, key.split("."), read_yaml(value, f"-S {key}"), f"-S {key}")
        whose[key] = "-S"
    try:
        return Spec.model_validate(_with_base(_resolve_paths(raw, path.parent), path.parent))
    except ValidationError as fault:
        raise SpecFault(first_of(fault, str(path), whose)) from fault


def read_yaml(text: str, where: str) -> Any:
    """What a YAML text holds; SpecFault where it cannot be read, or a text in it cannot be printed."""
    with refused(yaml_text.YamlFault, prefix=f"{where}: YAML is needed; "):
        value = yaml_text.read_yaml(text)
    for entry in texts_of(value):
        if unprintable := UNPRINTABLE.search(entry):
            raise SpecFault(
                f"{where}: texts need printable characters; {entry[:60]!r} has U+{ord(unprintable[0]):04X}"
                f" at place {unprintable.start() + 1}; remove it"
            )
    return value


def _resolve_paths(value: Any, folder: Path, is_place: bool = False) -> Any:
    """Resolve the paths of plugins, of files of text and tasks, and what is a place whatever its ending: from
    the working directory if they exist there, else beside the spec."""
    if isinstance(value, dict):
        return {key: _resolve_paths(inner, folder, key in PLACES) for key, inner in value.items()}
    if isinstance(value, list):
        return [_resolve_paths(inner, folder) for inner in value]
    if isinstance(value, str) and (is_place or is_plugin(value) or value.endswith(FILES)):
        file = bare(value).rpartition(":")[0] if is_plugin(value) else value
        if not Path(file).exists() and (folder / file).exists():
            return str(folder / value)
    return value


def _with_base(raw: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Where the files of an agent's command are: in the working directory if it has one of them, else beside
    the spec."""
    agent = raw.get("agent")
    if not isinstance(agent, dict) or "command" not in agent or "base" in agent:
        return raw
    with suppress(SpecFault):
        if read_command(agent).files():
            return raw
    return raw | {"agent": agent | {"base": folder.resolve()}}


def _set_key(raw: dict[str, Any], keys: list[str], value: Any, where: str) -> None:
    if not all(keys):
        raise SpecFault(f"a key of the spec is needed, such as seed or analysis.margin; got {where}")
    *path, last = keys
    node = raw
    for key in path:
        node = node.setdefault(key, {})
        if not isinstance(node, dict):
            raise SpecFault(
                f"{where}: {key} holds {_kind(node)} and cannot have keys below it; set {key} as a whole"
            )
    node[last] = _merge(node.get(last), value)


def _merge(stands: Any, given: Any) -> Any:
    """What a given value makes of the one that stands."""
    if not (isinstance(stands, dict) and isinstance(given, dict) and given):
        return given
    if any(key in stands and key in given and stands[key] != given[key] for key in TELLING):
        return given
    return stands | {key: _merge(stands.get(key), value) for key, value in given.items()}


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__


def first_of(fault: ValidationError, file: str, whose: Mapping[str, str]) -> str:
    """The first error, with its key and who set it (`whose`, else the file), and the number of further
    errors."""
    every = fault.errors(include_url=False)
    errors = [error for error in every if not _other_branch(error)] or every
    error = errors[0]
    key = ".".join(str(part) for part in error["loc"] if not _is_tag(part))
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    setter = next((by for name, by in whose.items() if key == name or key.startswith(f"{name}.")), file)
    return ": ".join(part for part in (setter, key, f"{_describe(error)}{more}") if part)


def _is_tag(part: str | int) -> bool:
    return isinstance(part, str) and (part in (*TAGS, "str", "[key]") or part.startswith("function-"))


def _other_branch(error: ErrorDetails) -> bool:
    """Whether the error is about the form of an arm that was not meant: a name for a mapping, or a mapping
    for anything else. Pydantic also reports a list of arms that are all wrong as empty."""
    if error["loc"][:1] != ("arms",):
        return False
    mapping = isinstance(error["input"], dict)
    if error["type"] == "too_short":
        return bool(error["input"])
    return len(error["loc"]) == 3 and error["type"] == ("string_type" if mapping else "model_type")


def _describe(error: ErrorDetails) -> str:
    kind, came = error["type"], error.get("input")
    reason = error["msg"].removeprefix("Value error, ").replace("Input should be", "should be")
    if kind == "string_pattern_mismatch":
        reason = PATTERNS.get(error["ctx"]["pattern"], NAME)
    if kind == "string_type" and error["loc"][:1] == ("arms",) and error["loc"][2:] == ("str",):
        reason = "an arm is a standard one's name, or name, condenser and injection"
    else:
        reason = SAID.get(kind, reason)
    if kind == "missing" and error["loc"] == ("backbone",):
        return f"is needed: the model that is asked, or {OWN}/NAME for an agent that asks none here; {LISTED}"
    if kind in ("value_error", "extra_forbidden", "missing") or "got" in reason:
        return reason
    return f"{reason}; got {came!r:.120}"
