"""A small run that is locked before it is played."""

from pathlib import Path

import pytest

from memtrial.cli.experiment.lock import lock as lock_run
from memtrial.runs.spec.read_spec import load_spec
from tests.support.once import once
from tests.support.small import write_spec

SPEC = """
name: locked
seed: 3
environment: {world: workshop, train: 8, test: 5}
backbone: [simulated/reader]
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 4}
condensers: {native: {kind: native}, theory: {kind: theory, gates: [trigger-presence, claim-strength]}}
arms: [none, control, artifact, oracle]
conditions: [corrupt_invert, irrelevant_swap]
repeats: 2
analysis: {flips: 199}
"""


def locked(place: Path, text: str = SPEC) -> Path:
    """Its folder, before the first trial."""
    lock_run(load_spec(write_spec(place, text)), out=place / "out", display="none", as_json=True)
    return place / "out"


def unplayed(factory: pytest.TempPathFactory) -> Path:
    """The one that all tests of a run copy."""
    return once(factory, "locked", locked) / "out"
