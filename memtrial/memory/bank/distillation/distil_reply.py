"""Items in a distiller's reply: the JSON it was asked for, or any layout in which models write items."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from memtrial.memory.bank.bank_item import ItemDetails, Outcome
from memtrial.memory.bank.distillation.distilled_items import MOST_ITEMS, Distillation, DistilledItem
from memtrial.memory.bank.distillation.guardrail_parts import join_heads, split_guardrail, split_marks
from memtrial.memory.bank.distillation.stated_attempt import attempt_of, mark_attempts, take_attempt
from memtrial.memory.item import Item, NativeItem, ProseItem, TheoryItem, is_template, schema_of
from memtrial.memory.layouts.chatter import after_thoughts
from memtrial.memory.markdown import read_reply

MOST = 40_000
"""Characters of a reply that are read."""
_TITLE = ("title", "name", "heading")
_ABOUT = ("description", "summary", "when")
_CONTENT = ("content", "strategy", "strategy_text", "guardrail", "steps", "advice", "lesson", "rule")
_WRONG = ("what_went_wrong", "went_wrong", "failure_mode", "failure_modes", "problem", "mistake")
_INSTEAD = (
    "what_to_do_instead",
    "do_instead",
    "instead",
    "recovery",
    "recovery_steps",
    "fix",
    "prevention",
    "correct_approach",
)
_KNOWN = frozenset({*_TITLE, *_ABOUT, *_CONTENT, *_WRONG, *_INSTEAD})
_LISTS = ("memories", "memory_items", "items", "guardrails", "strategies", "insights")
_OUTCOMES: Mapping[str, Outcome] = {"success": "success", "failure": "failure", "fail": "failure"}
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OPENS = re.compile(r"[\[{]")
_TRAILING = re.compile(r",(\s*+[}\]])")
_FORM = "a short name", "one sentence", "the strategy"
"""What the form says where an item's text should stand."""
MOST_STARTS = 20
"""Brackets of a reply at which a JSON value is looked for."""


def read_distillation(reply: str, outcome: Outcome | None, most: int = MOST_ITEMS) -> Distillation:
    """The items of a reply, at most so many, the first ones.

    Args:
        outcome: of the run; a guardrail lacks nothing only if it says what to do instead. None where attempts
            were compared: each item says of itself which it is, and of which attempt it comes.
    """
    text = _unwrap(reply[after_thoughts(reply) :].strip()[:MOST])
    notes, objects = _read_notes(text), _read_objects(text, outcome)
    read = _read_layout(text, outcome) if objects is None else objects
    if isinstance(read, str):
        return Distillation(fault=read, notes=notes)
    whole, dropped = list[DistilledItem](), list[str]()
    for number, item in enumerate(read, 1):
        lack = _lack(item)
        if lack:
            dropped.append(f"item {number} {lack}")
        else:
            whole.append(item)
    if read and not whole:
        return Distillation(fault="; ".join(dropped), notes=notes)
    dropped += [f"one of {len(whole)} items; the first {most} are kept"] * (len(whole) - most)
    return Distillation(tuple(whole[:most]), notes, tuple(dropped))


def _unwrap(text: str) -> str:
    """The reply within one that is a JSON string."""
    try:
        inner = json.loads(text) if text.startswith('"') else None
    except ValueError:
        inner = None
    return inner if isinstance(inner, str) else text


def _lack(item: DistilledItem) -> str:
    """What an item needs and has not."""
    if is_template(item.item) or getattr(item.item, "title", "") in _FORM:
        return "repeats the form that was asked for"
    if isinstance(item.item, NativeItem) and not item.item.title.strip():
        return "has no title"
    if not shown_words(item.item):
        return "has no content"
    if item.outcome == "failure" and not item.details.instead:
        return "says what went wrong, and not what to do instead"
    if item.outcome == "failure" and not _tells_wrong(item):
        return "says what to do instead, and not what went wrong"
    return ""


def _tells_wrong(made: DistilledItem) -> bool:
    """Whether anything of a guardrail stands there beside what to do instead."""
    instead = f"Instead: {made.details.instead}"
    return shown_words(made.item).strip() != instead.strip() or bool(getattr(made.item, "description", ""))


def shown_words(item: Item) -> str:
    """The advice of an item: its content, its claim, or its prose."""
    if isinstance(item, ProseItem):
        return item.text
    return item.claim if isinstance(item, TheoryItem) else item.content


def _read_objects(text: str, outcome: Outcome | None) -> list[DistilledItem] | None:
    """The items of proper JSON: of the first list of items, or of objects one by one; None where it has none.

    Of a list that is cut off the whole objects are read one by one.
    """
    alone = list[dict[str, object]]()
    for value in _decode(text):
        listed = _listed(value)
        if listed is None:
            continue
        if not isinstance(listed, dict):
            return [_item_of(fields, outcome) for fields in alone or listed]
        alone.append(listed)
    return [_item_of(fields, outcome) for fields in alone] if alone else None


def _decode(text: str) -> Iterator[object]:
    """The JSON values of the reply that have objects, one behind the other."""
    decoder = json.JSONDecoder(strict=False)
    mended, place = _TRAILING.sub(r"\1", text), 0
    for _ in range(MOST_STARTS):
        opening = _OPENS.search(mended, place)
        if opening is None:
            return
        try:
            value, place = decoder.raw_decode(mended, opening.start())
        except (ValueError, RecursionError):
            place = opening.end()
            continue
        if isinstance(value, dict) or (
            isinstance(value, list) and all(isinstance(part, dict) for part in value)
        ):
            yield value


def _listed(root: object) -> list[dict[str, object]] | dict[str, object] | None:
    """The objects that are items: a list under one of the names, a list alone or one object."""
    if isinstance(root, dict):
        named = {_bare(key): value for key, value in root.items()}
        key = next((name for name in _LISTS if name in named), "")
        if not key:
            return named if _KNOWN & named.keys() else None
        root = [named[key]] if isinstance(named[key], dict) else named[key]
    if not isinstance(root, list):
        return None
    objects = [
        {_bare(key): value for key, value in entry.items()} for entry in root if isinstance(entry, dict)
    ]
    return None if root and not any(_KNOWN & fields.keys() for fields in objects) else objects


def _item_of(fields: Mapping[str, object], outcome: Outcome | None) -> DistilledItem:
    wrong, instead = _text(fields, _WRONG), _text(fields, _INSTEAD)
    content = _text(fields, _CONTENT)
    named = _OUTCOMES.get(str(fields.get("outcome", "")).strip().casefold())
    own: Outcome = outcome or named or ("failure" if wrong else "success")
    if own == "failure" and not instead:
        more, instead, content = split_guardrail(content)
        wrong = "\n".join(filter(None, (wrong, more)))
    body = "\n".join(filter(None, [content, wrong, f"Instead: {instead}" if instead else ""]))
    item = NativeItem(_text(fields, _TITLE), _text(fields, _ABOUT), body)
    details = ItemDetails(
        instead,
        _texts(fields.get("preconditions")),
        _texts(fields.get("pitfalls")),
        _text(fields, ("exemplar",)),
    )
    return DistilledItem(item, own, details, 0 if outcome else attempt_of(fields))


def _read_layout(text: str, outcome: Outcome | None) -> list[DistilledItem] | str:
    """The items of any other layout, with the guardrail's two parts marked in their content."""
    reading = read_reply(join_heads(text if outcome else mark_attempts(text)))
    if not reading.items:
        start = " ".join(text[:60].split())
        return [] if reading.none else f"memory items as JSON are needed; got {start!r}"
    read = []
    for whole in reading.items:
        item, attempt = (whole, 0) if outcome else take_attempt(whole)
        split = split_guardrail if outcome == "failure" else split_marks
        wrong, instead, content = split(shown_words(item))
        own: Outcome = outcome or ("failure" if instead else "success")
        if schema_of(item) == "native" and isinstance(item, NativeItem) and instead:
            item = replace(item, content="\n".join(filter(None, [content, wrong, f"Instead: {instead}"])))
        read.append(DistilledItem(item, own, ItemDetails(instead), attempt))
    return read


def _read_notes(text: str) -> tuple[str, ...]:
    objects = (value for value in _decode(text) if isinstance(value, dict))
    return next((_texts(value["notes"]) for value in objects if "notes" in value), ())


def _text(fields: Mapping[str, object], names: tuple[str, ...]) -> str:
    """The first field that is there, a list of steps a line each."""
    value = next((fields[name] for name in names if fields.get(name)), "")
    return "\n".join(_texts(value))


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(text for part in value for text in _texts(part))
    if isinstance(value, dict):
        return tuple(
            f"{_bare(key).replace('_', ' ')}: {text}" for key, part in value.items() for text in _texts(part)
        )
    text = "" if value is None else str(value).strip()
    return (text,) if text else ()


def _bare(key: object) -> str:
    return _CAPITAL.sub("_", str(key).strip()).casefold().replace(" ", "_").replace("-", "_")
