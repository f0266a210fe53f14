"""`show`: the trials of a run, and what was said in one, word for word and harmless."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from memtrial.cli.results.show import show_run
from memtrial.faults import SpecFault
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from tests.support.verb_ledger import DAMAGED, INTACT, begun, digest, play, said, trial

Printed = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    ledger = begun(folder)
    play(ledger)
    ledger.close()
    return folder


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[TrialRow]:
    """The rows that `run` holds, written again elsewhere."""
    ledger = begun(tmp_path_factory.mktemp("again"))
    played = play(ledger)
    ledger.close()
    return played


def listed(run: Path, capsys: Printed, **filters: object) -> list[dict[str, object]]:
    show_run(run, None, True, **filters)  # type: ignore[arg-type]
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def test_the_list_is_the_rows(run: Path, rows: list[TrialRow], capsys: Printed) -> None:
    names = ("key", "backbone", "arm", "condition", "task", "repeat", "status", "score", "cause", "family")
    assert listed(run, capsys) == [{name: asdict(row)[name] for name in names} for row in rows]


@pytest.mark.parametrize(("name", "value"), [("arm", "none"), ("condition", "filler"), ("task", "t1")])
def test_filters_keep_what_they_name(
    run: Path, rows: list[TrialRow], capsys: Printed, name: str, value: str
) -> None:
    kept = [row.key for row in rows if getattr(row, name) == value]
    assert 0 < len(kept) < len(rows)
    assert [one["key"] for one in listed(run, capsys, **{name: value})] == kept


def test_the_table_has_a_line_a_trial_and_says_what_it_leaves_out(run: Path, capsys: Printed) -> None:
    show_run(run, None, False, limit=5)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "key", "backbone", "arm", "condition", "task", "repeat", "status", "score", "cause",
    ]  # fmt: skip
    assert len(lines) == 7
    assert lines[-1] == "5 of 36 trials; --limit 0 shows all"
    assert "ProviderFault (overloaded): busy" in lines[1]
    show_run(run, None, False, limit=0)
    assert len(capsys.readouterr().out.splitlines()) == 37


def test_families_that_hold_several_tasks_have_a_column(tmp_path: Path, capsys: Printed) -> None:
    ledger = begun(tmp_path)
    tasks = {"t1": "lamp", "t2": "lamp", "t3": "bell"}
    rows = [
        replace(trial("b", ("none", "without"), task, 0, "success"), family=family)
        for task, family in tasks.items()
    ]
    ledger.add_trials(rows, [said(row) for row in rows])
    ledger.close()
    show_run(tmp_path, None, False)
    head, *lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head[1:3] == ["family", "arm"]
    assert [line[1] for line in lines] == list(tasks.values())


@pytest.mark.parametrize("how", ["key", "beginning", "place", "upper case"])
def test_a_trial_is_found_by_key_and_by_place(
    run: Path, rows: list[TrialRow], capsys: Printed, how: str
) -> None:
    row = rows[-1]
    named = {
        "key": row.key,
        "beginning": row.key[:8],
        "upper case": row.key[:12].upper(),
        "place": f"{row.backbone}/{row.arm}/{row.condition}/{row.task}/{row.repeat}",
    }[how]
    show_run(run, named, True)
    shown = json.loads(capsys.readouterr().out)
    assert shown["trial"] == json.loads(json.dumps(asdict(row)))


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("abc", "at least 4"),
        ("control/intact/t0/0", "2 are named"),
        ("control/intact/t0/9", "has played none"),
        ("zzzz", "has played none"),
    ],
)
def test_what_names_no_single_trial_is_refused(run: Path, named: str, why: str) -> None:
    with pytest.raises(SpecFault, match=why):
        show_run(run, named, False)


def test_everything_that_was_said_comes_back_exactly(
    run: Path, rows: list[TrialRow], capsys: Printed
) -> None:
    row = rows[-1]
    assert row.condition == "filler"
    episode = said(row)
    show_run(run, row.key, True)
    shown = json.loads(capsys.readouterr().out)
    talk = [{key: one[key] for key in ("role", "content")} for one in shown["said"]]
    assert talk == list(episode.conversation)
    assert [one["request"] for one in shown["said"] if one["role"] == "assistant"] == list(episode.calls)
    assert shown["slot"] == {"intact": INTACT, "shown": DAMAGED}
    assert shown["check"]["measured"] == {"flips": 1}
    assert shown["steps"] == list(episode.steps)


def test_the_text_says_it_all_and_a_terminal_obeys_none_of_it(
    run: Path, rows: list[TrialRow], capsys: Printed
) -> None:
    row = rows[-1]
    show_run(run, row.key, False)
    text = capsys.readouterr().out
    assert "\x1b" not in text
    for part in (row.key, DAMAGED, INTACT, "Act: \ufffd[31mred", "Observation: two", "stood there verbatim",
                 "DID NOT STAND THERE VERBATIM", "item 0, shadow, state: x", "[format]", "score 0.250",
                 "2 calls, 1 of them", "$0.1250"):  # fmt: skip
        assert part in text, part
    assert text.index("Observation: one") < text.index("Act: ") < text.index("Observation: two")


def test_an_error_shows_its_attempts_and_that_nothing_was_kept(tmp_path: Path, capsys: Printed) -> None:
    ledger = begun(tmp_path)
    row = play(ledger)[0]
    ledger.close()
    show_run(tmp_path, row.key, False)
    text = capsys.readouterr().out
    assert "Nothing is kept of what was said." in text
    assert "error of the provider: ProviderFault (overloaded): busy" in text
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    ended = trial(row.backbone, (row.arm, row.condition), row.task, row.repeat, "success")
    ledger.add_trials([ended], [said(ended)])
    ledger.close()
    show_run(tmp_path, row.key, False)
    text = capsys.readouterr().out
    assert "attempt 1: error: ProviderFault (overloaded): busy" in text
    assert "success, score 0.750" in text


def test_digests_in_the_helper_are_those_of_its_texts() -> None:
    assert trial("b", ("control", "intact"), "t", 0, "success").slot == digest(INTACT)
