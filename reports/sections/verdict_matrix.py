"""The verdict matrix: one row an arm, one column the utility and each condition."""

from dataclasses import dataclass
from typing import NamedTuple

from loadbearing.reports.base.lookup import find, in_order, judged
from loadbearing.reports.base.numbers import is_known, signed
from loadbearing.reports.model.results import Results


class Entry(NamedTuple):
    """One verdict and the estimate behind it; both are empty where nothing was judged."""

    word: str
    estimate: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """All verdicts on utilities (the first column) and drops: by backbone and arm an entry a column."""

    columns: tuple[str, ...]
    groups: dict[str, dict[str, list[Entry]]]


def verdict_matrix(results: Results) -> Matrix:
    """Lay out every verdict, in the order of the run."""
    seen = [name for arms in results.verdicts.values() for words in arms.values() for name in words]
    conditions = in_order(results.conditions, seen)
    groups = {
        backbone: {arm: _line(results, conditions, backbone, arm) for arm in arms}
        for backbone, arms in judged(results).items()
    }
    return Matrix(("utility", *conditions), groups)


def _line(results: Results, conditions: tuple[str, ...], backbone: str, arm: str) -> list[Entry]:
    drops = results.verdicts.get(backbone, {}).get(arm, {})
    words = [results.utility.get(backbone, {}).get(arm, ""), *(drops.get(name, "") for name in conditions)]
    rows = [find(results, "utility", backbone, arm)]
    rows += [find(results, "drop", backbone, arm, name) for name in conditions]
    shown = (signed(row.estimate) if row is not None and is_known(row.estimate) else "" for row in rows)
    return [Entry(*one) for one in zip(words, shown, strict=True)]
