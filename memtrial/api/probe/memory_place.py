"""Where a memory stands in the messages of a request, found verbatim item by item."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memtrial.agents.slot import Slot
from memtrial.ledger.rows import EpisodeRow, RequestEntry, TrialRow
from memtrial.memory.heading import item_label
from memtrial.memory.markdown import item_texts
from memtrial.memory.record_text import without_number
from memtrial.models.client.content_blocks import TextBlock, ToolResult
from memtrial.models.client.types import Message

LONGEST_GAP = 200
_GAP = re.compile(r"[\s\-*#=_•·.)\d]*+")
"""What may stand between two items: blanks, rules, marks and numbers of a list, no word."""
NOWHERE = "requests in which no item of the memory stands verbatim"
APART = "requests in which other text stands between items of the memory, or these stand in several places"


@dataclass(frozen=True, slots=True)
class StandingMemory:
    """The items of a memory that stand in a request, one after the other, and what stands between them."""

    slot: Slot
    gaps: tuple[str, ...]


def find_memory(messages: Sequence[Message], items: Sequence[str], frame: str = "") -> StandingMemory | str:
    """Where the items stand, or why they are not taken for the memory of this request.

    Args:
        frame: text of the memory's own that may stand between items, as headings above several.
    """
    wanted = [text for item in items if (text := without_number(item).strip())]
    places = [place for text in read_texts(messages) if (place := _find_in(text, wanted))]
    if not places:
        return NOWHERE
    if len(dict.fromkeys(places)) > 1:
        return APART
    text, spans = places[0]
    gaps = [text[high:low] for (_, high), (low, _) in pairwise(spans)]
    if any(len(gap) > LONGEST_GAP or not (_GAP.fullmatch(gap) or gap in frame) for gap in gaps):
        return APART
    return StandingMemory(Slot("", tuple(text[low:high] for low, high in spans)), tuple(gaps))


@dataclass(frozen=True, slots=True)
class FiredItems:
    """Items that came up together and stand in a request.

    Args:
        positions: in the whole memory.
        asked_twice: they entered where an action was withheld, and the model was asked once more.
    """

    positions: tuple[int, ...]
    asked_twice: bool


def find_fired(slot: Slot, row: TrialRow, episode: EpisodeRow, entry: RequestEntry) -> FiredItems | str:
    """The items of a memory that waits for its moment that stand in a request, or why these are no decision.

    Args:
        slot: the whole memory.
    """
    fired = [firing for firing in row.firings if firing["shown"] and firing["step"] <= entry["step"]]
    if not fired or max(firing["item"] for firing in fired) >= len(slot.items):
        return "requests before an item of the memory came up"
    if len({firing["step"] for firing in fired}) > 1:
        return "requests in which items stand that came up at several turns"
    positions = tuple(firing["item"] for firing in fired)
    text = pick_items(slot, positions).text
    since = entry.get("since", 0)
    lines = list(enumerate(episode.conversation))[since : entry["messages"]]
    places = [place for place, line in lines if line["role"] != "assistant" and text in line["content"]]
    if not places:
        return NOWHERE
    first = next(each["messages"] for each in episode.calls if each["step"] == fired[0]["step"])
    return FiredItems(positions, places[0] >= first)


def pick_items(slot: Slot, positions: Sequence[int]) -> Slot:
    """The slot with these items alone, in this order."""
    return Slot(slot.cue, tuple(slot.items[position] for position in positions))


def pick_damaged(text: str, slot: Slot, positions: Sequence[int]) -> str:
    """What a damaged memory shows where these items came up; empty where it cannot be taken apart."""
    items = item_texts(text.removeprefix(slot.cue).lstrip("\n"))
    if not text.startswith(slot.cue) or len(items) != len(slot.items):
        return ""
    return pick_items(Slot(slot.cue, items), positions).text


def read_texts(messages: Sequence[Message]) -> Iterator[str]:
    """What the model was told, and what its tools gave back; not what it wrote itself."""
    for message in messages:
        for block in message.blocks if message.role != "assistant" else ():
            if isinstance(block, TextBlock):
                yield block.text
            elif isinstance(block, ToolResult) and isinstance(block.content, str):
                yield block.content
            elif isinstance(block, ToolResult) and block.content is not None:
                yield from (part.text for part in block.content if isinstance(part, TextBlock))


def _find_in(text: str, wanted: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]] | None:
    """The text and the spans of the items in it, in their order there, none inside another."""
    spans: list[tuple[int, int]] = []
    for item in wanted:
        start = text.find(item)
        if start >= 0:
            spans.append((_begin(text, start), start + len(item)))
    kept: list[tuple[int, int]] = []
    for low, high in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if not kept or low >= kept[-1][1]:
            kept.append((low, high))
    return (text, tuple(kept)) if kept else None


def _begin(text: str, start: int) -> int:
    """Where an item begins, with the heading that numbers it."""
    before = text[:start].removesuffix("\n")
    heading = before[before.rfind("\n") + 1 :]
    return start - len(heading) - 1 if before != text[:start] and item_label(heading) is not None else start
