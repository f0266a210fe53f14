"""Reading a locked run: what is masked, what is noted, and what is said of rows that no run writes."""

import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from memtrial.api.probe.prepared_probe import prepare_probe
from memtrial.api.probe.probe import probe
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.cli.experiment.lock import lock as lock_run
from memtrial.cli.results.compare import compare_runs
from memtrial.cli.results.export import export_run
from memtrial.cli.results.report import report_run
from memtrial.cli.results.show import show_run
from memtrial.cli.results.status import show_status
from memtrial.faults import SpecFault
from memtrial.ledger.run_plan import UnmaskedLook, read_numbered
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.run_folder.folder import alone_in
from memtrial.runs.run_folder.lock_surroundings import beside_of
from memtrial.runs.spec.read_spec import load_spec
from memtrial.views.results.run_results import results
from memtrial.views.rows.results import Results
from tests.support.another_hand import forged
from tests.support.carried_out import play_spec
from tests.support.locked_run import SPEC, unplayed
from tests.support.small import write_spec


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A locked run, six of its ten blocks played."""
    place = tmp_path_factory.mktemp("begun")
    folder = Path(shutil.copytree(unplayed(tmp_path_factory), place / "out"))
    assert play_spec(load_spec(write_spec(place, SPEC)), folder, 6) == 0
    return folder


@pytest.fixture
def folder(begun: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(begun, tmp_path / "copy"))


def noted(folder: Path) -> list[str]:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    found = [one.by for one in read_numbered(ledger, UnmaskedLook)]
    ledger.close()
    return found


def altered(folder: Path, statement: str) -> None:
    forged(folder / "ledger.sqlite", statement)


def test_masked_hypotheses_do_not_tell_which_pair_was_declared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = json.loads((folder / "results.json").read_text())
    masked = ["arm 1", "arm 2", "arm 3"]
    pairs = [(one, other) for place, one in enumerate(masked) for other in masked[place + 1 :]]
    contrasts = [row for row in said["estimates"] if row["estimand"] == "contrast"]
    assert {(row["arm"], row["versus"]) for row in contrasts} == set(pairs)
    for rows in (said["hypotheses"], said["monitoring"]["hypotheses"]):
        assert {(row["treatment"], row["control"]) for row in rows} == set(pairs)
    capsys.readouterr()
    show_status(folder, False)
    text = capsys.readouterr().out
    assert [f"{one} - {other}" in text for one, other in pairs] == [True] * 3
    assert not any(f"{other} - {one}" in text for one, other in pairs)


def test_a_raw_look_is_noted_and_said(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    show_run(folder, None, True, arm="artifact")
    assert "is noted in the ledger" in capsys.readouterr().err
    export_run(folder, tmp_path / "tables")
    assert noted(folder) == ["show", "export"]
    report_run(folder, True)
    said = json.loads((folder / "results.json").read_text())
    done = sum(one["n_trials"] for one in said["cells"])
    assert said["lock"]["unmasked_looks"] == [{"trials": done, "by": by} for by in ("show", "export")]
    assert said["arms"] == ["none", "arm 1", "arm 2", "arm 3"]


def test_masked_runs_side_by_side_have_a_row_for_each_name(
    begun: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    compare_runs(begun, begun, False)
    heads, *rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()[-5:]]
    assert heads[0] == "arm"
    # calls follow success, so they stand under the masked names as errors do, and no row is half empty
    assert sorted(row[0] for row in rows) == ["arm 1", "arm 2", "arm 3", "none"]
    assert "n/a" not in str(rows)


def report(folder: Path) -> None:
    report_run(folder, True)


def status(folder: Path) -> None:
    show_status(folder, False)


def compare(folder: Path) -> None:
    compare_runs(folder, folder, False)


ONE = "(SELECT min(rowid) FROM trials WHERE arm = 'control' AND condition = 'intact')"
TWO = f"""UPDATE trials SET (task, repeat) = (SELECT task, repeat FROM trials WHERE rowid = {ONE})
WHERE rowid = (SELECT max(rowid) FROM trials WHERE arm = 'control' AND condition = 'intact')"""


@pytest.mark.parametrize("verb", [report, status, compare])
@pytest.mark.parametrize(
    ("statement", "said"),
    [(TWO, "holds each trial once is needed"), ("UPDATE trials SET score = 7", r"scores in \[0, 1\]")],
)
def test_rows_that_no_run_writes_are_one_clear_line(
    folder: Path, verb: Callable[[Path], None], statement: str, said: str
) -> None:
    altered(folder, statement)
    with pytest.raises(SpecFault, match=said):
        verb(folder)


def test_sessions_that_played_nothing_need_no_locked_code(folder: Path) -> None:
    # session 1 prepared and locked; 2 played
    altered(folder, "UPDATE sessions SET body = json_set(body, '$.code.arms', 'x') WHERE number = 1")
    assert found(folder).status == "confirmatory"
    altered(folder, "UPDATE sessions SET body = json_set(body, '$.code.arms', 'x') WHERE number = 2")
    said = found(folder)
    assert said.status == "exploratory"
    assert [(one.where, one.key) for one in said.lock.differences] == [("code of session 2", "arms")]


def found(folder: Path) -> Results:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    said = results(ledger, beside_of(folder, ledger))
    ledger.close()
    return said


class Gone(StringIO):
    """A pipe that nobody reads."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def test_a_reader_that_goes_away_is_no_fault_of_the_folder(tmp_path: Path) -> None:
    spec = load_spec(write_spec(tmp_path, SPEC), ["environment.train=4", "environment.test=2"])
    with redirect_stdout(Gone()), pytest.raises(BrokenPipeError):
        lock_run(spec, out=tmp_path / "out", display="none")
    assert (tmp_path / "out" / "lock.json").is_file()


def test_a_probe_notes_that_arms_are_seen_only_when_it_begins_to_ask(folder: Path, tmp_path: Path) -> None:
    options = ProbeOptions(arms=("oracle",), calls=12, out=tmp_path / "probe")
    prepare_probe(folder, options)
    (tmp_path / "probe").mkdir()
    with alone_in(tmp_path / "probe"), pytest.raises(SpecFault, match="another run is going on"):
        probe(folder, options)
    (tmp_path / "file").touch()
    with pytest.raises(SpecFault, match="is a file"):
        probe(folder, replace(options, out=tmp_path / "file"))
    assert noted(folder) == []
    ended = probe(folder, options)
    assert {arm.arm for arm in ended.results.arms} == {"oracle"}
    assert noted(folder) == ["probe"]
