"""The control's slot holds upstream's bytes, whatever a model replied; and it can be damaged item by item."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.memory.markdown import item_texts, shown_text
from tests.support.growth import fastest_growth

HEADER = "Below are memory items. Discuss each memory item first."
ITEM = (
    "# Memory Item {n}\n## Title Sort first\n## Description For lists.\n## Content Sort, then read the top."
)
TWO = "\n\n".join(ITEM.format(n=n) for n in (1, 2))
REPLIES = (
    ITEM.format(n=1),
    TWO,
    f"\n\n  {TWO}\n\n",
    f"Let me think about what was learned.\n\n{TWO}",
    f"```markdown\n{TWO}\n```",
    f"{TWO}\n\nI hope this helps!",
    TWO.replace("\n## ", "\n\n## "),
    TWO.replace("\n\n", "\n\n\n"),
    TWO.replace("\n\n", "\n\n\n\n\n"),
    TWO.replace("\n\n", "\n"),
    TWO.replace("\n", "\r\n"),
    TWO.replace("\n", "\r"),
    "**Memory Item 1**\n**Title:** A\n**Description:** B\n**Content:** C\n\n**Memory Item 2**\n**Title:** D",
    "## Title: A\n## Description: B\n## Content: C\n\n## Title: D\n## Description: E\n## Content: F",
    "\n\n".join(ITEM.format(n=n) for n in range(1, 6)),
    "Always sort the list before you read its top entry.",
    "1. Sort first.\n2. Then read.\n\n3. Never guess.",
    json.dumps([{"title": "Sort", "description": "lists", "content": "Sort first."}], indent=1),
    "- one\n- two\n\n\n- three\n",
    "{{ braces }} {% jinja %} <b>&amp;</b>",
    "tabs\tand  double  blanks \nwith blanks at line ends  \n\nand here\t",
    "\u2028line separators\u2029 and \u00a0blanks\u00a0",
    "中文记忆。\n\n# Memory Item 1\n## Title 排序",
    "# Memory Item 1\n\n# Memory Item 2\n\n# Memory Item 3",
    "",
    "   ",
    "\n\n\n\n",
    "\x0bvertical\x0c",
)


def upstream_webarena(replies: tuple[str, ...], place: Path) -> str:
    """What follows the system prompt, as UPSTREAM 3.1 and 3.3 describe it, through real files."""
    bank = place / "bank.jsonl"
    bank.write_text("".join(json.dumps({"memory_items": one.split("\n\n")}) + "\n" for one in replies))
    items = [item for line in bank.read_text().splitlines() for item in json.loads(line)["memory_items"]]
    memory = place / "memory.txt"
    memory.write_bytes(("\n\n".join(items) + "\n").encode())
    read = memory.read_text(encoding="utf-8")  # as a text file: every line end is a newline
    return HEADER + "\n\n" + read.strip() if read.strip() else ""


def upstream_swe(replies: tuple[str, ...]) -> str:
    selected = "\n\n".join(item for one in replies for item in one.split("\n\n"))
    return HEADER + "\n" + selected if selected else ""


def shown(cue: str, text: str) -> str:
    items = item_texts(text)
    return (Slot(cue, items) if items else NOTHING).text


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: repr(reply[:25]))
def test_webarenas_agent_would_read_the_same_bytes(reply: str, tmp_path: Path) -> None:
    assert shown(HEADER, shown_text([reply])) == upstream_webarena((reply,), tmp_path)


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: repr(reply[:25]))
def test_the_agent_of_swe_would_read_the_same_bytes(reply: str) -> None:
    assert shown(f"{HEADER}\n", shown_text([reply], "swe")) == upstream_swe((reply,))


@pytest.mark.parametrize("second", REPLIES[:9], ids=lambda reply: repr(reply[:25]))
def test_several_records_are_joined_as_upstream_joins_them(second: str, tmp_path: Path) -> None:
    both = (REPLIES[2], second)
    assert shown(HEADER, shown_text(both)) == upstream_webarena(both, tmp_path)
    assert shown(f"{HEADER}\n", shown_text(both, "swe")) == upstream_swe(both)


@given(st.text("# MemoryItl12\n\r", max_size=80))
def test_no_character_is_lost_and_no_piece_is_empty(text: str) -> None:
    pieces = item_texts(text)
    assert "\n\n".join(pieces) == text
    assert all(pieces)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        *((TWO, 2), (f"Preamble.\n\n{TWO}", 2), (REPLIES[14], 5), (REPLIES[13], 2), (REPLIES[12], 2)),
        *((f"```markdown\n{TWO}\n```", 2), (f"Here:\n\n```\n{TWO}\n```\n\nThat is all.", 2)),
        *((TWO.replace("\n## ", "\n\n## "), 2), (TWO.replace("\n\n", "\n"), 1), (REPLIES[15], 1), ("", 0)),
    ],
)
def test_a_piece_holds_one_item(text: str, n: int) -> None:
    assert len(item_texts(text)) == n


def test_reading_takes_time_in_proportion_to_the_reply() -> None:
    texts = [
        lambda size: "\n\n" * (size // 2),
        lambda size: "# Memory Item\n\n" * (size // 15),
        lambda size: "**Memory Item " * (size // 14),
        lambda size: " " * size,
    ]
    assert fastest_growth(item_texts, texts) == ""
