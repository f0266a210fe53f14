"""What a condensing model replied, read into items; what cannot be read is asked for once more.

The second request is one of its own: the conversation so far, and the reason. What still cannot be read
after it is said, and counted (DESIGN 7).
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from memtrial.memory.item import AdditiveItem, Item, NativeItem, TheoryItem, TypedItem, is_template
from memtrial.memory.markdown import ReplyReading, read_reply
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import LONGEST, ReplyFault
from memtrial.models.client.types import Message, Reply
from memtrial.prompts.templates import Prompt

AGAIN = Prompt("read_again")
_MARKER = re.compile(r"\[\[[ \t]*+\#\#[ \t]*+memory_items?[ \t]*+\#\#[ \t]*+\]\]")
_COMPLETED = re.compile(r"\[\[[ \t]*+\#\#[ \t]*+completed[ \t]*+\#\#[ \t]*+\]\]")
_NONE = re.compile(
    r"(?i)[\W_]*+(?:none|null|n/?a|(?:there (?:are|is) )?no (?:new |useful |reusable )?(?:memory )?items?\b"
    r"(?: (?:to|can|could|should) [\w ,]{1,80})?)[\W_]*+"
)


@dataclass(frozen=True, slots=True)
class Drafts:
    """The items of a reply, and why the rest of it could not be read; empty where all was."""

    items: tuple[Item, ...]
    unread: str = ""


Kind = type[TheoryItem] | type[NativeItem] | type[AdditiveItem]
Reader = Callable[[Reply], Drafts]


async def ask_until_read(caller: Caller, messages: tuple[Message, ...], read: Reader) -> Drafts:
    """Ask; where the reply cannot be read whole, ask once more. The reply of which more is read counts.

    Raises:
        ReplyFault: no item of either could be read.
        ModelFault: no answer could be had.
    """
    reply = await caller.ask(messages)
    first = read(reply)
    if not first.unread:
        return first
    correction = Message("user", AGAIN.render({"reason": first.unread}))
    answered = (Message("assistant", reply.text),) if reply.text.strip() else ()
    second = read(await caller.ask((*messages, *answered, correction)))
    best = first if second.unread and len(first.items) > len(second.items) else second
    if best.unread and not best.items:
        raise ReplyFault(f"{best.unread}; it was asked for twice")
    return best


def read_theory(reply: Reply) -> Drafts:
    """Theory items."""
    return _read_drafts(reply, TheoryItem)


def read_additive(reply: Reply) -> Drafts:
    """Additive items."""
    return _read_drafts(reply, AdditiveItem)


def read_native(reply: Reply) -> Drafts:
    """Native items."""
    return _read_drafts(reply, NativeItem)


def one_of(read: Reader) -> Reader:
    """A reader of replies that must hold one item."""

    def read_one(reply: Reply) -> Drafts:
        drafts = read(reply)
        if len(drafts.items) == 1 or drafts.unread:
            return drafts if len(drafts.items) < 2 else replace(drafts, items=())
        return Drafts((), f"it holds {len(drafts.items)} items where one was asked for")

    return read_one


def _read_drafts(reply: Reply, kind: Kind) -> Drafts:
    text = _asked_for(reply.text)
    if not text.strip():
        return Drafts((), "it is blank")
    if len(text) > LONGEST:
        return Drafts((), f"it has {len(text):,} characters, at most {LONGEST:,} are read")
    reading = read_reply(text)
    if not reading.items and not reading.cut and (inner := _as_string(text)):
        reading = read_reply(inner)
    if reading.none or _NONE.fullmatch(text):
        return Drafts(())
    items = tuple(item for item in reading.items if isinstance(item, kind) and _says_something(item))
    ended = reply.stop != "length"
    if not ended and not reading.closed and not reading.after:
        items, reading = items[:-1], replace(reading, cut=True)
    return Drafts(items, _why_unread(reading, len(items), kind, ended))


def _says_something(item: Item) -> bool:
    return not is_template(item) and (not isinstance(item, TypedItem) or bool(item.claim))


def _why_unread(reading: ReplyReading, n_items: int, kind: Kind, ended: bool) -> str:
    names = ", ".join(field.name for field in fields(kind))
    if reading.cut:
        return "it breaks off inside an item" + ("" if ended else ", at the most tokens a reply may have")
    if reading.missed:
        return f"{reading.missed} of its items cannot be read: each needs {names}, every one once"
    if n_items < len(reading.items):
        return f"{len(reading.items) - n_items} of its items have no claim, or other fields than {names}"
    return "" if n_items else f"it holds no item with {names}"


def _asked_for(text: str) -> str:
    """What stands in the output field of the structured call, or all of the text where it is not marked."""
    marker = _MARKER.search(text)
    asked = text[marker.end() :] if marker else text
    completed = _COMPLETED.search(asked)
    return asked[: completed.start()] if completed else asked


def _as_string(text: str) -> str:
    """The text that a JSON string holds; empty where the text is none."""
    bare = text.strip()
    if not (bare.startswith('"') and bare.endswith('"')):
        return ""
    try:
        inner = json.loads(bare, strict=False)
    except ValueError:
        return ""
    return inner if isinstance(inner, str) else ""
