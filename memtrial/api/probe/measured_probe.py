"""From the shares of all cells to a row for each condition of each arm, and to one for each item."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from memtrial.analysis.arrays import Floats, Ints
from memtrial.analysis.probe.probed_effects import (
    ProbedEffect,
    ProbedFamily,
    choose_shift_word,
    choose_word,
    measure_family,
)
from memtrial.analysis_rules import AnalysisRules
from memtrial.api.probe.asked_decision import COUNTERED, INVERTED, AskedDecision, Pair, Place
from memtrial.ledger.random_streams import named_generator
from memtrial.memory.record_text import without_number
from memtrial.views.rows.probe_rows import ProbeItem, ProbeOutcome, ProbeRow

LEFT_OUT = "left out"
"""The condition of rows over single items, each left out by itself."""
SharesOf = Callable[[AskedDecision], Pair]
ShiftOf = Callable[[AskedDecision], float | None]
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class ProbeColumn:
    """One contrast: a value for each decision, None where it says nothing.

    Args:
        name: the condition, or the item's text.
        pairs: the two shares of each decision; none of a shift.
    """

    place: Place
    name: str
    values: tuple[float | None, ...]
    pairs: tuple[Pair, ...] = ()

    def mean_of(self, side: int, tasks: Sequence[str]) -> float | None:
        """The share of one side, as the mean over tasks, each the mean of its decisions."""
        by_task: dict[str, list[float]] = {}
        for task, pair in zip(tasks, self.pairs, strict=False):
            if None not in pair and (share := pair[side]) is not None:
                by_task.setdefault(task, []).append(share)
        means = [sum(shares) / len(shares) for shares in by_task.values()]
        return sum(means) / len(means) if means else None


@dataclass(frozen=True, slots=True)
class ProbeMeasure:
    """Measures what was asked.

    Args:
        replies: as of `ProbedFamily`.
        exact: shares are known without chance, so that a shift is held against the margin.
    """

    asked: Sequence[AskedDecision]
    rules: AnalysisRules
    replies: int
    exact: bool

    def measure_rows(self, conditions: Sequence[str]) -> tuple[ProbeRow, ...]:
        """A row for each outcome, arm and condition that some decision tells of."""
        advised: list[tuple[str, SharesOf]] = [(name, _shares_under(name)) for name in conditions]
        shifts: list[tuple[str, ShiftOf]] = [(name, _shift_under(name)) for name in conditions]
        rows = self._rows("advised", self._pairs([*advised, (LEFT_OUT, AskedDecision.shares_left_out)]))
        if COUNTERED in conditions:
            rows += self._rows("other", self._pairs([(COUNTERED, AskedDecision.shares_instead)]))
        if COUNTERED in conditions and INVERTED in conditions:
            rows += self._rows("mention", self._pairs([(COUNTERED, AskedDecision.shares_mentioned)]))
        return rows + self._rows("shift", self._shifts([*shifts, (LEFT_OUT, AskedDecision.shift_left_out)]))

    def measure_items(self) -> tuple[ProbeItem, ...]:
        """A row for each item of each arm, those with the most decisions first."""
        names: dict[tuple[Place, str], None] = {}
        for each in self.asked:
            for item in filter(str.strip, each.decision.slot.items):
                names.setdefault((each.place, without_number(item)))
        placed = [
            [each.find_item(text) if each.place == place else None for each in self.asked]
            for place, text in names
        ]
        columns, shifts = [], []
        for (place, text), numbers in zip(names, placed, strict=True):
            pairs = tuple(
                (None, None) if number is None else each.shares_of_item(number)
                for each, number in zip(self.asked, numbers, strict=True)
            )
            moved = tuple(
                None if number is None else each.shift_of_item(number)
                for each, number in zip(self.asked, numbers, strict=True)
            )
            columns.append(ProbeColumn(place, text, tuple(map(_subtract, pairs)), pairs))
            shifts.append(ProbeColumn(place, text, moved))
        effects, moves = self._measure("advised", columns), self._measure("shift", shifts)
        items = (
            self._item(column, effect, move, _read_advice(self.asked, numbers))
            for column, effect, move, numbers in zip(columns, effects, moves, placed, strict=True)
            if move.n_decisions
        )
        return tuple(sorted(items, key=lambda item: -item.n_decisions))

    def _item(
        self, column: ProbeColumn, effect: ProbedEffect, move: ProbedEffect, advice: tuple[str, ...]
    ) -> ProbeItem:
        absent = self._mean(column, 1)
        return ProbeItem(
            backbone=column.place[0],
            arm=column.place[1],
            text=column.name,
            advice=advice,
            n_decisions=move.n_decisions,
            n_tasks=move.n_tasks,
            n_clusters=move.n_clusters,
            present=self._mean(column, 0),
            absent=absent,
            estimate=effect.estimate,
            low=effect.low,
            high=effect.high,
            p_adjusted=effect.p_adjusted,
            word=choose_word(effect, 1.0 if absent is None else 1.0 - absent, self.rules),
            shift=move.estimate,
            shift_low=move.low,
            shift_high=move.high,
            shift_word=choose_shift_word(move, self._floor("shift"), self.rules),
        )

    def _pairs(self, named: Sequence[tuple[str, SharesOf]]) -> list[ProbeColumn]:
        """Columns of shares, of each arm those that some decision tells of."""
        nothing: Pair = (None, None)
        placed = self._by_arm(named, nothing)
        return _telling(
            ProbeColumn(place, name, tuple(map(_subtract, pairs)), pairs) for place, name, pairs in placed
        )

    def _shifts(self, named: Sequence[tuple[str, ShiftOf]]) -> list[ProbeColumn]:
        """The same of shifts, which are of no two shares."""
        return _telling(ProbeColumn(*placed) for placed in self._by_arm(named, None))

    def _by_arm(
        self, named: Sequence[tuple[str, Callable[[AskedDecision], V]]], nothing: V
    ) -> Iterator[tuple[Place, str, tuple[V, ...]]]:
        """What each name gives for all decisions of an arm; nothing for those of the others."""
        for place in dict.fromkeys(each.place for each in self.asked):
            for name, value_of in named:
                yield (
                    place,
                    name,
                    tuple(value_of(each) if each.place == place else nothing for each in self.asked),
                )

    def _rows(self, outcome: ProbeOutcome, columns: Sequence[ProbeColumn]) -> tuple[ProbeRow, ...]:
        rows = []
        for column, effect in zip(columns, self._measure(outcome, columns), strict=True):
            after = self._mean(column, 1)
            room = 1.0 if after is None else 1.0 - after
            word = choose_word(effect, room, self.rules)
            if outcome == "shift":
                word = choose_shift_word(effect, self._floor(outcome), self.rules)
            row = ProbeRow(
                backbone=column.place[0],
                arm=column.place[1],
                outcome=outcome,
                condition=column.name,
                n_decisions=effect.n_decisions,
                n_tasks=effect.n_tasks,
                n_clusters=effect.n_clusters,
                before=self._mean(column, 0),
                after=after,
                estimate=effect.estimate,
                low=effect.low,
                high=effect.high,
                p=effect.p,
                p_adjusted=effect.p_adjusted,
                p_equivalence=effect.p_equivalence,
                word=word,
            )
            rows.append(row)
        return tuple(rows)

    def _mean(self, column: ProbeColumn, side: int) -> float | None:
        return column.mean_of(side, [each.decision.task for each in self.asked])

    def _floor(self, outcome: ProbeOutcome) -> float:
        return self.rules.margin if outcome == "shift" and self.exact else 0.0

    def _measure(self, outcome: ProbeOutcome, columns: Sequence[ProbeColumn]) -> tuple[ProbedEffect, ...]:
        """The effects of a family of columns."""
        if not columns:
            return ()
        table: Floats = np.array([column.values for column in columns], dtype=np.float64).T
        family = ProbedFamily(
            table,
            _index([each.decision.task for each in self.asked]),
            _index([each.decision.cluster for each in self.asked]),
            self.replies,
            floor=self._floor(outcome),
        )
        return measure_family(family, self.rules, named_generator(self.rules.seed, f"probe {outcome}"))


def _telling(columns: Iterable[ProbeColumn]) -> list[ProbeColumn]:
    return [column for column in columns if any(value is not None for value in column.values)]


def _shares_under(condition: str) -> SharesOf:
    return lambda each: each.shares_under(condition)


def _shift_under(condition: str) -> ShiftOf:
    return lambda each: each.shift_under(condition)


def _subtract(pair: Pair) -> float | None:
    before, after = pair
    return None if before is None or after is None else before - after


def _read_advice(asked: Sequence[AskedDecision], numbers: Sequence[int | None]) -> tuple[str, ...]:
    """What an item advises that applies at some of these decisions."""
    return tuple(
        dict.fromkeys(
            told.action if told.do else f"not {told.action}"
            for each, number in zip(asked, numbers, strict=True)
            for told in each.decision.due
            if number is not None and told.item == number
        )
    )


def _index(names: Sequence[str]) -> Ints:
    place = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([place[name] for name in names], dtype=np.int64)
