"""What a call to a model is for: a value where it is used, one text where it is kept."""

from dataclasses import dataclass
from typing import Literal, cast, get_args

_OneOfARun = Literal["play", "collect", "decision check", "damage", "damage check", "embed"]
_OfATool = Literal["failure coder", "gates regress", "probe"]
_Named = Literal["condense", "memory"]
CallKind = Literal[_OneOfARun, _OfATool, _Named, "gate", "other"]


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a call is for.

    Args:
        kind: `other` where nothing was stated, or a text that another version wrote.
        whose: the condenser of `condense` and `gate`, the arm of `memory`, the text of `other`.
        gate: the one gate of `gate` that is asked about; empty for all gates of that condenser.

    Raises:
        ValueError: the condenser of a gate has a blank in its name, where its text would end.
    """

    kind: CallKind = "other"
    whose: str = ""
    gate: str = ""

    def __post_init__(self) -> None:
        if self.kind == "gate" and " " in self.whose:
            raise ValueError(f"the condenser of a gate needs a name without blanks; got {self.whose!r}")


PLAY = Purpose("play")
"""Trials, and the judge of their success."""
COLLECT = Purpose("collect")
"""Training episodes."""
UNSTATED = Purpose()


def write_purpose(purpose: Purpose) -> str:
    """The text under which calls are kept: `play`, `condense native`, `gate theory refuter`."""
    match purpose:
        case Purpose("gate", whose, gate):
            return f"gate {whose} {gate}" if gate else f"gate {whose}"
        case Purpose("condense" | "memory" as kind, whose):
            return f"{kind} {whose}"
        case Purpose("other", text):
            return text
    return purpose.kind


def read_purpose(text: str) -> Purpose:
    """What `write_purpose` wrote; a text of another version stands whole in a purpose of the kind `other`."""
    kind, blank, rest = text.partition(" ")
    if kind == "gate" and blank:
        whose, named, gate = rest.partition(" ")
        if gate or not named:
            return Purpose("gate", whose, gate)
    if kind in get_args(_Named) and blank:
        return Purpose(cast(CallKind, kind), rest)
    if text in (*get_args(_OneOfARun), *get_args(_OfATool)):
        return Purpose(cast(CallKind, text))
    return Purpose("other", text)
