"""Codex before scripted models of known disposition: read, heeded without being read, and never given."""

import shutil
from dataclasses import replace

import pytest

from memtrial.cli.experiment.run import exit_code
from memtrial.coding_agents.shipped_agents import find_agent
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from tests.support.known_models import KNOWN
from tests.support.known_trials import ASKED, play_model

TURNED = ("corrupt_invert",)
SOLVED = {
    "reads": {WITHOUT: 0.0, INTACT: 1.0, "corrupt_invert": 0.0},
    "heeds mention": {WITHOUT: 0.0, INTACT: 1.0, "corrupt_invert": 1.0},
    "is never given it": dict.fromkeys((WITHOUT, INTACT, *TURNED), 0.0),
}


@pytest.mark.skipif(shutil.which("codex") is None, reason=f"not here: {find_agent('codex').install}")
@pytest.mark.parametrize("name", SOLVED)
def test_what_reaches_the_real_client_decides_and_what_never_did_is_said(tmp_path, capsys, name):
    known = next(known for known in KNOWN if known.name == name)
    played = play_model("codex", known, tmp_path, 1, replace(ASKED, conditions=TURNED), slip=0.0)
    assert {cost.condition: cost.solved for cost in played.end.costs} == SOLVED[name]
    assert played.wrong == {}
    assert played.results.simulated
    missed, carrying = played.undelivered
    assert (missed, carrying >= 2) == (0 if known.given else carrying, True)
    assert exit_code(played.end.run, require_decision=False) == (0 if known.given else 1)
    assert ("MEMORY TEXT DID NOT REACH THE PROMPT" in capsys.readouterr().err) != known.given
    if not known.given:
        named = {(trial.condition, trial.task) for trial in played.results.delivery.trials}
        assert named
        assert WITHOUT not in {condition for condition, _ in named}
        assert played.said["utility"] == "untestable"
