"""What a tracker of experiments is told of a run: its settings, its numbers, its words, and its report."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtrial.views.rows.results import Results

Tracker = Literal["wandb", "mlflow"]
PROJECT = "memtrial"
"""The project, or the experiment, under which runs are listed."""
REPORT = ("results.json", "report.html", "report.md")
ODD = re.compile(r"[^A-Za-z0-9_.\- ]+")
"""What a part of a name may not hold in MLflow; W&B takes the same names."""


@dataclass(frozen=True, slots=True)
class TrackedResults:
    """One run as plain values.

    Args:
        settings: by name, what was fixed.
        numbers: by name, means of cells and estimates with their intervals; no name stands twice.
        words: by name, verdicts.
        files: the report.
    """

    name: str
    settings: dict[str, str]
    numbers: dict[str, float]
    words: dict[str, str]
    files: tuple[Path, ...]


def tracked_results(results: Results, folder: Path) -> TrackedResults:
    """The results of a run, arms under masked names where the report masks them."""
    settings = {
        "question": results.question,
        "seed": str(results.seed),
        "status": results.status,
        "simulated": "yes" if results.simulated else "no",
        "control": results.control,
        "world": results.world,
        "outcome": results.outcome,
        "backbones": ", ".join(results.backbones),
        "arms": ", ".join(results.arms),
        "conditions": ", ".join(results.conditions),
        "tasks": str(results.tasks),
        "repeats": str(results.repeats),
        "margin": str(results.margin),
        "alpha": str(results.alpha),
    }
    files = tuple(path for path in (folder / name for name in REPORT) if path.is_file())
    return TrackedResults(
        results.name, settings, _number_names(_numbers(results)), dict(_words(results)), files
    )


def _numbers(results: Results) -> Iterator[tuple[str, float]]:
    for cell in results.cells:
        if cell.score is not None:
            yield _path("score", cell.backbone, cell.arm, cell.condition), cell.score
    for row in results.estimates:
        share = "" if row.share is None else f"{row.share:g}"
        place = (row.estimand, row.backbone, row.arm, row.versus, row.condition, share)
        values = ("estimate", row.estimate), ("low", row.low), ("high", row.high), ("p", row.p_adjusted)
        for what, value in values:
            if value is not None:
                yield _path(*place, what), value
    for arm, n in results.errors.items():
        yield _path("errors", arm), float(n)


def _words(results: Results) -> Iterator[tuple[str, str]]:
    for backbone, arms in results.verdicts.items():
        for arm, conditions in arms.items():
            for condition, word in conditions.items():
                yield _path("verdict", backbone, arm, condition), word
    for backbone, utility in results.utility.items():
        for arm, word in utility.items():
            yield _path("utility_verdict", backbone, arm), word


def _number_names(numbers: Iterator[tuple[str, float]]) -> dict[str, float]:
    """Under names that trackers take; names that become the same get a number behind."""
    named: dict[str, float] = {}
    for name, value in numbers:
        free, n = name, 2
        while free in named:
            free, n = f"{name} {n}", n + 1
        named[free] = value
    return named


def _path(*parts: str) -> str:
    """Parts of a name with bars between them, none inside: MLflow makes folders of them."""
    return "/".join(ODD.sub("_", part) for part in parts if part)
