"""Typed cues: a Trigger, all of which must hold, and the precondition of an action that a Form states."""

import re
from dataclasses import dataclass

from loadbearing.episodes.trajectory import Moment
from loadbearing.memory.cue import Cue, CueFault, compile_cue, split_cues

_HEURISTIC = re.compile(r"heuristic\s*(?:[.:;,(–—-].*)?", re.IGNORECASE | re.DOTALL)
_CHECK = re.compile(r"check\s*:(?P<cues>.*)", re.IGNORECASE | re.DOTALL)


class TriggerFault(ValueError):
    """A Trigger or a check that does not compile. The message is one line and says what was needed."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """Cues that must all hold, at least one; `text` as written, of a check without its `check:`."""

    text: str
    cues: tuple[Cue, ...]

    @property
    def needs_action(self) -> bool:
        """It can hold only once an action is proposed."""
        return any(cue.kind == "action" for cue in self.cues)

    def holds(self, moment: Moment) -> bool:
        """Whether every cue holds."""
        return all(cue.holds(moment) for cue in self.cues)

    def why(self, moment: Moment) -> str:
        """The cues that hold, as written, joined by ` | `; empty where none does."""
        return " | ".join(cue.text for cue in self.cues if cue.holds(moment))


def broken(check: Trigger, moment: Moment) -> bool:
    """Whether the proposed action lacks its precondition; never without a proposal.

    The check's `action:` cues say which proposals it is asked of, all other cues what must hold then:
    `action: sign off | state: "is sound"`. Without an `action:` cue it is asked of every proposal. Where
    there are no others, the proposal itself must be as they say.
    """
    asked = [cue for cue in check.cues if cue.kind == "action" and not cue.negated]
    needed = [cue for cue in check.cues if cue not in asked]
    if not needed:
        asked, needed = [], asked
    fits = bool(moment.action) and all(cue.holds(moment) for cue in asked)
    return fits and not all(cue.holds(moment) for cue in needed)


def compile_trigger(text: str) -> Trigger:
    """A Trigger from its text, such as `task: order history | state: "Next" | action: answer`.

    Raises:
        TriggerFault: empty, or a part of it is no cue.
    """
    if not text.strip():
        raise TriggerFault("a Trigger needs at least one cue such as 'state: \"Next\"', got an empty text")
    try:
        return Trigger(text, tuple(compile_cue(part) for part in split_cues(text)))
    except CueFault as fault:
        raise TriggerFault(f"Trigger does not compile: {fault}") from fault


def compile_form(text: str) -> Trigger | None:
    """What an item's Form asks of an action; None for a heuristic, which asks nothing.

    Takes `heuristic` (a remark may follow it behind a punctuation mark), an empty text, or `check:` and cues
    joined by `|`, each with an optional leading `not`: `check: state: "Next" | not state: "Last page"`.

    Raises:
        TriggerFault: anything else, for it could not be evaluated.
    """
    form = text.strip()
    if not form or _HEURISTIC.fullmatch(form):
        return None
    found = _CHECK.fullmatch(form)
    if not found:
        shown = " ".join(form.split())[:60]
        raise TriggerFault(f"a Form is 'heuristic' or 'check: <cues>', got {shown!r}")
    cues = found["cues"].strip()
    if not cues:
        raise TriggerFault("a check needs at least one cue such as 'state: \"Next\"', got an empty one")
    try:
        return Trigger(cues, tuple(compile_cue(part, negatable=True) for part in split_cues(cues)))
    except CueFault as fault:
        raise TriggerFault(f"check cannot be evaluated: {fault}") from fault
