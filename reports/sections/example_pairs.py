"""Worked examples as a page shows them: two sides, changed words marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.base.lookup import Results, Row, rows
from loadbearing.reports.base.word_diff import Piece, compare
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
    """Every worked example; what is absent is shown as nothing."""
    return tuple(_pair(one) for one in rows(results, "examples"))


def _pair(one: Row) -> Pair:
    before, after, turn = (_mapping(one.get(key)) for key in ("before", "after", "turn"))
    marked = compare(str(before.get("text", "")), str(after.get("text", "")))
    arm, task = (_name(one.get(key)) for key in ("arm", "task"))
    condition = condition_name(_name(one.get("condition")))
    same = "the outcomes differ" if one.get("differs") == "outcome" else "same outcome, other actions"
    number = turn.get("number")
    return Pair(
        heading=f"{arm}, {condition}: task {task}, repeat {_name(one.get('repeat'))}",
        says=f"{_name(one.get('backbone'))}: {same}",
        turn=number if isinstance(number, int) else None,
        before=_side("Intact", before, marked.before, _mapping(turn.get("before"))),
        after=_side("Damaged", after, marked.after, _mapping(turn.get("after"))),
    )


def _side(title: str, trial: Row, pieces: tuple[Piece, ...], step: Row) -> Side:
    cause = _name(trial.get("cause") or "")
    ended = f"{title}: {_name(trial.get('outcome'))}" + (f" ({cause})" if cause else "")
    thought, action = (None if step.get(key) is None else str(step[key]) for key in ("thought", "action"))
    return Side(ended, pieces, thought, action)


def _name(value: Any) -> str:
    return shortened(one_line("" if value is None else str(value)), _LONGEST_NAME)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
