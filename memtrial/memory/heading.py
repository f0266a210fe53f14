r"""Which lines of a memory text are headings, and how a line that only looks like one is guarded.

Models write headings in many ways; all that `item_label` and `field_heading` recognise is one grammar, and
`guard` puts a backslash before any line of a field that this grammar would take for a heading. Markdown shows
`\## Title` as the plain words, so a reader is not disturbed, and `unguard` takes the backslash away again.
"""

import re
from dataclasses import dataclass

from memtrial.memory.item import field_names
from memtrial.memory.layouts.chatter import is_farewell

NAMES = (*field_names("native"), *field_names("theory"))

_BOLD = r"(?:\*\*|__)"
_MEMORY_ITEM = r"memory[ \t]++item\b[ \t]*+(?:\#?-?\d++|[ivx]+\b|n\b)?"
_HASHED_ITEM = re.compile(rf"(?i)[ \t]*+\#{{1,6}}+[ \t]*+(?:{_BOLD}[ \t]*+)?+{_MEMORY_ITEM}(?P<label>.*)")
_BOLDED_ITEM = re.compile(
    rf"(?i)[ \t]*+{_BOLD}{_MEMORY_ITEM}(?P<label>(?:(?!{_BOLD}[ \t]*+:?[ \t]*+\Z).)*+){_BOLD}[ \t]*+:?[ \t]*+"
)
_HASHED = re.compile(
    rf"(?i)[ \t]*+(?P<hashes>\#{{1,6}}+)(?:[ \t]++|(?={_BOLD}))(?P<bold>{_BOLD})?+[ \t]*+"
    rf"(?P<name>{'|'.join(NAMES)})(?=[ \t:：]|{_BOLD}|$)(?P<rest>.*)"
)
_BOLDED = re.compile(
    rf"(?i)[ \t]*+(?:[-*+][ \t]++)?{_BOLD}(?P<name>{'|'.join(NAMES)})[ \t]*+"
    rf"(?:[:：][ \t]*+{_BOLD}|{_BOLD}[ \t]*+(?:[:：]|$))(?P<text>.*)"
)
_CLOSED = re.compile(rf"[ \t]*+(?:[:：][ \t]*+)?+{_BOLD}[ \t]*+[:：]?+(?P<text>.*)")
_COLON = re.compile(r"\A[:：]")
_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*")


@dataclass(frozen=True, slots=True)
class FieldHeading:
    """A line that opens a field.

    Args:
        name: the field, in lower case.
        level: the number of `#`; 0 for a heading that is only bold.
        text: what stands behind it on the same line; may be empty.
    """

    name: str
    level: int
    text: str


def item_label(line: str) -> str | None:
    """What stands behind the number of a `# Memory Item 1` heading, often empty; None for any other line."""
    heading = _HASHED_ITEM.match(line) or _BOLDED_ITEM.fullmatch(line)
    return heading["label"].lstrip(" \t:.)*_-–—").rstrip(" \t*_#") if heading else None


def field_heading(line: str) -> FieldHeading | None:
    """The field that the line opens: `## Title foo`, `## Title: foo`, `### **title**`, `**Title:** foo`."""
    if bolded := _BOLDED.match(line):
        return FieldHeading(bolded["name"].lower(), 0, bolded["text"].lstrip(" \t"))
    heading = _HASHED.match(line)
    if not heading:
        return None
    rest = heading["rest"]
    if heading["bold"] and (closed := _CLOSED.fullmatch(rest)):
        text = closed["text"]
    else:
        text = _COLON.sub("", rest.lstrip(" \t"))
        if heading["bold"]:  # the bold spans the whole line: `## **Title: foo**`
            text = text.rstrip(" \t").removesuffix(heading["bold"])
    return FieldHeading(heading["name"].lower(), len(heading["hashes"]), text.lstrip(" \t"))


def is_rule(line: str) -> bool:
    """A horizontal rule, which models like to put between items."""
    return _RULE.fullmatch(line) is not None


def guard(value: str) -> str:
    r"""Put a backslash before all that would be read as markup at its place in a field."""
    return _shift_backslash(value, 1)


def unguard(value: str) -> str:
    """The inverse of `guard`."""
    return _shift_backslash(value, -1)


def _shift_backslash(value: str, by: int) -> str:
    """One backslash more or less before each line that without its backslashes means something."""
    lines = value.split("\n")
    for number, line in enumerate(lines):
        bare = line.lstrip(" \t")
        core = bare.lstrip("\\")
        means = (
            item_label(core) is not None
            or field_heading(core) is not None
            or (number > 0 and not lines[number - 1].strip() and is_farewell(core))
            or (number == 0 and core.startswith((":", "：")))  # a colon behind a heading is the heading's
            or (number == len(lines) - 1 and is_rule(core))  # a rule at a field's end is a separator
        )
        n_slashes = len(bare) - len(core) + by
        if means and n_slashes >= 0:
            lines[number] = line[: len(line) - len(bare)] + "\\" * n_slashes + core
    return "\n".join(lines)
