"""The spec of runs that are long by the number of their tasks, of any participants."""

from pathlib import Path

_SPEC = """
name: long
seed: 3
environment: {{world: workshop, train: {train}, test: {tasks}}}
backbone: [{backbones}]
roles: {{condenser: simulated/scribe, gate: simulated/examiner}}
traces: {{source: play, player: simulated/ignorer}}
arms: [none, control, artifact, activation]
conditions: [without, corrupt_invert, paraphrase]
repeats: 2
draws: one
"""
CELLS = 20
"""Trials of a task by each backbone: two repeats of ten cells."""


def write_long_spec(place: Path, train: int, tasks: int, backbones: tuple[str, ...], more: str = "") -> Path:
    """The file in this folder; `more` are further lines."""
    path = place / "spec.yaml"
    path.write_text(_SPEC.format(train=train, tasks=tasks, backbones=", ".join(backbones)) + more)
    return path
