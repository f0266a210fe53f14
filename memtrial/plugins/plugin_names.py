"""How a thing of one's own is named: `path/to/module.py:Object`, with settings `…:Object?k=1&word=x`."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

from memtrial.models.yaml_text import YamlFault, read_yaml

PLUGIN = r"^[^?]+\.py:[A-Za-z_]\w*(\?.*)?$"
READABLE = " \"'[]{}:,/.+"
"""Signs of a value that stand as they are in a name."""


def is_plugin(name: str) -> bool:
    """The name points into a file of the user's, instead of naming something that ships."""
    return re.match(PLUGIN, name) is not None


def bare(name: str) -> str:
    """The name without its settings."""
    return name.partition("?")[0]


def settings_of(name: str) -> dict[str, Any]:
    """The settings in a name, values as in JSON or YAML; ValueError where they cannot be read."""
    settings: dict[str, Any] = {}
    for pair in filter(None, name.partition("?")[2].split("&")):
        key, equals, text = pair.partition("=")
        if not equals or not key.isidentifier() or key in settings:
            raise ValueError(f"settings are written ?key=value&key=value, each key once; got {pair!r}")
        settings[key] = _value_of(unquote(text))
    return settings


def _value_of(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return read_yaml(text)
    except YamlFault as fault:
        raise ValueError(f"a setting is a value of YAML; {fault}") from fault


def with_settings(name: Any, settings: Any, words: Sequence[str] = ()) -> Any:
    """The name with these settings in it; ValueError where it is nothing of one's own and none of the words
    that take some, or has some."""
    if not isinstance(settings, Mapping):
        raise ValueError(f"settings are a mapping, as {{k: 1}}; got {settings!r:.60}")
    if not settings:
        return name
    if not isinstance(name, str) or not (is_plugin(name) or name in words) or "?" in name:
        also = f", or with {', '.join(words)}" if words else ""
        raise ValueError(f"settings go with path/to/module.py:Object{also}; got {name!r:.120}")
    if wrong := next((key for key in settings if not (isinstance(key, str) and key.isidentifier())), None):
        raise ValueError(f"a setting is the name of an argument; got {wrong!r}")
    try:
        values = {key: json.dumps(value, ensure_ascii=False) for key, value in sorted(settings.items())}
    except (TypeError, ValueError, RecursionError) as fault:
        raise ValueError(f"settings are numbers, texts, lists and mappings of these: {fault}") from fault
    return f"{name}?{'&'.join(f'{key}={quote(text, safe=READABLE)}' for key, text in values.items())}"


def settled_names(entries: Any, key: str) -> Any:
    """A list in which an entry may be `{key: name, settings: {…}}`, with such entries as names."""
    if not isinstance(entries, list | tuple):
        return entries
    return [
        with_settings(entry[key], entry["settings"])
        if isinstance(entry, Mapping) and entry.keys() == {key, "settings"}
        else entry
        for entry in entries
    ]


def plugins_of(part: Any) -> tuple[str, ...]:
    """Every such name in a nested value, each once, in order."""
    return tuple(dict.fromkeys(filter(is_plugin, texts_of(part))))


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a nested value, keys among them."""
    if isinstance(value, str):
        yield value
    keyed = isinstance(value, dict)
    for entry in [*value, *value.values()] if keyed else value if isinstance(value, list | tuple) else ():
        yield from texts_of(entry)
