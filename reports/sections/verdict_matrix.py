"""The verdict matrix: one row an arm, one column the utility and each condition."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.analysis.result import Estimate
from loadbearing.reports.base.lookup import (
    drop_words,
    find,
    judged_arms,
    judged_backbones,
    judged_conditions,
    utility_word,
)
from loadbearing.reports.base.numbers import is_known, signed
from loadbearing.reports.model.results import Results

UTILITY = "utility"


@dataclass(frozen=True, slots=True)
class Entry:
    """One verdict and the estimate behind it; both are empty where nothing was judged."""

    word: str
    estimate: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """All verdicts of a run on utilities and drops.

    Args:
        columns: `utility`, then the conditions.
        groups: for each backbone its arms, each with an entry for every column.
    """

    columns: tuple[str, ...]
    groups: tuple[tuple[str, tuple[tuple[str, tuple[Entry, ...]], ...]], ...]


def verdict_matrix(results: Results) -> Matrix:
    """Lay out every verdict, in the order of the run."""
    conditions = judged_conditions(results)

    def line(backbone: str, arm: str) -> tuple[Entry, ...]:
        words = drop_words(results, backbone, arm)
        gain = find(results, "utility", backbone=backbone, arm=arm)
        drops = (
            _entry(
                words.get(condition, ""),
                find(results, "drop", backbone=backbone, arm=arm, condition=condition),
            )
            for condition in conditions
        )
        return (_entry(utility_word(results, backbone, arm), gain), *drops)

    return Matrix(
        (UTILITY, *conditions),
        tuple(
            (backbone, tuple((arm, line(backbone, arm)) for arm in judged_arms(results, backbone)))
            for backbone in judged_backbones(results)
        ),
    )


def _entry(word: str, row: Estimate | None) -> Entry:
    return Entry(word, signed(row.estimate) if row is not None and is_known(row.estimate) else "")
