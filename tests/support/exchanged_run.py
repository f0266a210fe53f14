"""A small run whose banks, trials and results go out to other programs; it is read, never changed."""

from pathlib import Path

from memtrial.api.run import RunOptions, run

NAME = "run"
SPEC = {
    "name": "exchanged",
    "environment": {"world": "workshop", "train": 6, "test": 4},
    "backbone": "simulated/reader",
    "roles": {"condenser": "simulated/scribe"},
    "arms": ["none", "control", "artifact"],
    "conditions": ["corrupt_invert"],
    "repeats": 2,
}


def play_exchanged(folder: Path) -> None:
    run(SPEC, RunOptions(out=folder / NAME, report=False))  # type: ignore[arg-type]
