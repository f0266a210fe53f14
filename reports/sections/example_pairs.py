"""Worked examples as a page shows them: two sides, changed words marked."""

from __future__ import annotations

from typing import NamedTuple

from loadbearing.reports.base.escape import brief
from loadbearing.reports.base.word_diff import Piece, compare
from loadbearing.reports.model.play import Example, ExampleSide, Said
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import condition_name


class Side(NamedTuple):
    """One trial: which and how it ended, its text, and what was said in the turn that differs, if there."""

    title: str
    pieces: tuple[Piece, ...]
    said: Said | None


class Pair(NamedTuple):
    """One worked example; `turn` is the first in which the two acted otherwise, None where there is none."""

    heading: str
    says: str
    turn: int | None
    before: Side
    after: Side


def shown_pairs(results: Results) -> tuple[Pair, ...]:
    """Every worked example."""
    return tuple(map(_pair, results.examples))


def _pair(one: Example) -> Pair:
    before, after = compare(one.before.text, one.after.text)
    same = "the outcomes differ" if one.differs == "outcome" else "same outcome, other actions"
    place = f"{_name(one.arm)}, {condition_name(_name(one.condition))}"
    return Pair(
        heading=f"{place}: task {_name(one.task)}, repeat {one.repeat}",
        says=f"{_name(one.backbone)}: {same}",
        turn=one.turn.number if one.turn else None,
        before=Side(_ended("Intact", one.before), before, one.turn.before if one.turn else None),
        after=Side(_ended("Damaged", one.after), after, one.turn.after if one.turn else None),
    )


def _ended(title: str, trial: ExampleSide) -> str:
    cause = f" ({_name(trial.cause)})" if trial.cause else ""
    return f"{title}: {_name(trial.outcome)}{cause}"


def _name(text: str) -> str:
    return brief(text, 120)
