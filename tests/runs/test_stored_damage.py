"""Damage done inside a store that composes what it shows: what stands in the prompt is what it gave."""

from pathlib import Path

import pytest

from memtrial.faults import RunFault
from memtrial.ledger.rows import CheckRow, TrialRow
from memtrial.ledger.run_plan import plan_in_force
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.damaged_stores import IN_STORE
from memtrial.runs.trials.stored_damage import NOT_HONOURED
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

SHELF = Path(__file__).parents[1] / "support" / "composed_shelf.py"
SPEC = f"""
name: composed
seed: 3
environment: {{world: workshop, train: 8, test: 4}}
backbone: simulated/reader
traces: {{source: expert, expert_share: 1.0}}
retrieval: {{k: 2}}
arms: [none, {{name: shelf, memory: "{SHELF}:Shelf", settings: {{conduct: CONDUCT}}}}]
conditions: [corrupt_mask, instructed]
repeats: 1
"""
RATED = "[rated 1] "
NAMED = (
    "and 8 damaged slots read from it; 4 of them were not what had been put in. Shown was what it gave, where"
    " the manipulation check held."
)


def play(folder: Path, conduct: str) -> int:
    return play_spec(load_spec(write_spec(folder, SPEC.replace("CONDUCT", conduct))), folder / "out")


def ledger_of(folder: Path) -> SqliteLedger:
    return SqliteLedger.open_read_only(folder / "out" / "ledger.sqlite")


def rows_of(folder: Path) -> tuple[list[TrialRow], list[CheckRow], dict[str, str], tuple[str, ...]]:
    """Trials of the arm, checks, by digest the slots that were shown, and the plan's notes."""
    ledger = ledger_of(folder)
    trials = [trial for trial in ledger.trials() if trial.arm == "shelf"]
    slots = {trial.slot: ledger.slot(trial.slot) or "" for trial in trials}
    plan = plan_in_force(ledger)
    assert plan is not None
    rows = trials, list(ledger.checks()), slots, tuple(note for note in plan.notes if "in its store" in note)
    ledger.close()
    return rows


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("composed")
    assert play(folder, "''") == 0
    return folder


def test_a_store_is_damaged_in_what_it_holds_and_shows_what_it_composes_of_it(played: Path) -> None:
    trials, checks, slots, notes = rows_of(played)
    masked = [slots[trial.slot] for trial in trials if trial.condition == "corrupt_mask"]
    intact = [slots[trial.slot] for trial in trials if trial.condition == "intact"]
    assert len(masked) == len(intact) == 4
    for text in (*masked, *intact):
        assert text.count(RATED) == 2, "what the store itself writes is not damaged"
    assert not {*masked} & {*intact}
    assert all("this worked" in text for text in intact)
    assert {check.measured["in_store"] for check in checks} == {""}
    assert all(check.applicable and check.passed for check in checks)
    assert [trial.undelivered for trial in trials] == [0] * len(trials)
    assert len(notes) == 1
    assert notes[0].endswith("8 damaged slots read from it; each was what had been put in.")


@pytest.mark.parametrize(
    ("conduct", "how"), [("drops", "1 of 2 items dropped"), ("deaf", "2 of 2 items rewritten")]
)
def test_a_store_that_does_not_take_what_is_put_in_is_named_and_not_played(
    tmp_path: Path, conduct: str, how: str
) -> None:
    assert play(tmp_path, conduct) == 0
    trials, checks, _, notes = rows_of(tmp_path)
    masks = [check for check in checks if check.condition == "corrupt_mask"]
    assert {check.reason.partition(":")[0] for check in masks} == {f"{NOT_HONOURED} ({how})"}
    assert not any(check.applicable for check in masks)
    assert {trial.condition for trial in trials} == {"intact", "instructed"}
    assert notes == (f"shelf: damage was done in its store, {NAMED} The first: {how}.",)


@pytest.mark.parametrize(
    ("conduct", "how"),
    [("signs", "2 of 2 items rewritten"), ("turned", "2 of 2 items out of their order")],
)
def test_what_a_store_makes_of_the_damage_is_shown_where_the_check_holds_and_named(
    tmp_path: Path, conduct: str, how: str
) -> None:
    assert play(tmp_path, conduct) == 0
    trials, checks, slots, notes = rows_of(tmp_path)
    masks = [check for check in checks if check.condition == "corrupt_mask"]
    assert all(how in (check.measured["in_store"] if check.applicable else check.reason) for check in masks)
    assert any(check.applicable for check in masks)
    if conduct == "signs":
        shown = [slots[trial.slot] for trial in trials if trial.condition == "corrupt_mask"]
        assert all(f"{RATED}iN " in text for text in shown), "what it gave, not what was put in"
    assert notes == (f"shelf: damage was done in its store, {NAMED} The first: {how}.",)


def test_a_store_that_cannot_be_put_back_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(RunFault, match="is not what it was before the damage, though all its texts"):
        play(tmp_path, "sticks")


def two_sessions(folder: Path, written: str, replaced: str) -> tuple[Spec, Path]:
    """The spec of a store that behaves otherwise once the second path is there: as these lines say."""
    mark = folder / "second"
    code = SHELF.read_text(encoding="utf-8").replace('"""\n\nfrom', '"""\n\nimport os\n\nfrom', 1)
    for place, line in (
        ("            self.queries[", written),
        ('        if self.conduct == "deaf"', replaced),
    ):
        indent = " " * (len(place) - len(place.lstrip()))
        code = code.replace(place, f"{indent}second = os.path.exists({str(mark)!r})\n{indent}{line}\n{place}")
    (folder / "shelf.py").write_text(code, encoding="utf-8")
    text = SPEC.replace(str(SHELF), str(folder / "shelf.py")).replace("CONDUCT", "''")
    return load_spec(write_spec(folder, text)), mark


def test_a_run_that_goes_on_shows_what_was_read_and_asks_no_store(tmp_path: Path) -> None:
    spec, second = two_sessions(tmp_path, "assert not second", "assert not second")
    assert play_spec(spec, tmp_path / "out", limit=1) == 0
    ledger = ledger_of(tmp_path)
    assert len(ledger.recollections("simulated/reader", f"shelf{IN_STORE}")) == 8
    ledger.close()
    second.touch()
    assert play_spec(spec, tmp_path / "out") == 0
    trials, checks, *_ = rows_of(tmp_path)
    assert len(trials) == 12
    assert all(check.passed for check in checks)


def test_a_store_that_is_filled_otherwise_in_a_later_session_is_named(tmp_path: Path) -> None:
    """A run that was broken off between recall and damage, of a writer that does not repeat itself."""
    write = "self.notes[trajectory.trace_id] += ' Again.' * second"
    spec, second = two_sessions(tmp_path, write, "assert second, 'broken off'")
    with pytest.raises(RunFault, match="raised AssertionError: broken off"):
        play_spec(spec, tmp_path / "out")
    second.touch()
    with pytest.raises(RunFault, match="holds other items than when it was first asked"):
        play_spec(spec, tmp_path / "out")
