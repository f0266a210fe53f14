"""Items under labels: `Title: …`, numbered, in bullets, bold, as YAML, with colons of any width."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import dedent

from memtrial.memory.heading import field_heading, is_rule, item_label
from memtrial.memory.layouts.chatter import farewell
from memtrial.memory.layouts.fences import close_fences, is_fence
from memtrial.memory.layouts.fields import (
    NATIVE,
    THEORY,
    Field,
    ItemBlock,
    ItemLayout,
    Span,
    breaks_off,
    is_item,
)

_NAMES = "|".join((*NATIVE, *THEORY))
_MARK = r"(?:\#{1,6}+|>|[-*+•·–—]|\(?[0-9]{1,3}[.):、]|\(?[a-zA-Z][.)])"
_STRONG = r"(?:\*\*\*|\*\*|__|\*|_|`|<b>|<strong>|\[\[[ ]?\#\#|【|\[)"
_WEAK = r"(?:\*\*\*|\*\*|__|\*|_|`|</b>|</strong>|\#\#[ ]?\]\]|】|\])"
_LABEL = re.compile(
    rf"(?i)(?P<before>[ \t]*+(?:{_MARK}[ \t]++|\#{{1,6}}+|>)*+)(?P<open>{_STRONG})?+[ \t]*+"
    rf"(?P<name>{_NAMES})(?P<number>[ _]?\#?\d{{1,3}})?+[ \t]*+(?P<close>{_WEAK})?+[ \t]*+"
    rf"(?P<sign>::?|：|=(?!=)|-+>|→|[–—](?=\s)|-(?=[ \t])|(?=[\r\n]|\Z))[ \t]*+"
    r"(?(open)(?(close)|(?P<closed>(?P=open)|</b>|</strong>|】|\])?+))[ \t]*+"
)
_ITEM = re.compile(
    rf"(?i)[ \t]*+(?:{_MARK}[ \t]++|\#{{1,6}}+)*+(?:{_STRONG})?+[ \t]*+"
    rf"(?:memory[ \t_-]*+item|memory|item|lesson)[ \t_]*+[#№]?\d{{1,3}}"
    rf"(?P<label>[ \t]*+(?:{_WEAK})?+[ \t]*+(?:[:：.)|–—-].*+)?+)"
)
_ALONE = re.compile(r"[ \t]*+(?:\#{1,6}[ \t]++)?+\(?\d{1,3}[.):]?[ \t]*+")
_HEAD = re.compile(rf"[ \t]*+(?P<marks>(?:{_MARK}[ \t]++|\#{{1,6}}+)*+)(?P<bold>\*\*|__)?+(?P<text>.*)")
_SCALAR = re.compile(r"[|>][+-]?\d?[ \t]*+")
_LISTED = re.compile(r"\A(?:[-*+•]|\d{1,3}[.)])[ \t]++")
_WRAPPER = re.compile(r"[ \t]*+(?:-[ \t]++)?+[\w -]{1,40}:[ \t]*+|-{3,}[ \t]*+")
LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class _LabelLine:
    """A line of the text with its place; of a label its field, and where the value begins."""

    text: str
    start: int
    name: str = ""
    value: int = 0
    bold: str = ""
    yaml: bool = False


@dataclass(frozen=True, slots=True)
class _Opened:
    """An item's lines: its number of the first, its labels, and a title that stands in a heading above."""

    first: int
    labels: tuple[int, ...]
    title: Span | None = None


def read_labels(text: str) -> ItemLayout | None:
    """The items under labels; None where there is none."""
    lines = [*_lines(text)]
    groups = [*_groups(lines)]
    if not groups:
        return None
    above = [line.text for line in lines[: groups[0].first] if line.text.strip()]
    while above and _WRAPPER.fullmatch(above[-1]):
        above.pop()
    fenced = bool(above) and is_fence(above[-1])
    blocks = []
    for group, end in zip(groups, [*(group.first for group in groups[1:]), len(lines)], strict=True):
        stop = end
        if fenced:
            stop = group.first + len(close_fences([line.text for line in lines[group.first : end]]))
        if end == len(lines):
            stop = group.labels[-1] + farewell([line.text for line in lines[group.labels[-1] : stop]])
        blocks.append(_block(text, lines, group, stop))
    start, stop = blocks[0].start, blocks[-1].stop
    cut = not text[stop:].strip() and breaks_off(
        blocks[-1].fields[-1], {field.name for field in blocks[-1].fields}
    )
    return ItemLayout("labels", tuple(blocks[:-1] if cut else blocks), start, stop, cut)


def is_label(line: str, name: str) -> bool:
    """Whether the line opens this field."""
    if heading := field_heading(line):
        return heading.name == name
    label = _LABEL.match(line)
    return label is not None and _opens(label, line) and label["name"].lower() == name


def _lines(text: str) -> Iterator[_LabelLine]:
    place = 0
    for raw in text.split("\n"):
        line = raw.rstrip("\r")
        label = _LABEL.match(line)
        if heading := field_heading(line):
            value = line.rstrip().rfind(heading.text) if heading.text else len(line)
            yield _LabelLine(line, place, heading.name, place + value)
        elif label and _opens(label, line):
            bold = label["open"] or "" if not (label["close"] or label["closed"]) else ""
            yaml = label["sign"] == ":" and label["name"].islower() and not label["open"]
            name = label["name"].lower()
            yield _LabelLine(line, place, name, place + label.end(), bold.strip(), yaml)
        else:
            yield _LabelLine(line, place)
        place += len(raw) + 1


def _opens(label: re.Match[str], line: str) -> bool:
    """Without a colon a label stands alone on its line, or is marked, and begins with a capital."""
    if label["sign"][:1] in (":", "：", "→") or label["sign"].endswith(">"):
        return True
    marked = bool(label["open"] or label["before"].strip())
    if not label["sign"]:
        return label.end() == len(line) and (marked or not label["name"].islower())
    return marked or label["name"][0].isupper()


def _groups(lines: Sequence[_LabelLine]) -> Iterator[_Opened]:
    """The lines cut into items: at an item's own heading, or where the first field of an item comes again."""
    cuts: list[list[int]] = [[]]
    seen: set[str] = set()
    headed = False
    for number, line in enumerate(lines):
        if not line.name:
            if _heads_item(lines, number):
                cuts.append([])
                seen, headed = set(), True
        else:
            again = bool(cuts[-1]) and line.name == lines[cuts[-1][0]].name
            if again and not headed and is_item(seen):
                cuts.append([])
                seen = set()
            if line.name not in seen:
                cuts[-1].append(number)
                seen.add(line.name)
    for labels in cuts:
        if labels:
            names = {lines[number].name for number in labels}
            first, title = labels[0], None
            if "title" not in names and names & set(NATIVE):
                first, title = _title_above(lines, labels[0])
            else:
                first = _heading_above(lines, labels[0])
            if is_item({*names, "title"} if title else names):
                yield _Opened(first, tuple(labels), title)


def _item_heading(line: str) -> str | None:
    """What stands behind the number of an item's heading; None where the line is none."""
    if (label := item_label(line)) is not None:
        return label
    if item := _ITEM.fullmatch(line):
        return item["label"]
    return "" if _ALONE.fullmatch(line) and any(letter.isdigit() for letter in line) else None


def _heads_item(lines: Sequence[_LabelLine], number: int) -> bool:
    """Whether an item begins here; a line such as `Item 2: …` only where a label follows it."""
    if item_label(lines[number].text) is not None:
        return True
    below = [line for line in lines[number + 1 : number + 4] if line.text.strip()]
    return bool(below) and bool(below[0].name) and _item_heading(lines[number].text) is not None


def _solid_above(lines: Sequence[_LabelLine], number: int) -> int:
    above = number - 1
    while above >= 0 and above >= number - 3 and not lines[above].text.strip():
        above -= 1
    return above if above >= 0 and lines[above].text.strip() else -1


def _heading_above(lines: Sequence[_LabelLine], number: int) -> int:
    above = _solid_above(lines, number)
    return above if above >= 0 and _item_heading(lines[above].text) is not None else number


def _title_above(lines: Sequence[_LabelLine], number: int) -> tuple[int, Span | None]:
    """A title that stands in the heading above an item's first label: `### 1. Sort first`."""
    above = _solid_above(lines, number)
    if above < 0 or len(lines[above].text) > LONGEST_TITLE or is_rule(lines[above].text.strip()):
        return number, None
    line = lines[above]
    label = _item_heading(line.text)
    if label is not None:
        bare = label.strip(" \t:：.)(|–—-*_#`")
    else:
        head = _HEAD.match(line.text)
        if head is None or not (head["bold"] or head["marks"].strip(" \t>")):
            return number, None
        bare = head["text"].strip(" \t*_:：`")
    low = line.start + line.text.rfind(bare)
    return above, (low, low + len(bare)) if bare else None


def _block(text: str, lines: Sequence[_LabelLine], group: _Opened, stop: int) -> ItemBlock:
    fields: list[Field] = []
    if group.title:
        fields.append(Field("title", text[slice(*group.title)], (group.title,)))
    yaml = all(lines[number].yaml for number in group.labels)
    end = lines[group.labels[-1]].start + len(lines[group.labels[-1]].text)
    for number, following in pairwise([*group.labels, max(stop, group.labels[-1] + 1)]):
        line = lines[number]
        last = following
        while last > number + 1 and _ends_nothing(lines[last - 1].text):
            last -= 1
        high = lines[last - 1].start + len(lines[last - 1].text.rstrip())
        fields.append(_field(line, text[line.value : max(line.value, high)], yaml))
        end = max(line.value, high)
    return ItemBlock(tuple(fields), lines[group.first].start, end)


def _ends_nothing(line: str) -> bool:
    """A line that separates: blank, or a rule."""
    return not line.strip() or is_rule(line.strip())


def _field(line: _LabelLine, raw: str, yaml: bool) -> Field:
    """The value below and beside a label, and where it stands."""
    low, high = line.value, line.value + len(raw)
    head, _, rest = raw.partition("\n")
    folded = yaml and not head.startswith("|")
    if rest and (not head.strip() or _SCALAR.fullmatch(head.strip())):
        low, raw = low + len(head) + 1, rest
        line_below, _, others = rest.partition("\n")
        if is_rule(line_below.strip()):  # an underlined label
            low, raw = low + len(line_below) + 1, others
    elif _SCALAR.fullmatch(head.strip()):  # a block without a line
        low, raw = low + len(head), ""
    if line.bold and raw.rstrip().endswith(line.bold):
        raw = raw.rstrip()[: -len(line.bold)]
    inner = raw.strip()
    if yaml and len(inner) > 1 and inner[0] == inner[-1] and inner[0] in "\"'":
        double = inner[0] * 2
        inner = inner[1:-1].replace(double, inner[0]) if inner[0] == "'" else inner[1:-1].replace('\\"', '"')
        low += raw.index(raw.strip()) + 1
        high = low + len(raw.strip()) - 2
    else:
        low += len(raw) - len(raw.lstrip())
        high = low + len(raw.strip())
    lines = _dedent(inner)
    listed = [part.strip() for part in lines if part.strip()]
    if line.name == "trigger" and len(listed) > 1:
        cues = [_LISTED.sub("", part) for part in listed]
        return Field(line.name, " | ".join(cue.strip(" |\"'") for cue in cues), ((low, high),))
    value = (
        " ".join(listed) if folded and not any(_LISTED.match(part) for part in listed) else "\n".join(lines)
    )
    return Field(line.name, value.strip(), ((low, max(low, high)),))


def _dedent(value: str) -> list[str]:
    """Its lines, those below the first without the indentation or quotation marks that all of them have."""
    first, _, rest = value.partition("\n")
    below = dedent(rest).split("\n") if rest else []
    if below and all(line.startswith(">") or not line.strip() for line in below):
        below = [line.removeprefix(">").removeprefix(" ") for line in below]
    return [first, *below]
