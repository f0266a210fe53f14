"""Word lists and phrase tables: text files beside this one, each read once.

A file holds sections, each a line `[name]` and the text below it. A line that begins with # is a comment.
"""

from functools import cache
from importlib.resources import files


@cache
def sections(file: str) -> dict[str, str]:
    """The sections of a file, by name, in their order; without comments."""
    text = (files("loadbearing.memory.language") / f"{file}.txt").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            found[name] = []
        elif name and line.strip() and not line.startswith("#"):
            found[name].append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def listing(name: str) -> str:
    """A section of words.txt: `MODULE.LIST`, or `LIST` for the lexicon's own."""
    return sections("words")[name]


def words(name: str) -> frozenset[str]:
    """The words of a section of words.txt, as a set."""
    return frozenset(listing(name).split())
