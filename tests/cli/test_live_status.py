"""`status` of a run that workers play in a database: what it says, of whom, and what it does without one."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from memtrial.call_records import CallBatch, SendRecord
from memtrial.cli.results.live_status import tell_status
from memtrial.faults import SpecFault
from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.postgres_ledger import PostgresLedger
from memtrial.ledger.postgres.postgres_work import PostgresWork
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.shared_work import BlockCost, BlockRows, OfferedBlock, RateUse
from memtrial.runs.run_folder.folder import ELSEWHERE_KEPT
from tests.support.postgres_server import postgres_server, skip_without_postgres
from tests.support.verb_ledger import begun, play

Printed = pytest.CaptureFixture[str]
ROW = TrialRow("k", "b", "artifact", "intact", "t", "f", 0, "error", None, "no key", "s", False, "r")
NOWHERE = "postgresql://me@/nothing?host=/no-such-folder"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    skip_without_postgres()
    with postgres_server() as running:
        yield running


@pytest.fixture
def kept(tmp_path: Path, address: str) -> Iterator[Path]:
    """A run folder whose rows are in a database, where one worker plays and another one has ended."""
    with closing(Database(address)) as database:
        database.ask("DROP SCHEMA IF EXISTS memtrial CASCADE")
    folder = tmp_path / "night"
    folder.mkdir()
    (folder / ELSEWHERE_KEPT).write_text(json.dumps({"ledger": address, "run": "night"}))
    with ExitStack() as opened:
        for number in range(2):
            ledger = PostgresLedger(address, "night", folder)
            ledger.keep_spec('{"budget": {"max_cost_usd": 2.5, "max_calls": null}}')
            ledger.state("plan", {"trials": 12, "simulated": True})
            work = PostgresWork(ledger)
            work.offer([OfferedBlock(str(place), False, 10) for place in range(4)], again=False)
            work.share_connections("anthropic", 8, RateUse(0, 9, 0))
            place = work.take("3", (), lambda _: True)
            if number:
                opened.enter_context(closing(ledger))
                ledger.calls.commit(CallBatch(sends=(SendRecord(1, b"1", "m/a", 1e9),)))
                assert ledger.calls.claim(b"1")
                ledger.calls.rates.note_refusal("anthropic", 0.0, 60.0)
            else:
                assert place is not None
                work.commit(
                    place, BlockRows([ROW], [], {}, CallBatch()), BlockCost(0.5, 1, 0.25, 1, "no key")
                )
                ledger.end_session(ledger.begin_session({}), "interrupted")
                ledger.close()
        yield folder


def test_a_run_under_way_is_told_from_its_database_while_another_one_writes(
    kept: Path, address: str, capsys: Printed
) -> None:
    with closing(Database(address)) as writing:

        def look(_: bool) -> None:
            writing.ask("SELECT 1 FROM memtrial.runs FOR UPDATE")
            writing.ask("LOCK TABLE memtrial.blocks IN EXCLUSIVE MODE")
            tell_status(kept, as_json=True)
            tell_status(Path("night"), ledger=address)

        writing.carry(look)
    out = capsys.readouterr().out
    body, lines = json.loads(out[: out.rindex("}") + 1]), out[out.rindex("}") + 2 :].splitlines()
    assert body["state"] == "running"
    assert body["trials"] == {"planned": 12, "played": 1, "errors": 1}
    assert body["blocks"] == {"planned": 4, "done": 1, "playing": 1, "left": 2}
    assert body["calls"] == {"sent": 1, "asking": 1}
    assert (body["cost_usd"], body["budget_usd"]) == (0.25, 2.5)
    assert [(one["alive"], one["done"], one["playing"]) for one in body["workers"]] == [
        (False, 1, 0),
        (True, 0, 1),
    ]
    (rate,) = body["rates"]
    assert (rate["provider"], rate["part"]) == ("anthropic", 0.5)
    assert 0 < rate["closed_s"] <= 60
    assert lines[:2] == [
        "night: running, 1 worker at work, simulated participants",
        "1/4 blocks done, 1 being played, 2 left; 1/12 trials, 1 error",
    ]
    assert any("50% of what the spec allows" in line and "nothing is sent for" in line for line in lines)
    assert lines[-2] == "requests: 1 sent, 1 being asked; $0.25"
    assert "interrupted" in lines[-1]


def test_runs_are_named_and_what_is_not_there_is_said(kept: Path, address: str, capsys: Printed) -> None:
    tell_status(ledger=address, as_json=True)
    assert [run["run"] for run in json.loads(capsys.readouterr().out)] == ["night"]
    with pytest.raises(SpecFault, match="there is no 'day'"):
        tell_status(Path("day"), ledger=address)
    with closing(Database(address)) as database:
        database.ask("DROP SCHEMA memtrial CASCADE")
    with pytest.raises(SpecFault, match="a database with runs is needed"):
        tell_status(ledger=address)


def test_without_its_database_the_copy_is_shown_and_called_one(tmp_path: Path, capsys: Printed) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    folder = tmp_path / "copied"
    folder.mkdir()
    (folder / ELSEWHERE_KEPT).write_text(json.dumps({"ledger": NOWHERE, "run": "copied"}))
    with pytest.raises(SpecFault, match="a database that answers is needed"):
        tell_status(folder)
    ledger = begun(folder)
    play(ledger, errors=0)
    ledger.close()
    tell_status(folder)
    said = capsys.readouterr()
    assert "the copy in" in said.err
    assert "trials" in said.out


@pytest.mark.parametrize("text", ["", "{", '"here"', '{"ledger": "postgresql://x"}', "[" * 99_999])
def test_an_address_that_says_nothing_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / ELSEWHERE_KEPT).write_text(text)
    with pytest.raises(SpecFault, match="where a run is kept"):
        tell_status(tmp_path)
