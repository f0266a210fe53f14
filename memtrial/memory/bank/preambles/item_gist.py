"""An item of any schema as a title and what it says to do, and its steps in one line."""

import re
from dataclasses import dataclass

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.item import AdditiveItem, NativeItem, TheoryItem

_MARK = re.compile(r"(?:\A[ \t]{0,8}|(?P<before>[^ \t])[ \t]{0,8})(?P<number>[1-9]\d?)[.)](?=\s)")
"""The number of a step, and what stands before it: at most eight blanks away."""


@dataclass(frozen=True, slots=True)
class ItemGist:
    """Both are single texts without numbering of their own.

    Args:
        title: one line.
        content: the advice; of a failure what to do instead follows.
    """

    title: str
    content: str


def gist_of(item: BankItem) -> ItemGist:
    """Title and content, or Claim and what it rests on; of free text its first line and the rest."""
    words = item.item
    if isinstance(words, NativeItem | AdditiveItem):
        title, content = words.title, words.content
    elif isinstance(words, TheoryItem):
        title, content = words.claim, "\n".join(filter(None, (words.mechanism, words.scope)))
    else:
        title, _, content = words.text.partition("\n")
    parts = filter(None, (content.strip(), item.details.instead.strip()))
    return ItemGist(" ".join(title.split()), "\n".join(parts))


def join_steps(content: str) -> str:
    """The steps in one line, a sentence each; numbers that count steps 1, 2, 3 … go, and others stay."""
    kept: list[str] = []
    end, expected = 0, 1
    for mark in _MARK.finditer(content):
        if int(mark["number"]) == expected and (mark["before"] is None or mark["before"][0] in ".;:!?\n"):
            step = content[end : mark.start("number")].rstrip()
            kept.append(f"{step}. " if step[-1:].isalnum() else f"{step} ")
            end, expected = mark.end(), expected + 1
    return " ".join("".join([*kept, content[end:]]).split())
