"""An item of any schema as a title and what it says to do, and its steps in one line."""

import re
from dataclasses import dataclass

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.item import AdditiveItem, NativeItem, TheoryItem

_NUMBER = re.compile(r"([1-9]\d?)[.)](?=\s)")
"""The number of a step; what stands before it is looked at only where there is one."""
_BLANKS = 8
"""The most between a number and what stands before it."""
_ENDS = ".;:!?\n"
"""What stands before a step."""


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
    end, expected, seen = 0, 1, 0
    for mark in _NUMBER.finditer(content):
        number, start = mark[1], mark.start()
        window = content[max(seen, start - _BLANKS - 1) : start].rstrip(" \t")
        if not window and (seen or start > _BLANKS):
            # too far from anything; of two digits the second is a number behind the first, and no step
            seen = mark.end() if number[1:].strip("0") else seen
            continue
        seen = mark.end()
        if int(number) == expected and (not window or window[-1] in _ENDS):
            step = content[end:start].rstrip()
            kept.append(f"{step}. " if step[-1:].isalnum() else f"{step} ")
            end, expected = seen, expected + 1
    return " ".join("".join([*kept, content[end:]]).split())
