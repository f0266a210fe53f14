"""One memory: the native three fields, the five fields of a theory, both beside each other, or free text."""

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Literal

Schema = Literal["native", "theory", "additive", "prose"]


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
class AdditiveItem:
    """The control's three fields with the treatment's five beside them (seeds/002: "the extra fields are
    additive markdown"). Fields are stripped and their lines end in a bare newline; their meaning is that of
    `NativeItem` and `TheoryItem`."""

    title: str
    description: str
    content: str
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
TypedItem = TheoryItem | AdditiveItem
"""The items with a Claim, a Trigger, a Mechanism, a Scope and a Form."""
Item = NativeItem | TypedItem | ProseItem
_KINDS: dict[Schema, type[Item]] = {
    "native": NativeItem,
    "theory": TheoryItem,
    "additive": AdditiveItem,
    "prose": ProseItem,
}
_SCHEMAS: dict[type[Item], Schema] = {kind: schema for schema, kind in _KINDS.items()}
LEAST_ADDITIVE = 6
"""Fields of both schemas from which on an item is of the additive one; fewer are a heading gone astray."""


def is_template(item: Item) -> bool:
    """Whether each field is a place to be filled, as `<the title>`: the model repeated what it was asked."""
    texts = [text for text in asdict(item).values() if text]
    return bool(texts) and all(PLACE.fullmatch(text) for text in texts)


def schema_of(item: Item) -> Schema:
    """Which schema the item follows."""
    return _SCHEMAS[type(item)]


def schema_with(names: Collection[str], first: str) -> Schema:
    """The schema of an item with these fields: the one of which more are there; `first` decides a tie."""
    native, theory = (len(set(names) & set(field_names(of))) for of in ("native", "theory"))
    if native > 1 and theory > 1 and native + theory >= LEAST_ADDITIVE:
        return "additive"
    is_native = first in field_names("native") if native == theory else native > theory
    return "native" if is_native else "theory"


@cache
def field_names(schema: Schema) -> tuple[str, ...]:
    """The fields of a schema, in the order in which they are written."""
    return tuple(field.name for field in fields(_KINDS[schema]))


def item_to_json(item: Item) -> dict[str, str]:
    """The schema and the fields, as a flat JSON object."""
    schema = schema_of(item)
    return {"schema": schema, **{name: getattr(item, name) for name in field_names(schema)}}


def item_from_json(raw: Mapping[str, object]) -> Item:
    """The inverse of `item_to_json`; further keys are ignored.

    Raises:
        ValueError: the schema is unknown, or a field is missing or no text.
    """
    schema = next((kind for kind in _KINDS if kind == raw.get("schema")), None)
    if schema is None:
        raise ValueError(
            f"an item's schema is 'native', 'theory', 'additive' or 'prose', not {raw.get('schema')!r}"
        )
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
