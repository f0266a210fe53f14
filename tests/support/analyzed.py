"""Analysing a small table in a test, and the same numbers by plain arithmetic."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from loadbearing.outcomes.outcome_table import TableOptions
from loadbearing.runs.library.analyze import AnalysisOptions, analyze

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


def plus_two(d: NDArray[np.float64], repeats: int, alpha: float = 0.05) -> tuple[float, float]:
    """Student's t on the differences and two more, +1/R and -1/R (STATISTICS 1), from its definition."""
    more = [*d, 1 / repeats, -1 / repeats]
    n = len(more)
    mean = sum(more) / n
    sd = (sum((x - mean) ** 2 for x in more) / (n - 1)) ** 0.5
    half = t.ppf(1 - alpha / 2, n - 1) * sd / n**0.5
    return mean - half, mean + half
