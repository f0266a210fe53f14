"""How a thing of one's own is named: `path/to/module.py:Object`."""

import re
from collections.abc import Iterator
from typing import Any

PLUGIN = r"^.+\.py:[A-Za-z_]\w*$"


def is_plugin(name: str) -> bool:
    """The name points into a file of the user's, instead of naming something that ships."""
    return re.match(PLUGIN, name) is not None


def plugins_of(part: Any) -> tuple[str, ...]:
    """Every such name in a nested value, each once, in order."""
    return tuple(dict.fromkeys(filter(is_plugin, texts_of(part))))


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a nested value, keys among them."""
    if isinstance(value, str):
        yield value
    keyed = isinstance(value, dict)
    for one in [*value, *value.values()] if keyed else value if isinstance(value, list | tuple) else ():
        yield from texts_of(one)
