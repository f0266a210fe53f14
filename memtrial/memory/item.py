"""One memory: the native three fields, the five fields of a theory, or free text."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Literal

Schema = Literal["native", "theory", "prose"]


@dataclass(frozen=True, slots=True)
class NativeItem:
    """The control's schema. Fields are stripped and their lines end in a bare newline.

    Args:
        title: the name of the memory.
        description: one sentence on what it is about.
        content: the advice itself.
    """

    title: str
    description: str
    content: str

    def __post_init__(self) -> None:
        _normalise(self)


@dataclass(frozen=True, slots=True)
class TheoryItem:
    """The treatment's schema. Fields are stripped and their lines end in a bare newline.

    Args:
        claim: in this state, do or avoid this action.
        trigger: typed cues joined by `|` (see `memory.trigger`).
        mechanism: why it holds.
        scope: where it holds, and where it does not.
        form: `heuristic`, or `check:` with a precondition.
    """

    claim: str
    trigger: str
    mechanism: str
    scope: str
    form: str

    def __post_init__(self) -> None:
        _normalise(self)


@dataclass(frozen=True, slots=True)
class ProseItem:
    """Free text, verbatim but for line ends and blanks around the whole: a raw trajectory, or what a memory
    system of any make hands over."""

    text: str

    def __post_init__(self) -> None:
        _normalise(self)


PLACE = re.compile(r"<[^<>\n]*>")
Item = NativeItem | TheoryItem | ProseItem
_KINDS: dict[Schema, type[Item]] = {"native": NativeItem, "theory": TheoryItem, "prose": ProseItem}


def is_template(item: Item) -> bool:
    """Whether each field is a place to be filled, as `<the title>`: the model repeated what it was asked."""
    texts = [text for text in asdict(item).values() if text]
    return bool(texts) and all(PLACE.fullmatch(text) for text in texts)


def schema_of(item: Item) -> Schema:
    """Which schema the item follows."""
    return next(schema for schema, kind in _KINDS.items() if isinstance(item, kind))


def field_names(schema: Schema) -> tuple[str, ...]:
    """The fields of a schema, in the order in which they are written."""
    return tuple(field.name for field in fields(_KINDS[schema]))


def item_to_json(item: Item) -> dict[str, str]:
    """The schema and the fields, as a flat JSON object."""
    return {"schema": schema_of(item), **asdict(item)}


def item_from_json(raw: Mapping[str, object]) -> Item:
    """The inverse of `item_to_json`; further keys are ignored.

    Raises:
        ValueError: the schema is unknown, or a field is missing or no text.
    """
    schema = next((kind for kind in _KINDS if kind == raw.get("schema")), None)
    if schema is None:
        raise ValueError(f"an item's schema is 'native', 'theory' or 'prose', not {raw.get('schema')!r}")
    texts: list[str] = []
    for name in field_names(schema):
        value = raw.get(name)
        if not isinstance(value, str):
            raise ValueError(f"an item of schema {schema!r} needs the text {name!r}, got {value!r}")
        texts.append(value)
    return _KINDS[schema](*texts)


def _normalise(item: Item) -> None:
    for name in field_names(schema_of(item)):
        text: str = getattr(item, name)
        # object.__setattr__: the one way to set a field of a frozen dataclass while it is made
        object.__setattr__(item, name, text.replace("\r\n", "\n").replace("\r", "\n").strip())
