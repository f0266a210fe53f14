"""Calls of a memory server's tools, filled in, and the items in what they give."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memtrial.faults import RunFault
from memtrial.memory_relay.listed_items import ListedItem, name_items
from memtrial.memory_relay.server_description import ServerEntry
from memtrial.memory_relay.shown_items import ItemTable

PLACE = re.compile(r"\{(run|note|trace|outcome|task|k|id|text)\}")
Filling = Mapping[str, str | int]


def fill_arguments(arguments: Any, filling: Filling) -> Any:
    """The arguments with what the filling says in the place of each word in braces.

    A text that is nothing but such a word becomes the value itself, so that `{k}` is a number. What was
    filled in is not looked at again.
    """
    if isinstance(arguments, dict):
        return {name: fill_arguments(part, filling) for name, part in arguments.items()}
    if isinstance(arguments, list):
        return [fill_arguments(part, filling) for part in arguments]
    if not isinstance(arguments, str):
        return arguments
    alone = PLACE.fullmatch(arguments)
    if alone and alone[1] in filling:
        return filling[alone[1]]
    return PLACE.sub(lambda match: str(filling.get(match[1], match[0])), arguments)


def read_list(texts: Sequence[str], entry: ServerEntry) -> dict[str, ListedItem]:
    """The items of a list, each under a name of its own: the server's, else its text."""
    held = [text for text in texts if not _is_nothing(text, entry)]
    items = name_items(held, entry.text, entry.id)
    named = {str(item.name if item.name != "" else item.text): item for item in items}
    if len(named) < len(items):
        raise RunFault("mcp: two items of the memory server's list have one id; id names another field")
    return named


def rank_items(texts: Sequence[str], held: Mapping[str, ListedItem], entry: ServerEntry) -> tuple[str, ...]:
    """The names of the items in what a search gave, in its order, each once; what stands around them is left
    out.

    Raises:
        RunFault: it gave a text of which the list holds nothing, as where it shortens or rewrites items.
    """
    given = [text for text in texts if not _is_nothing(text, entry)]
    if entry.text:
        return _rank_named(given, held, entry)
    table = ItemTable([(item.text, "") for item in held.values()])
    shown = [table.show(text) for text in given]
    names, places = tuple(held), [place for text in shown for place in text.items]
    if not places and any(text.unknown for text in shown):
        raise RunFault(_say_stranger(max((text.stranger for text in shown), key=len)))
    return tuple(dict.fromkeys(names[place] for place in places))


def _rank_named(given: Sequence[str], held: Mapping[str, ListedItem], entry: ServerEntry) -> tuple[str, ...]:
    by_item = {item: name for name, item in held.items()}
    by_text = {item.text: name for name, item in held.items()}
    names = dict[str, None]()
    for item in name_items(given, entry.text, entry.id):
        name = by_item.get(item, by_text.get(item.text))
        if name is None:
            raise RunFault(_say_stranger(item.text))
        names[name] = None
    return tuple(names)


def _say_stranger(text: str) -> str:
    return (
        "mcp: the memory server's search gives a text that its list does not hold,"
        f" {json.dumps(text[:80], ensure_ascii=False)}; search and list name calls that give items whole"
    )


def _is_nothing(text: str, entry: ServerEntry) -> bool:
    return text.strip() == entry.nothing.strip()
