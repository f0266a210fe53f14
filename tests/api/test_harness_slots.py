"""Slots that go out to a harness and come back: the report of a run, and whatever is wrong is named."""

import json
import shutil
from collections.abc import Callable, Iterable
from contextlib import chdir, closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from memtrial.api.harness.harness_slots import export_slots, import_outcomes
from memtrial.api.run import RunOptions, run
from memtrial.api.shown.loaded_results import load
from memtrial.cli.experiment.lock import lock as lock_run
from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger, open_ledger_to_read
from memtrial.ledger.run_plan import Amendment, add_numbered
from memtrial.outcomes.sheet import sheet_of
from memtrial.outcomes.slots.slot_outcomes import read_slot_table
from memtrial.outcomes.table_fault import TableFault
from memtrial.runs.spec.read_spec import load_spec

NOTES = "When the lamp is red, press the green button.\nWhen the bell rings, open the north door.\n"
ANSWERS = {"lamp": "press the green button", "bell": "open the north door"}
SPEC = """
name: mine
environment: {{world: given, tasks: tasks.jsonl}}
agent: {agent}
backbone: own/mine
arms: [none, {{name: notes, memory: notes.md}}, {{name: blank, memory: blank.md}}]
conditions: [counter, corrupt_invert, irrelevant_generic]
repeats: 2
analysis: {{pairs: [[notes, blank]], flips: 199}}
"""
AGENT = """
def agent(task, memory):
    notes = [line for line in memory.text.splitlines() if task["family"] in line]
    return any(task["answer"] in note.lower() and "never" not in note for note in notes)
"""
Row = dict[str, Any]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files, a locked run, and its slots; each test copies what it needs."""
    folder = tmp_path_factory.mktemp("slots")
    lines = [
        {"id": f"{family} {n}", "prompt": f"The {family}.", "answer": answer, "family": family}
        for family, answer in ANSWERS.items()
        for n in range(3)
    ]
    (folder / "tasks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "notes.md").write_text(NOTES)
    (folder / "blank.md").write_text("Take care.\n")
    (folder / "mine.py").write_text(AGENT)
    (folder / "mine.yaml").write_text(SPEC.format(agent="elsewhere"))
    (folder / "here.yaml").write_text(SPEC.format(agent="mine.py:agent"))
    with chdir(folder):
        export_slots(lock(folder, "mine.yaml", folder / "run"), folder / "slots.jsonl")
    return folder


@pytest.fixture
def folder(once: Path, tmp_path: Path) -> Path:
    """The files alone."""
    return Path(shutil.copytree(once, tmp_path / "own", ignore=shutil.ignore_patterns("run", "slots.jsonl")))


def lock(folder: Path, name: str, out: Path) -> Path:
    lock_run(load_spec(folder / name), out=out, display="none", as_json=True)
    return out


def play_slots(path: Path) -> list[Row]:
    """What a harness does that knows nothing of this project."""
    rows = []
    for slot in map(json.loads, path.read_text().splitlines()):
        family = slot["task"].split()[0]
        notes = [line for line in slot["text"].splitlines() if family in line]
        solved = any(ANSWERS[family] in note.lower() and "never" not in note for note in notes)
        place = {name: slot[name] for name in ("task", "arm", "condition", "repeat")}
        shown = sha256(slot["text"].encode()).hexdigest()
        rows.append(place | {"digest": shown, "success": solved, "input_tokens": 100, "usd": 0.01})
    return rows


def write_rows(folder: Path, rows: list[Row]) -> Path:
    path = folder / "outcomes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def exported(once: Path, folder: Path) -> tuple[Path, list[Row]]:
    """A locked run, and its slots as they were played."""
    return Path(shutil.copytree(once / "run", folder / "run")), play_slots(once / "slots.jsonl")


def trials_in(out: Path) -> list[Any]:
    with closing(open_ledger_to_read(out / "ledger.sqlite")) as ledger:
        return list(ledger.trials())


OF_WHO_PLAYED = {"digests", "lock", "notes"}
"""Keys of results.json that tell who played, when and with which code."""


def test_what_comes_back_is_reported_as_the_run_that_is_played_here(
    folder: Path, exported: tuple[Path, list[Row]]
) -> None:
    out, rows = exported
    with chdir(folder):
        here = lock(folder, "here.yaml", folder / "here")
        run(folder / "here.yaml", RunOptions(here, report=False))
        brought = import_outcomes(out, write_rows(folder, [plain(row) for row in rows]))
        played, own = (load(folder).model_dump() for folder in (out, here))
    assert brought.fresh == brought.slots == len(rows)
    differing = {key for key in played if played[key] != own[key]}
    assert differing <= OF_WHO_PLAYED, {key: (played[key], own[key]) for key in differing - OF_WHO_PLAYED}
    assert played["verdicts"]["own/mine"]["notes"]["counter"] == "load-bearing"
    assert any("no request was seen" in note for note in played["notes"])
    assert played["status"] == "confirmatory"


def plain(row: Row) -> Row:
    """Without what was measured, as the agent that is played here reports nothing."""
    return {name: value for name, value in row.items() if name not in ("input_tokens", "usd")}


Change = Callable[[list[Row]], Iterable[Row]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows[1:], "1 not played ({first})"),
        (lambda rows: [*rows, rows[0]], "1 played more than once ({first})"),
        (
            lambda rows: [rows[0] | {"digest": "0" * 64}, *rows[1:]],
            "1 with another text than was locked ({first})",
        ),
        (lambda rows: [*rows, rows[0] | {"arm": "other"}], "1 not of this run (other/"),
        (lambda rows: [rows[0] | {"digest": ""}, *rows[1:]], "1 without a digest ({first})"),
        (lambda rows: [rows[0] | {"score": "high"}, *rows[1:]], "column 'score': a score from 0 to 1"),
        (lambda rows: [rows[0] | {"score": 1.5}, *rows[1:]], "is needed, a word such as true or fail"),
        (
            lambda rows: [rows[0] | {"error": "no connection"}, *rows[1:]],
            "row 1 holds 'no connection' and the score",
        ),
        (
            lambda rows: [rows[0] | {"repeat": "first"}, *rows[1:]],
            "column 'repeat': a whole number is needed",
        ),
        (lambda rows: [rows[0] | {"usd": -1}, *rows[1:]], "column 'usd': a number from 0 on"),
        (
            lambda rows: [{k: v for k, v in row.items() if k not in ("digest", "success")} for row in rows],
            "this table has no 'digest', score or success",
        ),
    ],
    ids=[
        *("left out", "twice", "altered", "unknown", "digest", "score", "range", "error", "repeat", "usd"),
        "columns",
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(
    folder: Path, exported: tuple[Path, list[Row]], change: Change, says: str
) -> None:
    out, rows = exported
    first = "{arm}/{condition}/{task}/{repeat}".format(**rows[0])
    with chdir(folder), pytest.raises(TableFault) as refused:
        import_outcomes(out, write_rows(folder, list(change(rows))))
    assert says.format(first=first) in str(refused.value)
    assert not trials_in(out)


def test_the_same_table_changes_nothing_another_one_is_refused_and_lost_trials_come_again(
    folder: Path, exported: tuple[Path, list[Row]]
) -> None:
    out, rows = exported
    lost = [rows[0] | {"success": None, "error": "no connection"}, *rows[1:]]
    with chdir(folder):
        assert import_outcomes(out, write_rows(folder, lost)).fresh == len(rows)
        (error,) = [trial for trial in trials_in(out) if trial.status == "error"]
        assert (error.boundary, error.score) == ("agent", None)
        assert "no connection" in error.cause
        assert error.slot == rows[0]["digest"]
        assert import_outcomes(out, write_rows(folder, rows)).fresh == 1
        assert not [trial for trial in trials_in(out) if trial.status == "error"]
        before = trials_in(out)
        assert import_outcomes(out, write_rows(folder, rows)).fresh == 0
        other = [rows[0] | {"success": not rows[0]["success"]}, *rows[1:]]
        with pytest.raises(TableFault, match="an outcome stays as it was brought in"):
            import_outcomes(out, write_rows(folder, other))
    assert trials_in(out) == before
    assert {(trial.input_tokens, trial.usd) for trial in before} == {(100, 0.01)}


def test_nothing_goes_out_or_comes_in_but_for_a_locked_run_that_is_played_elsewhere(folder: Path) -> None:
    with chdir(folder):
        with pytest.raises(SpecFault, match="nothing is played here"):
            run(folder / "mine.yaml", RunOptions(folder / "run", report=False))
        here = lock(folder, "here.yaml", folder / "here")
        with pytest.raises(SpecFault, match=r"played here, by mine\.py:agent"):
            export_slots(here, folder / "slots.jsonl")
        out = lock(folder, "mine.yaml", folder / "run")
        with pytest.raises(SpecFault, match="JSON lines"):
            export_slots(out, folder / "slots.csv")
        (folder / "notes.md").write_text("Something else.\n")
        with pytest.raises(SpecFault, match="another experiment"):
            export_slots(out, folder / "slots.jsonl")
    assert not (folder / "slots.jsonl").exists()


def test_slots_that_are_not_those_of_the_lock_neither_go_out_nor_come_in(
    folder: Path, exported: tuple[Path, list[Row]]
) -> None:
    """As where code that lays trials out has changed since the lock."""
    out, rows = exported
    other = {"order": {"blocks": "of other trials"}}
    amended = Amendment(
        made="2026-11-28", reason="other code", trials=0, changes={}, frozen=other, identity={}, plan={}
    )
    with closing(open_ledger(out / "ledger.sqlite")) as ledger:
        add_numbered(ledger, amended)
    with chdir(folder):
        with pytest.raises(SpecFault, match="cannot be laid out again as it was"):
            export_slots(out, folder / "again.jsonl")
        with pytest.raises(SpecFault, match="cannot be laid out again as it was"):
            import_outcomes(out, write_rows(folder, rows))
    assert not (folder / "again.jsonl").exists()
    assert not trials_in(out)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("world: given, tasks: tasks.jsonl", "world: workshop"), "tasks of yours"),
        (("memory: notes.md}", "memory: notes.md, injection: trigger}"), "gets its memory once"),
    ],
)
def test_what_a_harness_elsewhere_cannot_be_given_is_refused(
    folder: Path, change: tuple[str, str], says: str
) -> None:
    (folder / "odd.yaml").write_text((folder / "mine.yaml").read_text().replace(*change))
    with chdir(folder), pytest.raises(SpecFault, match=says):
        load_spec(folder / "odd.yaml")


def test_two_backbones_are_played_side_by_side_and_each_row_names_its_own(folder: Path) -> None:
    text = SPEC.format(agent="elsewhere").replace("own/mine", "[own/mine, own/other]")
    (folder / "two.yaml").write_text(text)
    with chdir(folder):
        out = lock(folder, "two.yaml", folder / "run")
        export_slots(out, folder / "slots.jsonl")
        slots = [json.loads(line) for line in (folder / "slots.jsonl").read_text().splitlines()]
        rows = play_slots(folder / "slots.jsonl")
        with pytest.raises(TableFault, match="this table has no 'backbone'"):
            import_outcomes(out, write_rows(folder, rows))
        # the other solves nothing, whatever it is shown
        named = [
            row | {"backbone": slot["backbone"], "success": row["success"] and slot["backbone"] == "own/mine"}
            for row, slot in zip(rows, slots, strict=True)
        ]
        with pytest.raises(TableFault, match=r"1 not played \(own/(mine|other)/"):
            import_outcomes(out, write_rows(folder, named[1:]))
        with pytest.raises(TableFault, match=r"1 not of this run \(own/third/"):
            import_outcomes(out, write_rows(folder, [named[0] | {"backbone": "own/third"}, *named[1:]]))
        brought = import_outcomes(out, write_rows(folder, named))
        assert (brought.slots, brought.fresh, brought.unread) == (len(slots), len(slots), ())
        assert import_outcomes(out, write_rows(folder, named)).fresh == 0
        results = load(out)
    assert results.utility["own/mine"]["notes"] == "helps"
    assert results.utility["own/other"]["notes"] != "helps"
    assert {trial.backbone for trial in trials_in(out) if trial.score} == {"own/mine"}


def test_a_score_is_solved_in_full_only_where_nothing_else_is_said() -> None:
    place = {"task": "a", "arm": "none", "condition": "without", "digest": "F" * 64}
    rows = [place | {"repeat": number, "score": score} for number, score in enumerate((0.5, 1, None))]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    read = [outcome for _, outcome in read_slot_table(sheet_of(columns)).rows]
    assert [(it.score, it.success, it.error) for it in read] == [
        (0.5, False, ""),
        (1.0, True, ""),
        (None, False, "no score is given"),
    ]
    assert read[0].digest == "f" * 64
    both = read_slot_table(sheet_of(columns | {"success": [True, False, None], "colour": ["red"] * 3}))
    assert [outcome.success for _, outcome in both.rows] == [True, False, False]
    assert both.unread == ("colour",)
