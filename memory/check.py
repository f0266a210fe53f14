"""A check: the precondition on the live state that an item's Form may state."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loadbearing.episodes.trajectory import Moment
from loadbearing.memory.cue import Cue, CueFault, compile_cue, split_cues

_HEURISTIC = re.compile(r"heuristic\s*(?:[.:;,(–—-].*)?", re.IGNORECASE | re.DOTALL)
_CHECK = re.compile(r"check\s*:(?P<cues>.*)", re.IGNORECASE | re.DOTALL)
_NOT = re.compile(r"not\s+(?P<cue>.*)", re.IGNORECASE | re.DOTALL)


class CheckFault(ValueError):
    """A Form that cannot be evaluated. The message is one line and says what was needed."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A cue, or with `negated` its opposite."""

    cue: Cue
    negated: bool

    def holds(self, moment: Moment) -> bool:
        """Whether the moment is as the condition says."""
        return self.cue.holds(moment) is not self.negated


@dataclass(frozen=True, slots=True)
class Precondition:
    """Conditions on the live state that must all hold.

    Args:
        text: as written, without the leading `check:`.
    """

    text: str
    conditions: tuple[Condition, ...]

    def holds(self, moment: Moment) -> bool:
        """Whether every condition holds."""
        return all(condition.holds(moment) for condition in self.conditions)


def compile_form(text: str) -> Precondition | None:
    """What an item's Form asks of the live state; None for a heuristic, which asks nothing.

    Takes `heuristic` (a remark may follow it behind a punctuation mark), an empty text, or `check:` and cues
    joined by `|`, each with an optional leading `not`: `check: state: "Next" | not state: "Last page"`.

    Raises:
        CheckFault: anything else, for it could not be evaluated.
    """
    form = text.strip()
    if not form or _HEURISTIC.fullmatch(form):
        return None
    found = _CHECK.fullmatch(form)
    if not found:
        shown = " ".join(form.split())[:60]
        raise CheckFault(f"a Form is 'heuristic' or 'check: <cues>', got {shown!r}")
    cues = found["cues"].strip()
    if not cues:
        raise CheckFault("a check needs at least one cue such as 'state: \"Next\"', got an empty one")
    try:
        return Precondition(cues, tuple(_condition(part) for part in split_cues(cues)))
    except CueFault as fault:
        raise CheckFault(f"check cannot be evaluated: {fault}") from fault


def _condition(part: str) -> Condition:
    negated = _NOT.fullmatch(part)
    return Condition(compile_cue(negated["cue"] if negated else part), negated is not None)
