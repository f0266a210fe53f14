"""A memory file as the text that is to reach a model: what its client hides, and what announces it."""

from collections.abc import Iterator

from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.delivery.text_delivery import DueText, expect_text


def expect_memory(file: MemoryFile, text: str) -> DueText:
    """What is due of a text that was written in place of a memory file.

    Args:
        text: what the condition showed; for the condition without, the intact text: it is due nowhere.
    """
    lines, sign = tuple(_list_lines(file, text)), _find_sign(file)
    # what announces a text may quote it: that is no delivery of whole lines
    return DueText(text, lines, not sign and lines == expect_text(text).lines, sign)


def _list_lines(file: MemoryFile, text: str) -> Iterator[str]:
    """The lines of a text that its client shows as they are."""
    hidden = False
    for line in text.splitlines():
        line = line.strip()
        if file.place.hides_comments:
            begins = line.startswith("<!--")
            ends = line.endswith("-->")
            if hidden or begins:
                hidden = not ends
                continue
        if line and not (file.place.fills_in and "$ARGUMENTS" in line):
            yield line


def _find_sign(file: MemoryFile) -> str:
    """What tells the model that there is such a file, which it has to ask for."""
    match file.place.kind:
        case "skill":
            described = (line for line in file.head.splitlines() if line.startswith("description:"))
            return next(described, "").partition(":")[2].strip().strip("\"'")
        case "memory folder":
            return file.path if file.path != "MEMORY.md" else ""
        case "instructions":
            return ""
