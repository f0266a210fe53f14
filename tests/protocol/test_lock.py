"""A lock stands, or the report names what does not: every digest, wherever it was changed."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from memtrial.cli.experiment.lock import lock as lock_run
from memtrial.cli.results.compare import compare_runs
from memtrial.cli.results.report import report_run
from memtrial.faults import RunFault, SpecFault
from memtrial.ledger.run_plan import UnmaskedLook, read_numbered, stated_plan
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.protocol.lock_check import Beside, check_lock
from memtrial.protocol.run_cells import read_played
from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.markdown_report import render_markdown
from memtrial.reports.render.terminal import print_results
from memtrial.runs.run_folder.code_digest import code_digests
from memtrial.runs.run_folder.lock_surroundings import beside_of
from memtrial.runs.run_folder.unmasked_look import note_unmasked
from memtrial.runs.spec.read_spec import load_spec
from memtrial.views.results.run_results import results
from tests.support import locked_run
from tests.support.another_hand import forged
from tests.support.carried_out import play_spec, run_spec
from tests.support.locked_run import SPEC
from tests.support.small import write_spec

Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def unplayed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return locked_run.unplayed(tmp_path_factory)


@pytest.fixture(scope="module")
def played(unplayed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same lock, played to its end."""
    place = tmp_path_factory.mktemp("played")
    folder = Path(shutil.copytree(unplayed, place / "out"))
    assert run_spec(load_spec(write_spec(place, SPEC)), folder, False, None, "none", True, False) == 0
    return folder


@pytest.fixture(scope="module")
def unlocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never locked, one block of it played."""
    place = tmp_path_factory.mktemp("unlocked")
    assert play_spec(load_spec(write_spec(place, SPEC)), place / "free", 1) == 0
    return place / "free"


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "copy"))


def in_file(*keys: str) -> Change:
    """Another digest in lock.json."""

    def change(folder: Path) -> None:
        body = json.loads((folder / "lock.json").read_text())
        node = body["frozen"]
        for key in keys[:-1]:
            node = node[key]
        assert keys[-1] in node
        node[keys[-1]] = "0" * 64
        (folder / "lock.json").write_text(json.dumps(body))

    return change


def in_ledger(statement: str) -> Change:
    """A row altered behind the ledger's back, and its seal with it: against a forger there is the lock."""
    return lambda folder: forged(folder / "ledger.sqlite", statement)


def in_spec(folder: Path) -> None:
    path = folder / "spec.resolved.yaml"
    path.write_text(path.read_text().replace("margin: 0.1", "margin: 0.2"))


def whole_file(**changed: str | None) -> Change:
    """Another value at the top of lock.json."""

    def change(folder: Path) -> None:
        body = json.loads((folder / "lock.json").read_text())
        (folder / "lock.json").write_text(json.dumps(body | changed))

    return change


def fact(name: str, key: str, value: str) -> Change:
    """Another value in a stated fact."""
    return in_ledger(f"UPDATE facts SET body = json_set(body, '$.{key}', {value}) WHERE name = '{name}'")


def body_of(table: str, key: str, value: str) -> Change:
    """Another value in one row of the artifact's inverted slots."""
    first = f"SELECT rowid FROM {table} WHERE arm = 'artifact' AND condition = 'corrupt_invert' LIMIT 1"
    return in_ledger(
        f"UPDATE {table} SET body = json_set(body_text(body), '$.{key}', {value}) WHERE rowid = ({first})"
    )


def broken_file(folder: Path) -> None:
    (folder / "lock.json").write_text("{")


ZEROS = f"'{'0' * 64}'"
SLOT = "slots: simulated/reader, artifact, corrupt_invert,"
NO_ITEMS = "json_set(body_text(body), '$.items', json('[]'))"
ITEMS = f"UPDATE condensations SET body = {NO_ITEMS} WHERE condenser = 'theory'"
CHANGES: dict[str, tuple[Change, str]] = {
    "world in the file": (in_file("digests", "world"), "lock.json: digests: world"),
    "bank in the file": (
        in_file("digests", "memory native, simulated/reader"),
        "lock.json: digests: memory native, simulated/reader:",
    ),
    "prompt in the file": (
        in_file("spec", "digest of prompt theory_draft"),
        "lock.json: spec: digest of prompt theory_draft",
    ),
    "code in the file": (in_file("code", "analysis"), "lock.json: code: analysis"),
    "rules in the file": (in_file("rules", "missing data"), "lock.json: rules: missing data"),
    "digest of the file": (whole_file(digest="f" * 64), "lock.json: digest"),
    "time of the file": (whole_file(made="2001-01-01"), "lock.json: made"),
    "no list of amendments": (whole_file(amendments=None), "lock.json: amendments: locked []"),
    "a key more in the file": (whole_file(more="x"), "lock.json: more: locked nothing, found x"),
    "no file": (lambda folder: (folder / "lock.json").unlink(), "lock.json: the file"),
    "no JSON": (broken_file, "lock.json: the file: locked "),
    "no object": (
        lambda folder: (folder / "lock.json").write_text("[]") and None,
        "lock.json: the file: locked ",
    ),
    "the spec": (in_spec, "spec.resolved.yaml: spec: analysis.margin: locked 0.1, found 0.2"),
    "world in the ledger": (fact("plan", "digests.world", ZEROS), "ledger: digests: world"),
    "alpha in the ledger": (fact("plan", "alpha", "0.2"), "ledger: plan: alpha: locked 0.05, found 0.2"),
    "prompt in the ledger": (
        fact("identity", '"digest of prompt react_turn"', ZEROS),
        "ledger: spec: digest of prompt react_turn",
    ),
    "a checked slot": (body_of("checks", "after", "'x'"), f"ledger: {SLOT}"),
    "what a check says": (
        body_of("checks", "passed", "json('false')"),
        "ledger: checks: simulated/reader, artifact, corrupt_invert: locked ",
    ),
    "what a check measured": (
        body_of("checks", "measured", "json('{}')"),
        "ledger: checks: simulated/reader, artifact, corrupt_invert: locked ",
    ),
    "the slot before": (body_of("checks", "before", "'x'"), "ledger: checks: simulated/reader, artifact,"),
    "a trace": (
        in_ledger("UPDATE traces SET body = json_set(body_text(body), '$.more', 1) WHERE rowid = 1"),
        "ledger: traces: simulated/reader: locked ",
    ),
    "the code of a session": (
        in_ledger(f"UPDATE sessions SET body = json_set(body, '$.code.episodes', {ZEROS}) WHERE number = 2"),
        "code of session 2: episodes: locked ",
    ),
    "a shown slot": (body_of("trials", "slot", "'x'"), f"trials: {SLOT}"),
    "a slot's text": (
        in_ledger(
            "UPDATE slots SET body = body_text(body) || '.' WHERE rowid = (SELECT max(rowid) FROM slots)"
        ),
        "slot texts: slots:",
    ),
    "a trial's key": (
        in_ledger("UPDATE trials SET key = 'other' WHERE rowid = (SELECT min(rowid) FROM trials)"),
        "ledger: trials: simulated/reader,",
    ),
    "a gate run": (in_ledger(ITEMS), "ledger: gate runs: theory, simulated/reader"),
}


def test_a_run_that_stands_as_it_was_locked_is_confirmatory(played: Path) -> None:
    said = json.loads((played / "results.json").read_text())
    assert said["status"] == "confirmatory"
    assert (said["lock"]["differences"], said["lock"]["amendments"]) == ([], [])
    assert said["lock"]["complete"]
    assert "confirmatory. The plan was locked before the first trial" in (played / "report.html").read_text()
    assert said["arms"] == ["none", "control", "artifact", "oracle"]
    body = json.loads((played / "lock.json").read_text())
    wanted = "spec|plan|digests|slots|same text in both arms|gate runs|order|trials|looks|primary family|size"
    assert set(body["frozen"]) == {*wanted.split("|"), "rules", "exploratory analyses", "code", "made with",
                                   "clusters", "checks", "traces"}  # fmt: skip
    assert len(body["frozen"]["order"]["tasks"]) == 5
    assert body["trials"] == 0
    slots = body["frozen"]["slots"]["simulated/reader"]["artifact"]
    shown = [one for cell in slots.values() for task in cell.values() for one in task.values()]
    assert {len(one) for one in shown} <= {0, 64}  # none where a kind does not apply
    assert str(played.parent) not in (played / "lock.json").read_text()


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_changed_the_report_says_exploratory_and_names_it(folder: Path, change: str) -> None:
    alter, named = CHANGES[change]
    alter(folder)
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    plan = stated_plan(ledger)
    lock = check_lock(ledger, plan, read_played(ledger, plan), beside_of(folder, ledger), True)
    ledger.close()
    assert lock.locked
    assert not lock.confirmatory
    lines = [one.says for one in lock.differences]
    assert any(line.startswith(named) for line in lines), lines
    # little else is named: the reader is not sent looking
    assert len(lines) <= 3 or change == "a gate run"
    assert lock.says.startswith(f"Exploratory: not as it was locked: {lines[0]}")


def test_every_form_of_the_report_names_what_was_changed(folder: Path) -> None:
    in_file("digests", "world")(folder)
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    said = results(ledger, beside_of(folder, ledger))
    ledger.close()
    assert said.status == "exploratory"
    shown = StringIO()
    print_results(said, Console(width=400, file=shown))
    line = "lock.json: digests: world: locked "
    for text in (said.lock.says, render_html(said), render_markdown(said), shown.getvalue()):
        assert "xploratory" in text
        assert line in text


def test_other_code_is_named_by_its_room(played: Path) -> None:
    ledger = SqliteLedger.open_read_only(played / "ledger.sqlite")
    beside = beside_of(played, ledger)
    assert isinstance(beside, Beside)
    other = replace(beside, code={**beside.code, "analysis": "0" * 64})
    said = results(ledger, other).lock
    assert [one.key for one in said.differences] == ["analysis"]
    assert said.says.startswith("Exploratory: not as it was locked: code: analysis: locked ")
    # a ledger read without its folder claims nothing
    assert results(ledger).status == "exploratory"
    ledger.close()


def test_a_digest_of_code_sees_every_byte_and_every_name(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for room in code_digests():
        (one / room).mkdir(parents=True)
        (one / room / "a.py").write_text("x = 1\n")
    shutil.copytree(one, other)
    before = code_digests(one)
    (other / "gates" / "a.py").write_text("x = 2\n")
    (other / "arms" / "a.py").rename(other / "arms" / "b.py")
    (other / "runs" / "notes.md").write_text("no source")
    after = code_digests(other)
    assert {room for room in before if before[room] != after[room]} == {"gates", "arms"}


def test_a_lock_is_never_rewritten_and_comes_before_the_first_trial(
    folder: Path, unlocked: Path, tmp_path: Path
) -> None:
    spec = load_spec(write_spec(tmp_path, SPEC))
    before = (folder / "lock.json").read_bytes()
    with pytest.raises(SpecFault, match=r"is locked since .* never rewritten"):
        lock_run(spec, out=folder, display="none", as_json=True)
    assert (folder / "lock.json").read_bytes() == before
    (folder / "lock.json").unlink()
    with pytest.raises(SpecFault, match="was missing and is written again"):
        lock_run(spec, out=folder, display="none", as_json=True)
    assert (folder / "lock.json").read_bytes() == before
    free = Path(shutil.copytree(unlocked, tmp_path / "free"))
    with pytest.raises(SpecFault, match="before the first trial; 10 trials played"):
        lock_run(spec, out=free, display="none", as_json=True)
    with pytest.raises(SpecFault, match="lock it first"):
        lock_run(spec, out=free, display="none", as_json=True, amend="why not")
    with pytest.raises(SpecFault, match="mode: stream"):
        lock_run(
            load_spec(write_spec(tmp_path, SPEC + "mode: stream\n")),
            out=tmp_path / "s",
            display="none",
            as_json=True,
        )
    many = load_spec(write_spec(tmp_path, SPEC), ["analysis.looks=9"])
    with pytest.raises(RunFault, match=r"analysis.looks: 9 looks need"):
        lock_run(many, out=tmp_path / "l", display="none", as_json=True)


def test_another_analysis_of_a_locked_run_is_an_amendment_and_nothing_else_is(
    folder: Path, tmp_path: Path
) -> None:
    other = load_spec(write_spec(tmp_path, SPEC), ["analysis.margin=0.2"])
    with pytest.raises(SpecFault, match=r"analysis.margin \(0.1 -> 0.2\).*--amend REASON"):
        run_spec(other, folder, False, None, "none", True, False)
    more = load_spec(write_spec(tmp_path, SPEC), ["environment.test=9"])
    with pytest.raises(SpecFault, match=r"environment.test"):
        lock_run(more, out=folder, display="none", as_json=True, amend="more tasks")
    with pytest.raises(SpecFault, match="a reason"):
        lock_run(other, out=folder, display="none", as_json=True, amend="  ")
    lock_run(other, out=folder, display="none", as_json=True, amend="the margin of the field")
    body = json.loads((folder / "lock.json").read_text())
    (amendment,) = body["amendments"]
    played = json.loads((folder / "results.json").read_text())["cells"]
    assert amendment["trials"] == sum(one["n_trials"] for one in played) > 5 * 2 * 8
    assert amendment["changes"]["spec: analysis.margin"] == [0.1, 0.2]
    assert amendment["changes"]["plan: margin"] == [0.1, 0.2]
    assert run_spec(other, folder, False, None, "none", True, False) == 0
    said = json.loads((folder / "results.json").read_text())
    assert (said["status"], said["margin"], said["lock"]["differences"]) == ("exploratory", 0.2, [])
    line = said["lock"]["amendments"][0]["says"]
    assert "spec: analysis.margin: 0.1 → 0.2" in line
    assert "the margin of the field" in (folder / "report.md").read_text()
    assert body["amendments"][0]["made"] not in (folder / "results.json").read_text()
    # and back again: the plan in force is the first one
    lock_run(
        load_spec(write_spec(tmp_path, SPEC)), out=folder, display="none", as_json=True, amend="as it was"
    )
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    assert stated_plan(ledger).margin == 0.1
    ledger.close()


def test_arms_are_masked_until_the_locked_data_are_complete(
    unplayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(unplayed, tmp_path / "copy"))
    spec = load_spec(write_spec(tmp_path, SPEC))
    assert play_spec(spec, folder, 6) == 0
    said = json.loads((folder / "results.json").read_text())
    assert said["arms"] == ["none", "arm 1", "arm 2", "arm 3"]
    assert {row["arm"] for row in said["estimates"]} == {"arm 1", "arm 2", "arm 3"}
    keys = "estimates cells verdicts utility hypotheses differences monitoring divergence errors"
    scores = json.dumps([said[key] for key in keys.split()])
    assert not any(f': "{name}"' in scores for name in ("control", "artifact", "oracle"))
    assert '"oracle"' not in scores
    assert all(row["verdict"] == "inconclusive" for row in said["hypotheses"])
    assert said["status"] == "confirmatory"
    report_run(folder, True)
    assert json.loads((folder / "results.json").read_text()) == said
    capsys.readouterr()
    compare_runs(folder, folder, True)
    assert '"control"' not in json.dumps(json.loads(capsys.readouterr().out)["estimates"])
    assert "confirmatory. The plan" in (folder / "report.html").read_text()
    report_run(folder, True, unmask=True)
    seen = json.loads((folder / "results.json").read_text())
    assert seen["arms"] == ["none", "control", "artifact", "oracle"]
    done = sum(one["n_trials"] for one in seen["cells"])
    assert seen["lock"]["unmasked_looks"] == [{"trials": done, "by": "report"}]
    by_mask = {row["score"] for row in said["cells"]}
    assert {row["score"] for row in seen["cells"]} == by_mask
    assert play_spec(spec, folder) == 0
    done = json.loads((folder / "results.json").read_text())
    assert (done["status"], done["arms"]) == ("confirmatory", seen["arms"])
    assert any("unmasked before" in note for note in done["notes"])
    note_unmasked(folder, "report")  # nothing is masked any more, and nothing is noted
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    assert len(read_numbered(ledger, UnmaskedLook)) == 1
    ledger.close()


def test_a_run_without_a_lock_is_as_it_was(unlocked: Path, tmp_path: Path) -> None:
    shutil.copytree(unlocked, tmp_path / "free")
    assert play_spec(load_spec(write_spec(tmp_path, SPEC)), tmp_path / "free", 3) == 0
    said = json.loads((tmp_path / "free" / "results.json").read_text())
    assert said["status"] == "exploratory"
    none = {"locked": False, "confirmatory": False, "file_left": False}
    assert none.items() <= said["lock"].items()
    assert not said["lock"]["digest"]
    assert said["arms"] == ["none", "control", "artifact", "oracle"]
    for body in ("{",):
        (tmp_path / "free" / "lock.json").write_text(body)
        ledger = SqliteLedger.open_read_only(tmp_path / "free" / "ledger.sqlite")
        left = results(ledger, beside_of(tmp_path / "free", ledger))
        ledger.close()
        assert "states no lock" in left.lock.says
        shown = StringIO()
        print_results(left, Console(width=400, file=shown))
        for text in (shown.getvalue(), render_html(left), render_markdown(left)):
            assert "exploratory: a lock.json lies beside the ledger, which states no lock" in text
            assert "no plan was locked before" not in text
