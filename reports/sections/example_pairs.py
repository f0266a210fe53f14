"""Worked examples as a page shows them: two sides, changed words marked."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.base.word_diff import Piece, compare
from loadbearing.reports.model.play import Example, ExampleSide, Said
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import condition_name

_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two trials.

    Args:
        title: which, and how it ended.
        pieces: its memory text, changed words apart.
        thought, action: of the first turn in which the two acted otherwise; None where it had ended.
    """

    title: str
    pieces: tuple[Piece, ...]
    thought: str | None
    action: str | None


@dataclass(frozen=True, slots=True)
class Pair:
    """One worked example.

    Args:
        turn: the first turn in which the two acted otherwise; None where there is none.
    """

    heading: str
    says: str
    turn: int | None
    before: Side
    after: Side


def shown_pairs(results: Results) -> tuple[Pair, ...]:
    """Every worked example."""
    return tuple(_pair(one) for one in results.examples)


def _pair(one: Example) -> Pair:
    marked = compare(one.before.text, one.after.text)
    said = one.turn.before if one.turn else None, one.turn.after if one.turn else None
    same = "the outcomes differ" if one.differs == "outcome" else "same outcome, other actions"
    place = f"{_name(one.arm)}, {condition_name(_name(one.condition))}"
    return Pair(
        heading=f"{place}: task {_name(one.task)}, repeat {one.repeat}",
        says=f"{_name(one.backbone)}: {same}",
        turn=one.turn.number if one.turn else None,
        before=_side("Intact", one.before, marked.before, said[0]),
        after=_side("Damaged", one.after, marked.after, said[1]),
    )


def _side(title: str, trial: ExampleSide, pieces: tuple[Piece, ...], said: Said | None) -> Side:
    cause = f" ({_name(trial.cause)})" if trial.cause else ""
    ended = f"{title}: {_name(trial.outcome)}{cause}"
    return Side(ended, pieces, said.thought if said else None, said.action if said else None)


def _name(text: str) -> str:
    return shortened(one_line(text), _LONGEST_NAME)
