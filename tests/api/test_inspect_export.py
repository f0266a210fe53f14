"""A run as a log that Inspect's own reader opens."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from memtrial.api.interchange.inspect_export import export_inspect
from memtrial.faults import SpecFault
from memtrial.runs.run_folder.folder import open_for_reading
from tests.support.exchanged_run import NAME, play_exchanged
from tests.support.once import once

PACKAGE = find_spec("inspect_ai") is not None


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "exchanged", play_exchanged) / NAME


@pytest.mark.skipif(not PACKAGE, reason="pip install 'memtrial[inspect]' brings Inspect")
@pytest.mark.parametrize("form", [".eval", ".json"])
def test_inspect_reads_every_trial_with_its_condition(folder: Path, tmp_path: Path, form: str) -> None:
    from inspect_ai.log import read_eval_log

    out = tmp_path / f"run{form}"
    n = export_inspect(folder, out)
    log = read_eval_log(str(out))
    samples = {(sample.metadata["task"], sample.metadata["arm"], sample.metadata["condition"], sample.epoch):
               sample for sample in log.samples}  # fmt: skip
    with open_for_reading(folder) as (_, ledger):
        rows = list(ledger.trials())
        assert len(samples) == len(rows) == n
        for row in rows:
            sample = samples[row.task, row.arm, row.condition, row.repeat + 1]
            assert sample.scores["score"].value == row.score
            assert sample.scores["success"].value == ("C" if row.status == "success" else "I")
            shown = ledger.slot(row.slot) or ""
            assert sample.metadata["memory"] == shown
            assert sample.messages
            assert shown in sample.messages[0].text
    means = {score.name: score.metrics for score in log.results.scores}
    solved = [row.score for row in rows if (row.arm, row.condition) == ("artifact", "intact")]
    assert means["score"]["artifact, intact"].value == pytest.approx(sum(solved) / len(solved))
    assert list(tmp_path.iterdir()) == [out]


def test_what_inspect_cannot_read_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=r"\.eval or \.json"):
        export_inspect(folder, tmp_path / "run.csv")
    if not PACKAGE:
        with pytest.raises(SpecFault, match=r"memtrial\[inspect\]"):
            export_inspect(folder, tmp_path / "run.eval")
