"""A small experiment for tests: every room, few trials."""

from pathlib import Path

SPEC = """
name: small
seed: 3
environment: {world: workshop, train: 24, test: 8}
backbone: [simulated/reader, simulated/ignorer]
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 4}
arms: [none, control, artifact, activation, oracle]
conditions: [without, empty, filler, corrupt_mask, corrupt_invert, irrelevant_swap]
repeats: 2
"""
FEW = (
    SPEC.replace("train: 24, test: 8", "train: 6, test: 2")
    .replace("repeats: 2", "repeats: 1")
    .replace("without, empty, filler, corrupt_mask, corrupt_invert, irrelevant_swap", "corrupt_invert")
    .replace("[simulated/reader, simulated/ignorer]", "simulated/reader")
)
"""All arms, so that what is loaded is the same; far fewer trials and figures."""


def write_spec(folder: Path, text: str = SPEC, name: str = "small.yaml") -> Path:
    """The spec as a file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
