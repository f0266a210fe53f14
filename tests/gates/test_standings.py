"""Which judge of a run blocks: by what the spec names, and not with an instruction that was tuned."""

from pathlib import Path

from memtrial.gates.suite import NAMES, SEED_SUBSET
from memtrial.runs.setup.model_roles import gate_standings, shipped_calibrations

JUDGE = "simulated/examiner"


def test_a_tuned_question_is_not_the_one_that_was_calibrated() -> None:
    before, after = (gate_standings(JUDGE, None, 2048, None, tuned) for tuned in ((), (NAMES[0],)))
    assert all(before[name].blocks for name in SEED_SUBSET)
    assert [name for name in before if before[name] != after[name]] == [NAMES[0]]
    assert not after[NAMES[0]].blocks


def test_a_calibration_that_a_spec_names_counts_for_its_own_judge(tmp_path: Path) -> None:
    (held,) = (one for one in shipped_calibrations() if one.judge == JUDGE)
    assert not any(
        one.blocks for name, one in gate_standings("a/b", 0.0, 2048, None).items() if name in SEED_SUBSET
    )
    failed = held.model_copy(
        update={"gates": tuple(row.model_copy(update={"passed": False}) for row in held.gates)}
    )
    (tmp_path / "own.json").write_text(failed.model_dump_json())
    own = gate_standings(JUDGE, None, 2048, tmp_path / "own.json")
    assert not any(own[name].blocks for name in SEED_SUBSET)
