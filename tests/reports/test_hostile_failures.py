"""Failures whose trajectories are very long, empty or junk: a table, a worked case or one clear line."""

from pathlib import Path
from typing import Any

import pytest

from memtrial.api.failures import blind_cases, failures
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from tests.support.verb_ledger import PLAN

JUNK = "\x00\x1b[2J\x7f\uffff" * 40
Steps = tuple[dict[str, Any], ...]


def steps(n: int, action: str, seen: str = "Nothing happens.") -> Steps:
    return ({"thought": "I try.", "action": action, "observation": seen, "fault": ""},) * n


def filled(folder: Path, solved: Steps, failed: Steps, slot: str) -> Path:
    arm = next(one for one in PLAN["arms"] if one != "none")
    ledger = SqliteLedger(folder / "ledger.sqlite")
    ledger.state("plan", PLAN)
    rows, said = [], []
    for task in ("t0", "t1"):
        for name, condition, status, own in (
            ("none", "without", "success", solved),
            (arm, "intact", "failure", failed),
        ):
            key = f"{name} {task}"
            score = float(status == "success")
            place = (PLAN["backbones"][0], name, condition, task, "f", 0, status, score)
            rows.append(TrialRow(key, *place, "", "" if name == "none" else "s", False, "", carrying=1))
            told = ({"role": "system", "content": "Rules."}, {"role": "user", "content": f"Task: {task}"})
            said.append(EpisodeRow(key, told, own, ()))
    ledger.add_slots({"s": slot})
    ledger.add_trials(rows, said)
    ledger.close()
    return folder


@pytest.mark.parametrize(
    ("solved", "failed", "slot"),
    [
        (
            steps(10_000, "press the red stud"),
            steps(10_000, "look into the attic"),
            "Notes.\n\nDo look into the attic.",
        ),
        (steps(3, "press the red stud"), (), "Notes.\n\nDo this."),
        ((), (), "Notes.\n\nDo this."),
        (steps(50, "press"), steps(50, JUNK, JUNK), JUNK),
        (steps(3, "press the stud"), steps(3, ""), ""),
    ],
    ids=["10,000 steps", "no step", "no steps at all", "junk", "nothing said"],
)
def test_whatever_was_done_there_is_a_result(tmp_path: Path, solved: Steps, failed: Steps, slot: str) -> None:
    run = filled(tmp_path, solved, failed, slot)
    found = failures(run, coder="rules")
    assert found.cases == 2
    assert len(list(blind_cases(run))) == 2
    assert all("needs at least" in row.says for row in found.predictors)
    for one in found.worked:
        assert len(one.steps) <= 7
        assert all(len(step.failed) < 300 for step in one.steps)
    assert failures(run) == found
