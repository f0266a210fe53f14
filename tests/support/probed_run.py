"""A small run whose decisions are asked again."""

from pathlib import Path

import pytest

from memtrial.api.run import RunOptions
from memtrial.api.run import run as carry_out
from memtrial.console.display import Display
from tests.support.once import once

SPEC = """
name: probed
seed: 5
environment: {world: workshop, train: 6, test: 12}
backbone: simulated/reader?uptake=0.6
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer}
arms: [none, planted-native, planted-activation, oracle]
conditions: [corrupt_invert, counter]
repeats: 1
draws: one
analysis: {flips: 199}
"""


def probed_run(factory: pytest.TempPathFactory, agent: str = "react") -> Path:
    """The folder of the run; it is copied, never changed."""

    def make(folder: Path) -> None:
        spec = folder / "probed.yaml"
        spec.write_text(f"{SPEC}agent: {agent}\n", encoding="utf-8")
        carry_out(spec, RunOptions(folder / "run", report=False), Display("none"))

    return once(factory, f"probed-{agent}", make) / "run"
