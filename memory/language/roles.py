"""Which role each word of an item has, in any schema: when it counts, what to do, why, and in which form.

A Trigger and a Scope say when, a Mechanism says why, a Form is a form. Every other text (Claim, Content,
Title, Description, prose) is read by sentence: its conditions say when, its reason says why, the rest says
what to do. So a condition has the same role in a Content as in a Trigger.
"""

from functools import lru_cache
from typing import Literal, NamedTuple

from loadbearing.memory.language.clauses import clauses, reasons
from loadbearing.memory.language.sentences import sentences_of
from loadbearing.memory.language.structure import parts

Role = Literal["when", "what", "why", "form"]
ROLES: tuple[Role, ...] = ("when", "what", "why", "form")
_OF_FIELD: dict[str, Role] = {"trigger": "when", "scope": "when", "mechanism": "why", "form": "form"}


class Run(NamedTuple):
    """Neighbouring characters of one role, `[start, end)` of the item, in the part with this label."""

    role: Role
    start: int
    end: int
    label: str


@lru_cache(maxsize=2048)
def runs_of(item: str) -> tuple[Run, ...]:
    """The bodies of the item cut into runs, in order; headings, list marks and blank text are in none."""
    found: list[Run] = []
    at = 0
    for part in parts(item):
        at += len(part.head)
        if (role := _OF_FIELD.get(part.label)) and part.body.strip():
            found.append(Run(role, at, at + len(part.body), part.label))
        at += len(part.body)
    for part, start, sentence in sentences_of(item):
        if part.label in _OF_FIELD:
            continue
        read = clauses(sentence)
        cuts: list[tuple[int, int, Role]] = [(low, high, "when") for low, high in read.opened]
        cuts += [(low, high, "why") for low, high in reasons(sentence)]
        place = 0
        for low, high, role in [*sorted(cuts), (len(sentence.raw), len(sentence.raw), "what")]:
            if sentence.raw[place:low].strip():
                found.append(Run("what", start + place, start + low, part.label))
            if low < high:
                found.append(Run(role, start + max(low, place), start + high, part.label))
            place = max(place, high)
    return tuple(sorted(found, key=lambda run: run.start))


def spans(item: str, *roles: Role) -> tuple[tuple[int, int], ...]:
    """Where the text of these roles stands in the item."""
    return tuple((run.start, run.end) for run in runs_of(item) if run.role in roles)
