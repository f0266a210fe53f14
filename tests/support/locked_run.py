"""A small run that is locked before it is played."""

from pathlib import Path

from loadbearing.cli.experiment.lock import lock as lock_run
from loadbearing.runs.spec.load import load_spec
from tests.support.carried_out import run_spec
from tests.support.small import write_spec

SPEC = """
name: locked
seed: 3
environment: {world: workshop, train: 24, test: 8}
backbone: [simulated/reader]
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 4}
arms: [none, control, artifact, oracle]
conditions: [corrupt_invert, irrelevant_swap]
repeats: 2
analysis: {flips: 199}
"""


def locked(place: Path, text: str = SPEC, play: bool = True, limit: int | None = None) -> Path:
    """Its folder.

    Args:
        limit: blocks to play; None for all.
    """
    spec = load_spec(write_spec(place, text))
    lock_run(spec, out=place / "out", display="none", as_json=True)
    if play:
        assert run_spec(spec, place / "out", False, limit, "none", True, False) == 0
    return place / "out"
