"""A script of faults as a file: a list of entries in YAML or JSON."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from loadbearing.models.scripted.faults import Fault
from loadbearing.models.scripted.protocol import ScriptFault
from loadbearing.models.scripted.script_file import read_script, sentence
from loadbearing.models.yaml_text import YamlFault, read_yaml

LARGEST = 1024 * 1024
FORM = "faults are a YAML or JSON file"
EXAMPLE = "{fault: '429', at: [3]}"


def read_faults(path: Path) -> tuple[Fault, ...]:
    """The entries of a file, in order.

    An entry is `{fault: KIND, at: [3, 7] | every: N | share: 0.1, match: TEXT, times: N, for: CHANNEL,
    retry_after_s: S, lasts_s: S, model: ID, size: N}`; all but `fault` may be left out. See `Fault`.

    Raises:
        ScriptFault: the file cannot be read, or an entry is invalid.
    """
    try:
        raw = read_yaml(read_script(path, FORM, LARGEST))
    except YamlFault as fault:
        raise ScriptFault(f"{FORM}; {path} is neither: {str(fault)[:200]}") from fault
    if not isinstance(raw, list):
        raise ScriptFault(f"{path} holds a list of entries such as {EXAMPLE}; got {_name(raw)}")
    entry = TypeAdapter(Fault)
    return tuple(_fault(entry, one, f"{path}, entry {number}") for number, one in enumerate(raw, 1))


def _fault(entry: TypeAdapter[Fault], raw: object, where: str) -> Fault:
    if not isinstance(raw, dict):
        raise ScriptFault(f"{where} is a mapping such as {EXAMPLE}; got {_name(raw)}")
    try:
        return entry.validate_python({"fault": None, **raw})
    except ValidationError as fault:
        said = sentence(fault, entry.json_schema()["properties"])
        raise ScriptFault(f"{where}: {said}") from None


def _name(raw: object) -> str:
    return "nothing" if raw is None else f"a {type(raw).__name__}"
