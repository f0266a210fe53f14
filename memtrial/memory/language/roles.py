"""Which role each word of an item has, in any schema: when it counts, what to do, why, and in which form.

A Trigger and a Scope say when, a Mechanism says why, a Form is a form. Every other text (Claim, Content,
Title, Description, prose) is read by sentence: its conditions say when, its reason says why, the rest says
what to do. So a condition has the same role in a Content as in a Trigger.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from memtrial.memory.language.sentences import Sentence, sentences_of
from memtrial.memory.language.structure import place_parts

Span = tuple[int, int]

# white space is read from where it begins: tried at each blank, a long run would be read over and over
_COMMA = r"(?:,\s*+|(?:(?<!\s)\s++)?+)"
# "since 1990", "since then", "since its release" say how long
_BEGUN = r"(?:its|his|her|their)\s++(?:inception|found|release|debut|launch|birth|death|begin)"
_SINCE = rf"since(?!\s++(?:\d|then\b|the\s++\d|early|late|{_BEGUN})|\s*+[.,;:)]|\s*+$)"
_REASON = re.compile(rf"(?i){_COMMA}\b(?:because|{_SINCE}|so that|as it)\b")
_REASON_FIRST = re.compile(rf"(?i)\s*+(?:because|{_SINCE})\s[^,;:]++,\s*+")
_OPENERS = r"when|whenever|if|while|where|wherever|once|as soon as|after"
# ", while the others were slow" sets against, and "at once" is a time
_NO_CONDITION = r"(?!,\s++while\b)(?<!\bat)"
_LEADING = re.compile(
    rf"(?i)\s*+(?:(?P<order>before)\s[^,]++,\s*+|(?:in|{_OPENERS})\s++(?P<what>(?:(?!\bdo\b)[^,:])++)[,:]\s*+)"
)
_TRAILING = re.compile(rf"(?i){_NO_CONDITION}(?:,|(?<![\s,]))\s++(?:{_OPENERS})\s+(?P<what>[^,;:.]+)")
_UNLESS = re.compile(rf"(?i){_COMMA}\b(?:unless|except\s+(?:when|if|where|while))\s+(?P<what>[^,;:.]+)")


class Clauses(NamedTuple):
    """Places in a sentence.

    Args:
        when, unless: conditions without the word that opens them.
        opened: the same, each from the word that opens it on; of a leading one the comma, too.
        begin: where what is told begins, behind a leading condition.
        reason: where the reason at its end begins; the sentence's length where it gives none there.
    """

    when: tuple[Span, ...]
    unless: tuple[Span, ...]
    opened: tuple[Span, ...]
    begin: int
    reason: int


def clauses(sentence: Sentence) -> Clauses:
    """Read the words outside quotes."""
    covered = sentence.covered
    start, stop = _between_reasons(covered)
    excepted = list(_UNLESS.finditer(covered, start, stop))
    leading = _LEADING.match(covered, start, stop)
    begin = leading.end() if leading else start
    if excepted and not covered[start : excepted[0].start("what")].split()[1:]:
        begin = min(len(covered), excepted[0].end("what") + 1)  # "Unless the alarm is off, …"
    conditions = [leading] if leading and leading["what"] else []
    conditions += _TRAILING.finditer(covered, begin, stop)
    when, unless = (tuple(match.span("what") for match in of) for of in (conditions, excepted))
    opened = tuple(match.span() for match in (*conditions, *excepted))
    return Clauses(when, unless, opened, begin, stop)


def reasons(sentence: Sentence) -> tuple[Span, ...]:
    """The reasons, each from the word that opens it on; of a leading one the comma, too."""
    start, stop = _between_reasons(sentence.covered)
    return tuple(span for span in ((0, start), (stop, len(sentence.covered))) if span[0] < span[1])


def _between_reasons(covered: str) -> Span:
    first = _REASON_FIRST.match(covered)
    start = first.end() if first else 0
    last = _REASON.search(covered, start)
    return start, last.start() if last else len(covered)


Role = Literal["when", "what", "why", "form"]
ROLES: tuple[Role, ...] = ("when", "what", "why", "form")
_OF_FIELD: dict[str, Role] = {"trigger": "when", "scope": "when", "mechanism": "why", "form": "form"}


class Run(NamedTuple):
    """Neighbouring characters of one role, `[start, end)` of the item, in the part with this label."""

    role: Role
    start: int
    end: int
    label: str


@lru_cache(maxsize=512)
def runs_of(item: str) -> tuple[Run, ...]:
    """The bodies of the item cut into runs, in order; headings, list marks and blank text are in none."""
    runs: list[Run] = []
    for part, start_of_part in place_parts(item):
        if (role := _OF_FIELD.get(part.label)) and part.body.strip():
            runs.append(Run(role, start_of_part, start_of_part + len(part.body), part.label))
    for part, start, sentence in sentences_of(item):
        if part.label in _OF_FIELD:
            continue
        read = clauses(sentence)
        cuts: list[tuple[int, int, Role]] = [(low, high, "when") for low, high in read.opened]
        cuts += [(low, high, "why") for low, high in reasons(sentence)]
        place = 0
        for low, high, role in [*sorted(cuts), (len(sentence.raw), len(sentence.raw), "what")]:
            if sentence.raw[place:low].strip():
                runs.append(Run("what", start + place, start + low, part.label))
            if low < high:
                runs.append(Run(role, start + max(low, place), start + high, part.label))
            place = max(place, high)
    return tuple(sorted(runs, key=lambda run: run.start))


def spans(item: str, *roles: Role) -> tuple[tuple[int, int], ...]:
    """Where the text of these roles stands in the item."""
    return tuple((run.start, run.end) for run in runs_of(item) if run.role in roles)
