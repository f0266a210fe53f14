"""Items of a memory in what a server's list gives: blocks of text, lists of JSON, or objects with a field."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memtrial.faults import SpecFault

MOST_ITEMS = 2000
BULLET = ("- ", "* ", "• ")


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item as a list gives it; its name is empty where the list says none."""

    text: str
    name: str | int = ""


def list_items(texts: Sequence[str], field: str) -> tuple[str, ...]:
    """The items, in order, each once.

    A text that is JSON gives the texts of its list, or the `field` of each object wherever it lies. Any other
    text gives its entries, where each line of it begins one (`- …`), else its paragraphs.

    Raises:
        SpecFault: none, too many, or objects of which nobody said which field holds the text.
    """
    listed = (item.text.strip() for item in name_items(texts, field))
    items = tuple(dict.fromkeys(text for text in listed if any(map(str.isalnum, text))))
    if not items:
        where = f" with a field {field!r}" if field else ""
        raise SpecFault(
            f"mcp: the list of the memory server holds no item{where}; name the call that gives all of them"
        )
    return items


def name_items(texts: Sequence[str], field: str, name: str = "") -> tuple[ListedItem, ...]:
    """The same as they are, blank ones and none too, with what the field `name` says, where items are
    objects."""
    items = tuple(dict.fromkeys(item for text in texts for item in _read_text(text, field, name)))
    if len(items) > MOST_ITEMS:
        raise SpecFault(
            f"mcp: a memory on trial has at most {MOST_ITEMS:,} items; the server lists {len(items):,}"
        )
    return items


def _read_text(text: str, field: str, name: str) -> Iterator[ListedItem]:
    value = _parse(text)
    if value is None:
        if field:
            raise SpecFault(f"mcp: text names the field {field!r}, and the list gives no JSON; leave it out")
        yield from (ListedItem(part) for part in _read_plain(text))
        return
    yield from _read_value(value, field, name)


def _parse(text: str) -> Any:
    """A list or an object of JSON; None where the text is something else."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_value(value: Any, field: str, name: str) -> Iterator[ListedItem]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str) and not field:
            yield ListedItem(part)
        elif isinstance(part, list):
            waiting += reversed(part)
        elif isinstance(part, dict):
            if field and isinstance(part.get(field), str | list):
                yield from _read_object(part, field, name)
                continue
            wrapped = [each for each in part.values() if isinstance(each, list | dict)]
            if not field and not wrapped and part:
                names = ", ".join(sorted(map(str, part)))
                raise SpecFault(
                    f"mcp: the list gives objects with {names:.200}; text names the field that holds an item"
                )
            waiting += reversed(wrapped)


def _read_object(part: dict[str, Any], field: str, name: str) -> Iterator[ListedItem]:
    """The item of an object, or one of each text of its list, with a number behind the name."""
    own, held = part.get(name) if name else "", part[field]
    own = own if isinstance(own, str | int) else ""
    if isinstance(held, str):
        yield ListedItem(held, own)
        return
    for number, text in enumerate((text for text in held if isinstance(text, str)), 1):
        yield ListedItem(text, f"{own}/{number}" if own else "")


def _read_plain(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(line.startswith(BULLET) for line in lines):
        yield from (line[2:].strip() for line in lines)
    else:
        yield from (part.strip() for part in text.split("\n\n") if part.strip())
