"""A script of faults as a file: a list of entries in YAML or JSON."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from reprlib import repr
from typing import Any, get_args

from loadbearing.models.scripted.faults import KINDS, Fault
from loadbearing.models.scripted.protocol import Channel, ScriptFault
from loadbearing.models.yaml_text import YamlFault, read_yaml

KEYS = ("fault", "at", "every", "share", "match", "times", "for", "retry_after_s", "lasts_s", "model", "size")
LARGEST = 1024 * 1024


def read_faults(path: Path) -> tuple[Fault, ...]:
    """The entries of a file, in order.

    An entry is `{fault: KIND, at: [3, 7] | every: N | share: 0.1, match: TEXT, times: N, for: CHANNEL,
    retry_after_s: S, lasts_s: S, model: ID, size: N}`; all but `fault` may be left out. See `Fault`.

    Raises:
        ScriptFault: the file cannot be read, or an entry is not what it should be.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ScriptFault(f"faults are a YAML or JSON file; {path} is no plain file")
        if path.stat().st_size > LARGEST:
            raise ScriptFault(
                f"{path} is larger than {LARGEST // 2**20} MiB; a script of faults is a short list"
            )
        raw = read_yaml(path.read_text(encoding="utf-8"))
    except ScriptFault:
        raise
    except OSError as fault:
        raise ScriptFault(f"faults are a YAML or JSON file; cannot read {path}: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise ScriptFault(f"faults are a YAML or JSON file; {path} is not UTF-8") from fault
    except YamlFault as fault:
        raise ScriptFault(f"faults are a YAML or JSON file; {path} is neither: {str(fault)[:200]}") from fault
    if not isinstance(raw, list):
        raise ScriptFault(
            f"{path} holds a list of entries such as {{fault: '429', at: [3]}}; got {_name(raw)}"
        )
    return tuple(read_fault(one, f"{path}, entry {number}") for number, one in enumerate(raw, 1))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry, and where it stands."""

    fields: dict[str, Any]
    where: str

    def number(self, key: str) -> float | None:
        """A number, or None where there is none."""
        value = self.fields.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ScriptFault(f"{self.where}: {key} is a number; got {repr(value)}")
        return value

    def whole(self, key: str) -> int | None:
        """A whole number, or None where there is none."""
        value = self.number(key)
        if value is not None and not isinstance(value, int):
            raise ScriptFault(f"{self.where}: {key} is a whole number; got {repr(value)}")
        return value

    def wholes(self, key: str) -> tuple[int, ...]:
        """Whole numbers, as a list or alone."""
        value = self.fields.get(key)
        numbers = [] if value is None else value if isinstance(value, list) else [value]
        if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
            raise ScriptFault(f"{self.where}: {key} is a list of whole numbers; got {repr(value)}")
        if value is not None and not numbers:
            raise ScriptFault(f"{self.where}: {key} is empty and would never strike; leave the entry out")
        return tuple(numbers)

    def text(self, key: str, default: str) -> str:
        """A text; an empty one is a mistake."""
        value = self.fields.get(key, default)
        if not isinstance(value, str) or (key in self.fields and not value):
            raise ScriptFault(f"{self.where}: {key} is a text; got {repr(value)}")
        return value


def read_fault(raw: object, where: str) -> Fault:
    """One entry.

    Raises:
        ScriptFault: it is not what it should be.
    """
    if not isinstance(raw, dict):
        raise ScriptFault(f"{where} is a mapping such as {{fault: '429', at: [3]}}; got {_name(raw)}")
    unknown = [str(key) for key in raw if key not in KEYS]
    if unknown:
        raise ScriptFault(f"{where} has a key {unknown[0]!r}; there are {', '.join(KEYS)}")
    entry = _Entry(raw, where)
    named = str(raw.get("fault", ""))  # 429 may be written without quotation marks
    kind = next((one for one in KINDS if one == named), None)
    if kind is None:
        raise ScriptFault(f"{where}: fault is one of {', '.join(KINDS)}; got {named or 'none'!r}")
    channel = next((one for one in get_args(Channel) if one == raw.get("for")), None)
    if "for" in raw and channel is None:
        raise ScriptFault(f"{where}: for is one of {', '.join(get_args(Channel))}; got {repr(raw['for'])}")
    lasts_s, size = entry.number("lasts_s"), entry.whole("size")
    try:
        return Fault(
            kind=kind,
            at=entry.wholes("at"),
            every=entry.whole("every"),
            share=entry.number("share"),
            match=entry.text("match", ""),
            times=entry.whole("times"),
            channel=channel,
            retry_after_s=entry.number("retry_after_s"),
            lasts_s=30.0 if lasts_s is None else lasts_s,
            model=entry.text("model", "some-other-model"),
            **({} if size is None else {"size": size}),
        )
    except ScriptFault as fault:
        raise fault if str(fault).startswith(where) else ScriptFault(f"{where}: {fault}") from None


def _name(raw: object) -> str:
    return "nothing" if raw is None else f"a {type(raw).__name__}"
