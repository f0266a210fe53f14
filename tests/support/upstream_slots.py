"""What upstream's agents add to their system prompt for a memory, rebuilt from UPSTREAM 3.1 to 3.3."""

import json
from pathlib import Path

from memtrial.prompts.control_prompts import ReplyLayout

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
    "\u00a0\u2003",
    " \r\n\t\r",
    f"{TWO}\r\n\r\n \n",
    f"\ufeff{TWO}",
)
"""Replies that models give, odd and blank ones among them."""


def upstream_suffix(layout: ReplyLayout, replies: tuple[str, ...], place: Path) -> str:
    """What follows the system prompt where these records' replies were found."""
    return {"webarena": _webarena, "swe": _swe, "harness": _harness}[layout](replies, place)


def _webarena(replies: tuple[str, ...], place: Path) -> str:
    bank, memory = place / "bank.jsonl", place / "memory.txt"
    bank.write_text("".join(json.dumps({"memory_items": one.split("\n\n")}) + "\n" for one in replies))
    items = [item for line in bank.read_text().splitlines() for item in json.loads(line)["memory_items"]]
    memory.write_bytes(("\n\n".join(items) + "\n").encode())
    read = memory.read_text(encoding="utf-8").strip()  # as a text file: every line end is a newline
    return ("\n\n" + HEADER if read else "") + "\n\n" + read


def _swe(replies: tuple[str, ...], place: Path) -> str:
    selected = "\n\n".join(item for one in replies for item in one.split("\n\n"))
    return "\n\n" + HEADER + "\n" + selected if selected else ""


def _harness(replies: tuple[str, ...], place: Path) -> str:
    (place / "bank.json").write_text(json.dumps([{"memory_item": "\n\n".join(replies)}], indent=4))
    kept = json.loads((place / "bank.json").read_text())[0]["memory_item"]
    return "\n\n" + (HEADER + "\n\n" + kept if kept else "")
