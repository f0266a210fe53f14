"""YAML from outside: bounded however it is written, each key once, and nothing but texts, numbers and lists.

Aliases are not read: a few hundred bytes of them can stand for billions of values. Nor are long numbers: they
take the square of their digits.
"""

from collections import Counter
from functools import cache
from typing import Any

MOST_VALUES = 10_000
"""Keys and values."""
MOST_DIGITS = 1_000
"""Characters of a number or a date."""
TEXT, MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"


class YamlFault(ValueError):
    """A text is no YAML, or stands for more than it may."""


def read_yaml(text: str) -> Any:
    """What a YAML text holds; YamlFault where it is none, or has too much, a key twice, an alias or a tag."""
    import yaml

    try:
        return yaml.load(text, Loader=_loader())
    except RecursionError as fault:
        raise YamlFault("this is nested too deeply") from fault
    except (yaml.YAMLError, ValueError, ArithmeticError) as fault:
        message = str(fault).replace('in "<unicode string>", ', "")
        raise YamlFault(" ".join(message.split())) from fault


@cache
def _loader() -> Any:
    """PyYAML's safe loader, with every node counted and looked at before anything is built of it."""
    import yaml

    class Loader(yaml.SafeLoader):
        seen = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.seen += 1
            if self.seen > MOST_VALUES:
                raise yaml.YAMLError(f"it may hold {MOST_VALUES:,} values at most, and this holds more")
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not read here; write the value out in each place")
            node: Any = super().compose_node(parent, index)
            plain = isinstance(node, yaml.ScalarNode)
            own = self.resolve(type(node), node.value if plain else None, (True, False))  # type: ignore[no-untyped-call]
            if node.tag not in (own, TEXT if plain else own):
                raise yaml.YAMLError(f"there is no constructor for the tag {node.tag} here{node.start_mark}")
            if plain and node.tag != TEXT and len(node.value) > MOST_DIGITS:
                what = f"a number of at most {MOST_DIGITS} digits is needed; this has {len(node.value)}"
                raise yaml.YAMLError(f"{what}{node.start_mark}")
            if isinstance(node, yaml.MappingNode):
                scalars = (key for key, _ in node.value if isinstance(key, yaml.ScalarNode))
                keys = Counter(key.value for key in scalars if key.tag != MERGE)
                if twice := sorted(key for key, count in keys.items() if count > 1):
                    raise yaml.YAMLError(f"key {', '.join(twice)} stands twice in one mapping")
            return node

    return Loader
