"""A judge's reply, read as a person would: its JSON, its labelled lines, a lone word, its sentences.

Of several verdicts of one form the last stands: models think aloud first. What cannot be read is no verdict,
and never a failure (REQUIREMENTS C26).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memtrial.judges.verdict_words import Label, read_named_value, read_prose, read_value
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.layouts.chatter import after_thoughts

MOST = 20_000
"""Characters of a reply that are read, from its end."""
MOST_OBJECTS = 200
"""Braces of a reply at which a JSON object is looked for."""
MOST_DEPTH = 4
"""Objects within objects that are looked through."""
_VERDICT, _SOLVED = read_section("verdict.labels").split(), read_section("verdict.solved_labels").split()
_SURE, _WHY = read_section("verdict.sure_labels").split(), read_section("verdict.why_labels").split()
_OBJECT = re.compile(r"\{[^{}]*+\}")
_PAIR = re.compile(r"""["']?(\w{3,20})["']?\s*+:\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s,}\]|]++))(?!\s*+\|)""")
_LINE = re.compile(
    r"^(?:[^\w\n]|_)*+(?:(?:final|overall|my|the|task) )*+"
    rf"(?:(?P<named>{'|'.join([*_VERDICT, 'conclusion'])})|{'|'.join(_SOLVED)})"
    r"(?: is)?[^\w\n]*?[:=：–—-](?P<value>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_WITHIN = re.compile(
    r"(?:^|[.!?;—–][ \t])[ \t]*+(?:(?:final|overall|my|the|task) )?"
    r"(?:label|verdict|judge?ment|status|outcome|result|decision)[ *_]{0,4}[:=：]"
    r"[ \t]?(?P<value>[^\n.,;:()]{1,40})",
    re.IGNORECASE | re.MULTILINE,
)
"""A verdict by its label at the beginning of a sentence, such as `The cart is empty. Label: failure.`"""
_SURE_LINE = re.compile(
    r"^(?:[^\w\n]|_)*+(?:my )?(?:confidence|certainty|置信度|confiance|konfidenz|confianza)(?: score| level)?"
    r"[^\w\n]*?[:=：](?P<value>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_THOUGHTS = re.compile(r"^[^\w\n]*+Thoughts?[^\w\n]*?[:：](?P<value>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_SURE_WITHIN = re.compile(
    r"\b(?:confidence|certainty)(?: score| level)?"
    r"[^\w\n]{1,5}?(?:(?:is|of|at)[^\w\n]{1,5}?)?(?P<after>\.?\d[^\s,;)]{0,9})"
    r"|(?<![\w.])(?P<before>\d{1,3}(?:[.,]\d{1,9})?[ ]?%?)[ ]"
    r"(?:confidence\b(?! interval)|confident\b|certain\b|sure\b)"
    r"|\b(?:success|failure|successful|unsuccessful|pass|passed|fail|failed)[^\w\n(]{0,5}"
    r"\((?P<beside>[01]?[.,]\d{1,9}|\d{1,3}[ ]?%)\)",
    re.IGNORECASE,
)
"""A confidence that stands inside a line, as in `Success (confidence: 0.9)`."""
_QUOTED = re.compile(r"\A\s*+\"([^\"]*+)\"[ \t]*+,.*+", re.DOTALL)
"""A field of an object that is cut off: what follows it on its line is no part of it."""
_RULE = re.compile(r"[\s|:-]*+")
_NUMBER = re.compile(
    r"[^\w.-]{0,9}(?P<number>\d{1,6}(?:[.,]\d{1,9})?|\.\d{1,9})\s{0,3}"
    r"(?P<unit>%|percent|/\s{0,3}(?P<of>100|10|5|1)\b)?"
)


@dataclass(frozen=True, slots=True)
class ReadVerdict:
    """What a reply says; `label` is empty where that cannot be told.

    Args:
        confidence: in [0, 1]; None where there is none, or none that can be read.
        reasons: in the judge's words.
    """

    label: Label
    confidence: float | None = None
    reasons: tuple[str, ...] = ()


def read_verdict(reply: str) -> ReadVerdict:
    """The verdict of a reply in whatever form."""
    text = reply[after_thoughts(reply) :][-MOST:]
    values, rest = _decode(text)
    if (verdict := _read_fields(values)).label or (verdict := _read_fields(_objects(rest))).label:
        return verdict
    for _ in range(MOST_DEPTH):
        rest = _OBJECT.sub(" ", rest)
    for read in (_read_table, _read_lines, _read_lone_word, _read_within):
        if (verdict := read(rest)).label:
            return verdict
    label = read_prose(rest)
    return ReadVerdict(label, _line_confidence(text) if label else None)


def read_confidence(value: object) -> float | None:
    """A confidence as models write it: 0.85, `85%`, 85, `8/10`, `0,85`; None for any other.

    A bare number over 10 is taken for a percentage; one between 1 and 10 may be of any scale, and is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    match = _NUMBER.match(str(value)[:40])
    if match is None:
        return None
    number = float(match["number"].replace(",", "."))
    if match["unit"]:
        number /= float(match["of"]) if match["of"] else 100
    elif 10 < number <= 100:
        number /= 100
    return number if 0 <= number <= 1 else None


def _decode(text: str) -> tuple[list[Mapping[str, object]], str]:
    """The proper JSON objects and those within them, the last first; and the text without them."""
    decoder = json.JSONDecoder(strict=False)
    read, rest, place = list[Mapping[str, object]](), list[str](), 0
    for _ in range(MOST_OBJECTS):
        if (start := text.find("{", place)) < 0:
            break
        rest.append(text[place:start])
        try:
            value, place = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            rest.append("{")
            place = start + 1
        else:
            read += _list_objects(value)
    return read[::-1], "".join([*rest, text[place:]])


def _list_objects(value: object, depth: int = MOST_DEPTH) -> Iterator[Mapping[str, object]]:
    if isinstance(value, dict) and depth:
        yield {str(name).casefold(): part for name, part in value.items()}
        for part in value.values():
            yield from _list_objects(part, depth - 1)


def _read_table(text: str) -> ReadVerdict:
    """The last row of a table, by the names of the columns."""
    rows = [[cell.strip(" \t*_`") for cell in line.split("|")] for line in text.splitlines() if "|" in line]
    named = [[cell.casefold() for cell in row] for row in rows]
    starts = [number for number, names in enumerate(named) if {*names} & {*_VERDICT, *_SOLVED}]
    if not starts:
        return ReadVerdict("")
    below = [row for row in rows[starts[-1] + 1 :] if not all(map(_RULE.fullmatch, row))]
    return _read_fields(dict(zip(named[starts[-1]], row, strict=False)) for row in reversed(below))


def _read_fields(mappings: Iterable[Mapping[str, object]]) -> ReadVerdict:
    for fields in mappings:
        labels: list[Label] = [
            *(read_named_value(fields.get(name)) for name in _VERDICT),
            *(read_value(fields.get(name)) for name in _SOLVED),
        ]
        label: Label = next(filter(None, labels), "")
        if label:
            sure = next((read_confidence(fields[name]) for name in _SURE if name in fields), None)
            return ReadVerdict(label, sure, _reasons(fields))
    return ReadVerdict("")


def _objects(text: str) -> Iterator[Mapping[str, object]]:
    """What is no JSON but stands between braces: without braces inside, the last first; else all of it."""
    spans = [match[0] for match in _OBJECT.finditer(text)][-MOST_OBJECTS:]
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end and not spans:
        spans = [text[start : end + 1]]
    return (_fields(span) for span in reversed(spans))


def _fields(text: str) -> Mapping[str, object]:
    """The pairs of what models take for a JSON object; names in small letters."""
    pairs = ((match[1], match[2] or match[3] or match[4] or "") for match in _PAIR.finditer(text))
    return {name.casefold(): value for name, value in pairs}


def _reasons(fields: Mapping[str, object]) -> tuple[str, ...]:
    value = next((fields[name] for name in _WHY if fields.get(name)), ())
    parts = value if isinstance(value, list) else [value] if value else []
    return tuple(" ".join(str(part).split()) for part in parts)


def _read_lines(text: str) -> ReadVerdict:
    lines = [
        (read_named_value if line["named"] else read_value)(_QUOTED.sub(r"\1", line["value"]))
        for line in _LINE.finditer(text)
    ]
    labels = [label for label in lines if label]
    thoughts = tuple(line["value"].strip() for line in _THOUGHTS.finditer(text))
    return ReadVerdict(labels[-1], _line_confidence(text), thoughts[:1]) if labels else ReadVerdict("")


def _read_lone_word(text: str) -> ReadVerdict:
    """The last line, else the first, where it is a verdict and no sentence."""
    lines = [line for line in text.splitlines() if line.strip(" \t`*_#>-")]
    for line in (*lines[-1:], *lines[:1]):
        if len(line.split()) <= 2 and (label := read_value(line)):
            return ReadVerdict(label, _line_confidence(text))
    return ReadVerdict("")


def _read_within(text: str) -> ReadVerdict:
    labels = [label for mark in _WITHIN.finditer(text) if (label := read_named_value(mark["value"]))]
    return ReadVerdict(labels[-1], _line_confidence(text)) if labels else ReadVerdict("")


def _line_confidence(text: str) -> float | None:
    values = [line["value"] for line in _SURE_LINE.finditer(text)]
    if values:
        return read_confidence(values[-1].strip(" *_`"))
    within = {
        read_confidence(mark["after"] or mark["before"] or mark["beside"])
        for mark in _SURE_WITHIN.finditer(text)
    }
    return within.pop() if len(within) == 1 else None
