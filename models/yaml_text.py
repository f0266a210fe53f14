"""YAML from outside: bounded however it is written, each key once, and nothing but texts, numbers and lists.

A few hundred bytes can stand for billions of values (aliases of aliases, merge keys of merge keys), and a
number of many digits takes the square of their count. What a text stands for is therefore counted before any
of it is built.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

MOST_VALUES = 10_000
"""Keys and values, with every alias and merge key written out."""
MOST_LEVELS = 50
MOST_DIGITS = 1_000
"""Characters of a number or a date."""
TAG = "tag:yaml.org,2002:"
TOO_MANY = f"it may hold {MOST_VALUES:,} values at most, its aliases written out, and this holds more"


class YamlFault(ValueError):
    """A text is no YAML, or stands for more than it may."""


def read_yaml(text: str) -> Any:
    """What a YAML text holds.

    Raises:
        YamlFault: it is no YAML, stands for too much, has a key twice, or a tag.
    """
    import yaml

    try:
        return yaml.load(text, Loader=_loader())
    except RecursionError as fault:
        raise YamlFault("this is nested too deeply") from fault
    except (yaml.YAMLError, ValueError, ArithmeticError) as fault:
        said = " ".join(str(fault).replace('in "<unicode string>", ', "").split())
        raise YamlFault(said) from fault


def _loader() -> Any:
    """PyYAML's safe loader, with every node measured and looked at before anything is built of it."""
    import yaml

    class Loader(yaml.SafeLoader):
        def __init__(self, text: str) -> None:
            super().__init__(text)
            self.measured: dict[Any, tuple[int, int]] = {}
            self.seen = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.seen += 1
            if self.seen > MOST_VALUES:
                raise yaml.YAMLError(TOO_MANY)
            alias = self.check_event(yaml.AliasEvent)
            node = super().compose_node(parent, index)
            if not alias:
                self._refuse_odd(node)
                self.measured[node] = self._measure(node)
            elif node not in self.measured:
                raise yaml.YAMLError("one of its aliases stands for something that holds it")
            return node

        def _measure(self, node: Any) -> tuple[int, int]:
            """Values a node stands for, and its levels. All that it holds was measured before."""
            inner = [self.measured[one] for one in _inner(node)]
            values, levels = 1 + sum(one for one, _ in inner), 1 + max((one for _, one in inner), default=0)
            if values > MOST_VALUES:
                raise yaml.YAMLError(TOO_MANY)
            if levels > MOST_LEVELS:
                raise yaml.YAMLError(f"this is nested too deeply, in more than {MOST_LEVELS} levels")
            return values, levels

        def _refuse_odd(self, node: Any) -> None:
            plain = isinstance(node, yaml.ScalarNode)
            own = self.resolve(type(node), node.value if plain else None, (True, False))  # type: ignore[no-untyped-call]
            if node.tag not in (own, f"{TAG}str" if plain else own):
                raise yaml.YAMLError(f"there is no constructor for the tag {node.tag} here{node.start_mark}")
            if plain and node.tag != f"{TAG}str" and len(node.value) > MOST_DIGITS:
                what = f"a number of at most {MOST_DIGITS} digits is needed; this has {len(node.value)}"
                raise yaml.YAMLError(f"{what}{node.start_mark}")
            if isinstance(node, yaml.MappingNode):
                scalars = (key for key, _ in node.value if isinstance(key, yaml.ScalarNode))
                keys = Counter(key.value for key in scalars if key.tag != f"{TAG}merge")
                if twice := sorted(key for key, count in keys.items() if count > 1):
                    raise yaml.YAMLError(f"key {', '.join(twice)} stands twice in one mapping")

    return Loader


def _inner(node: Any) -> list[Any]:
    """The nodes a node holds."""
    if not isinstance(node.value, list):
        return []
    return [one for held in node.value for one in (held if isinstance(held, tuple) else (held,))]
