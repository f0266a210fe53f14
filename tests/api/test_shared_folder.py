"""A run folder and a database: what would lose rows, or could not go on there, is refused unwritten."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memtrial.api.run import RunOptions, run
from memtrial.faults import SpecFault
from memtrial.ledger.postgres.database import Database
from memtrial.ledger.review_facts import ReviewDecision
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.pages.draft_desk import DraftDesk
from memtrial.runs.engine.shared_ledger import ON_ITS_WAY, shared_ledger_of
from memtrial.runs.run_folder.folder import ELSEWHERE_KEPT, make
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from tests.support.postgres_server import postgres_server, skip_without_postgres
from tests.support.scripted_run import SMALL
from tests.support.small import write_spec

NOBODY = "postgresql://nobody@127.0.0.1:1/none"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    skip_without_postgres()
    with postgres_server() as there:
        yield there


@pytest.fixture
def spec(tmp_path: Path, address: str) -> Spec:
    ask(address, "DROP SCHEMA IF EXISTS memtrial CASCADE")
    return load_spec(write_spec(tmp_path, SMALL.replace("BACKBONE", "simulated/reader")))


def ask(address: str, question: str) -> list[tuple[object, ...]]:
    with closing(Database(address)) as database:
        return database.ask(question)


def keys_in(folder: Path) -> frozenset[str]:
    with closing(SqliteLedger.open_read_only(folder / "ledger.sqlite")) as ledger:
        return ledger.finished_keys()


def play(spec: Spec, folder: Path, address: str | None = None, limit: int | None = None) -> None:
    run(spec, RunOptions(folder, limit=limit, ledger=address, report=False))


def test_rows_of_a_folder_are_not_replaced_by_a_run_of_its_name(
    tmp_path: Path, spec: Spec, address: str
) -> None:
    mine, theirs = tmp_path / "mine" / "night", tmp_path / "theirs" / "night"
    play(spec, mine, limit=2)
    play(spec, theirs, address, 1)
    before = keys_in(mine)
    with pytest.raises(SpecFault, match=r"mine/night holds rows of its own, and postgresql://.* a run night"):
        play(spec, mine, address)
    assert keys_in(mine) == before > keys_in(theirs)
    play(spec, mine)  # it goes on by itself
    play(spec, theirs, address)
    assert (mine / "results.json").read_bytes() == (theirs / "results.json").read_bytes()


def test_a_run_of_one_database_is_not_begun_anew_in_another(tmp_path: Path, spec: Spec, address: str) -> None:
    folder, other = tmp_path / "night", address.replace("/postgres?", "/other?")
    ask(address, "CREATE DATABASE other")
    play(spec, folder, address, 1)
    noted = (folder / ELSEWHERE_KEPT).read_text()
    with pytest.raises(SpecFault, match=r"names, and there is no run night in .*/other.*: give --ledger"):
        play(spec, folder, other)
    assert ask(other, "SELECT to_regclass('memtrial.runs')") == [(None,)]
    assert (folder / ELSEWHERE_KEPT).read_text() == noted


def test_a_session_that_ended_on_the_way_to_the_database_is_gone_on_with(
    tmp_path: Path, spec: Spec, address: str
) -> None:
    play(spec, tmp_path / "whole")
    folder, note = tmp_path / "night", tmp_path / "night" / ELSEWHERE_KEPT
    play(spec, folder, limit=1)
    note.write_text(json.dumps({"ledger": address, "run": "night", ON_ITS_WAY: True}))
    play(spec, folder, address, 1)  # before its rows were there
    assert ON_ITS_WAY not in note.read_text()
    assert len(keys_in(folder)) == 2 * len(keys_in(tmp_path / "whole")) // 3
    note.write_text(json.dumps({"ledger": address, "run": "night", ON_ITS_WAY: True}))
    play(spec, folder, address)  # after that
    assert (folder / "results.json").read_bytes() == (tmp_path / "whole" / "results.json").read_bytes()


def test_a_shard_stays_a_shard(tmp_path: Path, spec: Spec, address: str) -> None:
    folder = tmp_path / "part"
    run(spec, RunOptions(folder, shard="1/2"))
    with pytest.raises(SpecFault, match="is shard 1/2 of a run: add --shard 1/2"):
        play(spec, folder, address)
    assert not (folder / ELSEWHERE_KEPT).exists()
    assert ask(address, "SELECT to_regclass('memtrial.runs')") == [(None,)]


def test_drafts_are_decided_on_before_a_run_is_shared(tmp_path: Path, spec: Spec, address: str) -> None:
    by_people = load_spec(
        tmp_path / "small.yaml", ["condensers.theory.review=human", "backbone=simulated/reader"]
    )
    folder = tmp_path / "night"
    with pytest.raises(SpecFault, match=r"review: human waits for a person.*--prepare"):
        play(by_people, folder, address)
    assert not folder.exists()
    run(by_people, RunOptions(folder, prepare=True))
    with pytest.raises(SpecFault, match="review: human waits"):
        play(by_people, folder, address)
    desk = DraftDesk(folder, False)
    desk.decide(*(ReviewDecision(draft=draft.id, how="accept") for draft in desk.queue().drafts))
    run(by_people, RunOptions(folder, prepare=True))
    play(by_people, folder, address)
    assert ask(address, "SELECT bool_and(done), count(*) FROM memtrial.blocks") == [(True, 3)]


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (NOBODY, "a database that answers is needed"),
        ("mysql://me@host/trials", "--ledger needs an address postgresql"),
        ("postgresql://me:se/cret@host/trials", "this one cannot be read"),
    ],
)
def test_where_nothing_answers_no_folder_is_made(tmp_path: Path, wrong: str, line: str) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    spec = load_spec(write_spec(tmp_path, SMALL.replace("BACKBONE", "simulated/reader")))
    with pytest.raises(SpecFault, match=line):
        play(spec, tmp_path / "night", wrong)
    assert not (tmp_path / "night").exists()


def test_a_database_of_another_encoding_is_refused_at_once(tmp_path: Path, spec: Spec, address: str) -> None:
    ask(address, "CREATE DATABASE plain ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    plain = address.replace("/postgres?", "/plain?")
    with pytest.raises(LedgerFault, match=r"a database in UTF8 is needed; .*/plain.* is in SQL_ASCII"):
        Database(plain)
    with pytest.raises(SpecFault, match="a database in UTF8 is needed"):
        play(spec, tmp_path / "night", plain)
    assert not (tmp_path / "night").exists()


def test_a_worker_that_was_begun_earlier_puts_no_older_budget_back(
    tmp_path: Path, spec: Spec, address: str
) -> None:
    play(spec, tmp_path / "night", address, 1)
    richer = load_spec(tmp_path / "small.yaml", ["backbone=simulated/reader", "budget.max_hours=7"])
    play(richer, tmp_path / "night", address, 1)
    room = tmp_path / "worker"
    make(room)
    with shared_ledger_of(room, check_spec(spec), address, "night"):
        kept = json.loads(str(ask(address, "SELECT spec FROM memtrial.runs")[0][0]))
    assert kept["budget"]["max_hours"] == 7


def test_another_experiment_of_the_name_is_refused_by_what_helps_in_a_database(
    tmp_path: Path, spec: Spec, address: str
) -> None:
    play(spec, tmp_path / "night", address, limit=1)
    before = ask(address, "SELECT count(*) FROM memtrial.trials")
    with pytest.raises(SpecFault, match=r"changed: repeats .*folder of another name") as refused:
        play(spec.model_copy(update={"repeats": spec.repeats + 1}), tmp_path / "night", address)
    # whose rows are kept: it is refused there
    assert "--clean" not in str(refused.value)
    assert ask(address, "SELECT count(*) FROM memtrial.trials") == before
