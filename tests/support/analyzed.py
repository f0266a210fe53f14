"""Analysing a small table in a test, and the same numbers by plain arithmetic."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.outcomes.table_options import TableOptions

Row = Mapping[str, Any]


def analyzed(
    folder: Path,
    content: str | bytes | Path,
    rules: AnalysisOptions = AnalysisOptions(flips=999),
    **asked: Any,
) -> dict[str, Any]:
    """What results.json would hold for a table."""
    path = content if isinstance(content, Path) else folder / "table.csv"
    if not isinstance(content, Path):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    results = analyze(path, TableOptions(**asked), rules)
    returned: dict[str, Any] = json.loads(json.dumps(results.model_dump(mode="json"), allow_nan=False))
    return returned


def row_of(results: Mapping[str, Any], **wanted: Any) -> dict[str, Any]:
    """The one estimate with these entries."""
    (found,) = [
        row for row in results["estimates"] if all(row[key] == value for key, value in wanted.items())
    ]
    return dict(found)


def task_means(rows: Iterable[Row], cell: Mapping[str, Any]) -> dict[str, float]:
    """Mean score of each task over the rows of one cell that have one."""
    scores: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if all(row[key] == value for key, value in cell.items()) and row["score"] is not None:
            scores[row["task"]].append(float(row["score"]))
    return {task: sum(found) / len(found) for task, found in scores.items()}


def differences(plus: Mapping[str, float], minus: Mapping[str, float]) -> NDArray[np.float64]:
    """One number a task that both have, tasks sorted."""
    return np.array([plus[task] - minus[task] for task in sorted(plus.keys() & minus.keys())])


def student(
    d: NDArray[np.float64], repeats: int, units: Sequence[int] | None = None, alpha: float = 0.05
) -> tuple[float, float, float]:
    """Low, high and p of Student's t on units of one size, from its definition, in the range of a drop.

    The interval has two more tasks, +c and -c, where that makes it wider and it need not leave zero out.
    """
    units = units or range(len(d))
    n_units, n = len(set(units)), len(d)

    def error(values: Sequence[float], places: Sequence[int]) -> float:
        total, mean = 0.0, sum(values) / len(values)
        for place in sorted(set(places)):
            apart = [value - mean for value, one in zip(values, places, strict=True) if one == place]
            total += sum(apart) ** 2 / (1 - len(apart) / len(values))
        return total**0.5 / len(values)

    mean = sum(d) / n
    c = sum(d**2) / sum(abs(d)) if any(d) else 1 / repeats
    own, wider = error([*d], [*units]), error([*d, c, -c], [*units, max(units) + 1, max(units) + 2])
    reach = t.ppf(1 - alpha / 2, n_units - 1)
    low, high = mean - reach * max(own, wider), mean + reach * max(own, wider)
    if mean - reach * own > 0 >= low:
        low = mean - reach * own
    if mean + reach * own < 0 <= high:
        high = mean + reach * own
    k = reach**2 / n_units
    root = (mean**2 - (1 + k) * (mean**2 - k)) ** 0.5
    p = 2 * t.sf(abs(mean) / own, n_units - 1) if own else 1.0
    return max(low, (mean - root) / (1 + k)), min(high, (mean + root) / (1 + k)), p
