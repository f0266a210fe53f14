"""Items in a distiller's reply: the JSON it was asked for, or any layout in which models write items."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from memtrial.memory.bank.bank_item import ItemDetails, Outcome
from memtrial.memory.bank.distillation.distilled_items import MOST_ITEMS, Distillation, DistilledItem
from memtrial.memory.item import Item, NativeItem, ProseItem, TheoryItem, is_template, schema_of
from memtrial.memory.layouts.chatter import after_thoughts
from memtrial.memory.markdown import read_reply

MOST = 40_000
"""Characters of a reply that are read."""
_TITLE = ("title", "name", "heading")
_ABOUT = ("description", "summary", "when")
_CONTENT = ("content", "strategy", "strategy_text", "guardrail", "steps", "advice", "lesson", "rule")
_WRONG = ("what_went_wrong", "went_wrong", "failure_mode", "failure_modes", "problem", "mistake")
_INSTEAD = ("what_to_do_instead", "do_instead", "instead", "recovery", "recovery_steps", "fix", "prevention")
_LISTS = ("memories", "memory_items", "items", "guardrails", "strategies", "insights")
_OUTCOMES: Mapping[str, Outcome] = {"success": "success", "failure": "failure", "fail": "failure"}
_MARK = re.compile(
    r"(?:^|(?<=[.!?\s]))[*_]{0,3}(what went wrong|(?:what to )?(?:do )?instead)[*_]{0,3}\s?:[*_]{0,3}",
    re.IGNORECASE,
)
_HEADED = re.compile(
    r"^(?P<dress>[#*_ \t]*+)(?P<name>what[ _]went[ _]wrong|(?:what[ _]to[ _])?do[ _]instead)"
    r"(?:[*_ \t]*+(?=\n|$)|[*_ \t]*+:[*_ \t]*+)",
    re.IGNORECASE | re.MULTILINE,
)
_CONTENT_HEAD = re.compile(r"^[#*_ \t]*+content\b", re.IGNORECASE | re.MULTILINE)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OPENS = re.compile(r"[\[{]")
_TRAILING = re.compile(r",(\s*+[}\]])")
_FORM = "a short name", "one sentence", "the strategy"
"""What the form says where an item's text should stand."""
MOST_STARTS = 20
"""Brackets of a reply at which a JSON value is looked for."""


def read_distillation(reply: str, outcome: Outcome | None) -> Distillation:
    """The items of a reply, at most three, the first ones.

    Args:
        outcome: of the run; a guardrail lacks nothing only if it says what to do instead. None where attempts
            were compared: each item says of itself which it is.
    """
    text = reply[after_thoughts(reply) :][:MOST]
    read, notes = _read_objects(text, outcome), _read_notes(text)
    if read is None:
        read = _read_layout(text, outcome)
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
    dropped += [f"one of {len(whole)} items; the first {MOST_ITEMS} are kept"] * (len(whole) - MOST_ITEMS)
    return Distillation(tuple(whole[:MOST_ITEMS]), notes, tuple(dropped))


def _lack(item: DistilledItem) -> str:
    """What an item needs and has not."""
    if is_template(item.item) or getattr(item.item, "title", "") in _FORM:
        return "repeats the form that was asked for"
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


def _read_objects(text: str, outcome: Outcome | None) -> list[DistilledItem] | str | None:
    """The items of proper JSON; None where the reply has none."""
    root = _root(text)
    if root is None:
        return None
    objects = _listed(root)
    return None if objects is None else [_item_of(fields, outcome) for fields in objects]


def _root(text: str) -> object:
    """The first JSON value of the reply that has objects; None where there is none."""
    decoder = json.JSONDecoder(strict=False)
    mended = _TRAILING.sub(r"\1", text)
    for opening in islice(_OPENS.finditer(mended), MOST_STARTS):
        try:
            value = decoder.raw_decode(mended, opening.start())[0]
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) or (
            isinstance(value, list) and all(isinstance(part, dict) for part in value)
        ):
            return value
    return None


def _listed(root: object) -> list[dict[str, object]] | None:
    """The objects that are items: a list under one of the names, a list alone, or one object."""
    if isinstance(root, dict):
        named = {_bare(key): value for key, value in root.items()}
        root = next((named[name] for name in _LISTS if name in named), [named])
    if isinstance(root, dict):
        root = [root]
    if not isinstance(root, list):
        return None
    objects = [
        {_bare(key): value for key, value in entry.items()} for entry in root if isinstance(entry, dict)
    ]
    known = {*_TITLE, *_ABOUT, *_CONTENT, *_WRONG, *_INSTEAD}
    return None if root and not any(known & fields.keys() for fields in objects) else objects


def _item_of(fields: Mapping[str, object], outcome: Outcome | None) -> DistilledItem:
    wrong, instead = _text(fields, _WRONG), _text(fields, _INSTEAD)
    content = _text(fields, _CONTENT)
    named = _OUTCOMES.get(str(fields.get("outcome", "")).strip().casefold())
    own: Outcome = outcome or named or ("failure" if wrong else "success")
    if own == "failure" and not instead:
        wrong, instead, content = _split_marks(content, wrong)
    body = "\n".join(filter(None, [content, wrong, f"Instead: {instead}" if instead else ""]))
    item = NativeItem(_text(fields, _TITLE), _text(fields, _ABOUT), body)
    details = ItemDetails(
        instead,
        _texts(fields.get("preconditions")),
        _texts(fields.get("pitfalls")),
        _text(fields, ("exemplar",)),
    )
    return DistilledItem(item, own, details)


def _read_layout(text: str, outcome: Outcome | None) -> list[DistilledItem] | str:
    """The items of any other layout, with the guardrail's two parts marked in their content."""
    reading = read_reply(_join_heads(text))
    if not reading.items:
        start = " ".join(text[:60].split())
        return [] if reading.none else f"memory items as JSON are needed; got {start!r}"
    read = []
    for item in reading.items:
        wrong, instead, content = _split_marks(shown_words(item), "")
        own: Outcome = outcome or ("failure" if instead else "success")
        if schema_of(item) == "native" and isinstance(item, NativeItem) and instead:
            item = replace(item, content="\n".join(filter(None, [content, wrong, f"Instead: {instead}"])))
        read.append(DistilledItem(item, own, ItemDetails(instead)))
    return read


def _join_heads(text: str) -> str:
    """The guardrail's two parts as marks within the content, where they are headings of their own."""
    headed = _CONTENT_HEAD.search(text) is not None

    def mark(match: re.Match[str]) -> str:
        name = " ".join(match["name"].casefold().split("_"))
        if headed or name != "what went wrong":
            return f"\n{name}:"
        head = "".join(sign for sign in match["dress"] if sign == "#")
        return f"{head} Content\n{name}:" if head else f"**Content:** {name}:"

    return _HEADED.sub(mark, text)


def _split_marks(content: str, wrong: str) -> tuple[str, str, str]:
    """What went wrong, what to do instead, and the rest, of a content that marks its parts."""
    marks = list(_MARK.finditer(content))
    ends = [mark.start() for mark in marks[1:]] + [len(content)]
    parts = {"wrong": [wrong], "instead": list[str]()}
    for mark, end in zip(marks, ends, strict=False):
        name = "wrong" if mark[1].casefold() == "what went wrong" else "instead"
        parts[name].append(content[mark.end() : end].strip(" \n*_-•"))
    rest = content[: marks[0].start()] if marks else content
    joined = ("\n".join(filter(None, parts[name])) for name in ("wrong", "instead"))
    return (*joined, rest.strip(" \n*_-•"))  # type: ignore[return-value]


def _read_notes(text: str) -> tuple[str, ...]:
    root = _root(text)
    return _texts(root.get("notes")) if isinstance(root, dict) else ()


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
