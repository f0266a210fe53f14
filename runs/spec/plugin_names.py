"""How a thing of one's own is named: `path/to/module.py:Object`."""

import re
from typing import Any

PLUGIN = r"^.+\.py:[A-Za-z_]\w*$"


def is_plugin(name: str) -> bool:
    """The name points into a file of the user's, instead of naming something that ships."""
    return re.match(PLUGIN, name) is not None


def plugins_of(part: Any) -> tuple[str, ...]:
    """Every such name in a nested value, each once, in order."""
    if isinstance(part, str):
        return (part,) if is_plugin(part) else ()
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ()
    return tuple(dict.fromkeys(name for value in inner for name in plugins_of(value)))
